"""Locks packed in cache lines against one lock per line, at the same grid."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .. import hash_table
from ..loading import Results
from ..points import Point, failure_word, primitives, select, values
from . import style

NAME = "padding"
PROGRAMS, ON_GPU = ("ht",), True
NEEDS = "a lock at one grid with and without padding"
_FILLS = {0: "white", 1: None}


def draw(results: Results) -> Figure | None:
    """Pairs of dots joined by a line, one pair per primitive, one panel per collision factor."""
    points = hash_table.swept(hash_table.inserts(results))
    packed, padded = ({(point.primitive, point.grid) for point in points
                       if point.axes.get("lock_padding") == padding} for padding in _FILLS)
    points = [point for point in points if (point.primitive, point.grid) in packed & padded]
    if not points:
        return None
    factors = values(points, "collision_factor")
    names = primitives(points)
    figure, panels = plt.subplots(1, len(factors), sharey=True, squeeze=False,
                                  figsize=(style.WIDTH_IN, 1.7 + 0.25 * len(names)))
    for panel, factor in zip(panels[0], factors):
        here = select(points, collision_factor=factor)
        shown: list[float] = []
        for place, primitive in enumerate(names):
            shown += _draw_pair(panel, [point for point in here if point.primitive == primitive],
                                primitive, place)
        panel.set_title(f"collision factor {style.count_label(factor)}")
        panel.set_yticks(range(len(names)), [style.look(name).label for name in names])
        panel.set_ylim(len(names) - 0.5, -0.5)
        panel.tick_params(axis="y", length=0)
        panel.grid(axis="both")
        if not shown:
            panel.set_xlim(1, 10)
        style.log_axis(panel.xaxis, min(shown, default=1), max(shown, default=10), most=4)

    grids = sorted({f"{blocks} x {threads}" for blocks, threads in {p.grid for p in points}})
    caption = (f"Thread blocks per SM x threads: {', '.join(grids)}. Medians of the repetitions, "
               "whiskers are quartiles.")
    handles = [Line2D([], [], color="black", marker="o", linestyle="none", markerfacecolor=fill)
               for fill in ("white", "black")]
    return style.finish(figure, f"Hash-table insertion, the effect of lock padding: "
                                f"{results.gpu_name}", caption, results,
                        (handles, ["locks packed in cache lines", "one lock per line"]), 2,
                        "M inserts/s")


def _draw_pair(panel: Axes, points: list[Point], primitive: str, place: int) -> list[float]:
    """Draws one primitive's pair in a panel and returns its medians."""
    look = style.look(primitive)
    medians = []
    for padding, fill in _FILLS.items():
        own = select(points, lock_padding=padding)
        best = hash_table.best(own)
        if best is None:
            style.mark_gap(panel, 0.1 + 0.45 * padding, place, failure_word(own),
                           panel.get_yaxis_transform(), beside=True)
            continue
        rate = hash_table.rate(best).scaled(1e-6)
        medians.append(rate.median)
        style.draw_spreads(panel, [place], [rate], across=True, color=look.colour,
                           marker=look.marker, markerfacecolor=fill or look.colour,
                           linestyle="none", zorder=3)
    if len(medians) == 2:
        panel.plot(medians, [place, place], color=look.colour, zorder=2)
    return medians
