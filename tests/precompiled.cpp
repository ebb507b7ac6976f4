// Empty: CMake precompiles headers only for a target with a source.
