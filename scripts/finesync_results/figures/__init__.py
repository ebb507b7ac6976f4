"""The figures, one module each: `NAME` and `draw(results) -> Figure | None` (None: no data)."""

from . import contention, counts, padding, section_length, speedup

ALL = (speedup, contention, section_length, padding, counts)
