"""Panels whose ticks have no labels near."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes


def findings(panels: Sequence[Axes]) -> list[str]:
    """A panel may leave the labels of y to one in its row with the same scale; those of x to the panel right below, if
    all of its row do."""
    found = []
    for axes in panels:
        row = [other for other in panels if abs(other.get_position().y0 - axes.get_position().y0) < 0.01]
        if _silent(axes.yaxis) and not any(_labelled(other.yaxis) for other in
                                           axes.get_shared_y_axes().get_siblings(axes) if other in row):
            found.append(f"{axes.get_title() or 'a panel'}: no tick labels on its y axis")
        below = [other for other in panels if abs(other.get_position().x0 - axes.get_position().x0) < 0.01
                 and other.get_position().y1 < axes.get_position().y0]
        next_below = max(below, key=lambda other: other.get_position().y1, default=None)
        if _silent(axes.xaxis) and (any(_labelled(other.xaxis) for other in row)
                                    or next_below is None or not _labelled(next_below.xaxis)):
            found.append(f"{axes.get_title() or 'a panel'}: no tick labels on its x axis")
    return found


def _silent(axis: Any) -> bool:
    return len(axis.get_majorticklocs()) > 0 and not _labelled(axis)


def _labelled(axis: Any) -> bool:
    return any(tick.label1.get_visible() and tick.label1.get_text() for tick in axis.get_major_ticks())
