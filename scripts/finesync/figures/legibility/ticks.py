"""Panels whose ticks have no labels near."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes


def findings(panels: Sequence[Axes]) -> list[str]:
    """A panel may leave the labels of y to one in its row with the same scale; those of x to the panel right below, if
    all of its row do."""
    boxes = {axes: axes.get_position() for axes in panels}
    found = []
    for axes, box in boxes.items():
        row = [other for other in panels if abs(boxes[other].y0 - box.y0) < 0.01]
        below = [other for other in panels if abs(boxes[other].x0 - box.x0) < 0.01 and boxes[other].y1 < box.y0]
        alike = [other for other in axes.get_shared_y_axes().get_siblings(axes) if other in row]
        if _silent(axes.yaxis) and all(_silent(other.yaxis) for other in alike):
            found.append(f"{axes.get_title()}: no tick labels on its y axis")
        if _silent(axes.xaxis) and (not below or not all(_silent(other.xaxis) for other in row)
                                    or _silent(max(below, key=lambda other: boxes[other].y1).xaxis)):
            found.append(f"{axes.get_title()}: no tick labels on its x axis")
    return found


def _silent(axis: Any) -> bool:
    return len(axis.get_majorticklocs()) > 0 and not any(
        tick.label1.get_visible() and tick.label1.get_text() for tick in axis.get_major_ticks())
