"""The catalogue of primitives: what it holds, and what CMake makes of it.

Python's own modules alone: who builds a program needs no others."""
