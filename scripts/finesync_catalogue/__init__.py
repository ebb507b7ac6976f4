"""The catalogue of primitives: its entries, and the sources that CMake generates from them.

It uses only Python's standard library, so that a build needs no other modules."""
