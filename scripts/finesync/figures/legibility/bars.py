"""Bars that a reader cannot tell apart, or cannot name."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.container import BarContainer, ErrorbarContainer

from ..scales import GAP_COLOUR

MOST_LEVEL = 8
_NOISE = 1.03  # numbers that differ by a smaller factor are level, as are those whose quartiles overlap


def findings(axes: Axes) -> list[str]:
    return [*_level(axes), *_unnamed(axes)]


def _level(axes: Axes) -> list[str]:
    """Too many bars at one tick, or in a panel without ticks, that reach as high."""
    whiskers = {round(x, 6): (low, high) for container in axes.containers
                if isinstance(container, ErrorbarContainer) and container.has_yerr
                for lines in container[2] for (x, low), (_, high) in lines.get_segments()}
    at_tick: dict[float, list[tuple[float, float]]] = {}
    for x, top in _bars(axes):
        tick = min(axes.get_xticks(), key=lambda own: abs(own - x), default=0.0)
        low, high = whiskers.get(round(x, 6), (top, top))
        at_tick.setdefault(tick, []).append((low, max(high, top * _NOISE)))
    most = max((sum(low <= end <= high for low, high in own) for own in at_tick.values() for end, _ in own), default=0)
    return [f"{most} bars are level"] if most > MOST_LEVEL else []


def _unnamed(axes: Axes) -> list[str]:
    """Crosses in the places of bars that no panel has, so that no legend and no tick names them."""
    if len(axes.get_xticks()) or not list(_bars(axes)):
        return []
    named = [x for panel in axes.figure.axes for x, _ in _bars(panel)]
    crosses = [line.get_xdata()[0] for line in axes.lines
               if line.get_marker() == "x" and line.get_color() == GAP_COLOUR]
    return [f"no legend has the cross at {x:g}" for x in crosses if all(abs(x - bar) > 0.5 for bar in named)]


def _bars(axes: Axes) -> Iterator[tuple[float, float]]:
    """The middle and the top of each upright bar."""
    for container in axes.containers:
        if isinstance(container, BarContainer) and container.orientation == "vertical":
            yield from ((bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height()) for bar in container)
