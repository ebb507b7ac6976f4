"""The papers' claims and published numbers, next to our measurements."""
