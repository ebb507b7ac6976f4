"""Locks packed in cache lines against one lock per line, at the same grid."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from finesync_results import collisions
from finesync_results.figures import layout
from finesync_results.figures.styles import Style, styles_of
from finesync_results.loading import Results
from finesync_results.points import Points, failure_word, of, primitives, select, values
from finesync_results.workload import Drawing

from . import inserts

_FILLS = {"packed": "white", "padded": None}


def draw(results: Results) -> Figure | None:
    """Pairs of dots joined by a line, one pair per primitive, one panel per collision factor."""
    points = collisions.swept(inserts.inserts(results))
    launch = points.set_index(["primitive", "tbs_per_sm", "threads_per_block"]).index
    packed, padded = (launch[points["lock_padding"] == padding] for padding in _FILLS)
    points = points[launch.isin(packed) & launch.isin(padded)]
    if points.empty:
        return None
    styles = styles_of(results)
    factors = values(points, "collision_factor")
    names = primitives(points)
    figure, panels = plt.subplots(1, len(factors), sharey=True, squeeze=False,
                                  figsize=(layout.WIDTH_IN, 1.7 + 0.25 * len(names)))
    for panel, factor in zip(panels[0], factors):
        here = select(points, collision_factor=factor)
        shown: list[float] = []
        for place, primitive in enumerate(names):
            shown += _draw_pair(panel, of(here, primitive), styles[primitive], place)
        panel.set_title(f"collision factor {layout.count_label(factor)}")
        panel.set_yticks(range(len(names)), [styles[name].label for name in names])
        panel.set_ylim(len(names) - 0.5, -0.5)
        panel.tick_params(axis="y", length=0)
        panel.grid(axis="both")
        if not shown:
            panel.set_xlim(1, 10)
        layout.log_axis(panel.xaxis, min(shown, default=1), max(shown, default=10), most=4)

    grids = ", ".join(collisions.grid_labels(points, results.gpu))
    caption = (f"Thread blocks per SM x threads: {grids}. Medians of the repetitions, "
               "whiskers are quartiles.")
    handles = [Line2D([], [], color="black", marker="o", linestyle="none", markerfacecolor=fill)
               for fill in ("white", "black")]
    return layout.finish(figure, f"Hash-table insertion, the effect of lock padding: "
                                f"{results.gpu_name}", caption, results,
                        (handles, ["locks packed in cache lines", "one lock per line"]), 2,
                        "M inserts/s")


def _draw_pair(panel: Axes, points: Points, style: Style, place: int) -> list[float]:
    """Draws one primitive's pair in a panel and returns its medians."""
    medians = []
    for number, (padding, fill) in enumerate(_FILLS.items()):
        own = select(points, lock_padding=padding)
        best = collisions.best(own)
        if best is None:
            layout.mark_gap(panel, 0.1 + 0.45 * number, place, failure_word(own),
                           panel.get_yaxis_transform(), beside=True)
            continue
        rate = collisions.rate(best).scaled(1e-6)
        medians.append(rate.median)
        layout.draw_spreads(panel, [place], [rate], across=True, color=style.colour,
                           marker=style.marker, markerfacecolor=fill or style.colour,
                           linestyle="none", zorder=3)
    if len(medians) == 2:
        panel.plot(medians, [place, place], color=style.colour, zorder=2)
    return medians


PADDING = Drawing("padding", "a lock at one grid with and without padding", draw)
