"""The figures, one module each.

A module of ALL has NAME, PROGRAMS and ON_GPU (whose results it draws), NEEDS (the rows that it is
drawn from, in words), and `draw(results) -> Figure | None` (None: there are no such rows). One of
ACROSS puts all results of one machine into one figure: `draw(list of results)`.
"""

from __future__ import annotations

from types import ModuleType

from ..loading import Results
from . import (contention, counted, counts, fairness, fence, padding, section_length, speedup,
               split, time_over_grid, time_over_section, traffic, which)

ALL = (speedup, contention, section_length, padding, counts, traffic,
       time_over_grid, time_over_section, split, fairness, counted, fence)
ACROSS = (which,)


def applies(module: ModuleType, results: Results) -> bool:
    """Whether a figure is about results of this program and machine."""
    return results.program in module.PROGRAMS and results.on_gpu == module.ON_GPU
