"""The modules of the scripts, in layers: results; sweep and papers above it; figures on papers."""
