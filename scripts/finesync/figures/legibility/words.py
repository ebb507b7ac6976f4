"""Words that overlap each other or a marker, leave the figure, or are too small."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from .recorder import Drawn, Line

SMALLEST = 7.0  # points, in a figure of the width of a page
_TOUCH = 0.3  # points by which boxes may overlap: letters do not fill them


def findings(figure: Figure, drawn: Drawn) -> list[str]:
    return [*_overlaps(drawn.lines), *_on_markers(drawn), *_clipped(figure, drawn.lines),
            *dict.fromkeys(f"{line.size:g} pt is too small: '{line.said}'"
                           for line in drawn.lines if line.size < SMALLEST)]


def _overlaps(lines: list[Line]) -> list[str]:
    low = np.array([line.corners.min(axis=0) for line in lines]).reshape(-1, 2)
    high = np.array([line.corners.max(axis=0) for line in lines]).reshape(-1, 2)
    overlaps = []
    for first, second in combinations(range(len(lines)), 2):
        if (low[first] < high[second]).all() and (low[second] < high[first]).all() \
                and lines[first].number != lines[second].number \
                and _overlap(lines[first].corners, lines[second].corners):
            overlaps.append(f"'{lines[first].said}' overlaps '{lines[second].said}'")
    return overlaps


def _overlap(first: Any, second: Any) -> bool:
    """Whether no side of either rectangle separates the two."""
    for corners in (first, second):
        for side in (corners[1] - corners[0], corners[3] - corners[0]):
            axis = side / (np.hypot(*side) or 1.0)
            left, right = first @ axis, second @ axis
            if min(left.max(), right.max()) - max(left.min(), right.min()) < _TOUCH:
                return False
    return True


def _on_markers(drawn: Drawn) -> list[str]:
    boxes = np.array(drawn.markers).reshape(-1, 4)
    hidden = []
    for line in drawn.lines:
        (left, bottom), (right, top) = line.corners.min(axis=0), line.corners.max(axis=0)
        near = boxes[(boxes[:, 0] < right) & (boxes[:, 2] > left) & (boxes[:, 1] < top) & (boxes[:, 3] > bottom)]
        if any(_overlap(line.corners, np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])) for x0, y0, x1, y1 in near):
            hidden.append(f"'{line.said}' lies on a marker")
    return hidden


def _clipped(figure: Figure, lines: list[Line]) -> list[str]:
    size = figure.get_size_inches() * 72
    return [f"'{line.said}' leaves the figure" for line in lines
            if (line.corners < -0.5).any() or (line.corners > size + 0.5).any()]
