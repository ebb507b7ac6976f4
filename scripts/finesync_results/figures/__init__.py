"""The figures, one module each.

A module has NAME, PROGRAM and ON_GPU (whose results it draws), NEEDS (the rows that it is drawn
from, in words), and `draw(results) -> Figure | None` (None: there are no such rows).
"""

from __future__ import annotations

from types import ModuleType

from ..loading import Results
from . import contention, counts, padding, section_length, speedup, traffic

ALL = (speedup, contention, section_length, padding, counts, traffic)


def applies(module: ModuleType, results: Results) -> bool:
    """Whether a figure is about results of this program and machine."""
    return (results.program, results.on_gpu) == (module.PROGRAM, module.ON_GPU)
