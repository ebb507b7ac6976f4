"""What the host executor counted: atomics and polls per insert. Counts, never times."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from finesync_results.figures import layout
from finesync_results.figures.styles import Styles, styles_of
from finesync_results.loading import Results
from finesync_results.points import (Point, Points, Spread, each, failure_word, of, primitives,
                                     select, spread, values)
from finesync_results.workload import Drawing

from . import inserts

_COUNTED = {"count_rmw": "atomics per insert", "count_poll": "polls per insert"}
_GROUP_WIDTH = 0.86


def draw(results: Results) -> Figure | None:
    """Two panels of bars by collision factor, at the largest grid; log scale where needed."""
    points = select(inserts.inserts(results), lock_padding="packed")
    if points.empty:
        return None
    styles = styles_of(results)
    largest = values(points, "tbs_per_sm")[-1]
    points = select(points, tbs_per_sm=largest)
    factors = values(points, "collision_factor")
    names = primitives(points)
    figure, panels = plt.subplots(2, 1, figsize=(layout.WIDTH_IN, 5.2), sharex=True)
    for panel, (count, title) in zip(panels, _COUNTED.items()):
        _draw_panel(panel, points, factors, names, count, styles)
        panel.set_ylabel(title)
        panel.grid(axis="y")
    panels[1].set_xticks(range(len(factors)), [layout.count_label(factor) for factor in factors])
    panels[1].set_xlabel("collision factor (elements in the pool)")
    for panel in panels:
        panel.tick_params(axis="x", length=0)
        panel.set_xlim(-0.5, len(factors) - 0.5)

    caption = ("Atomic read-modify-writes, and reads that found nothing new, of one launch over "
               f"its inserts; thread blocks per SM: {largest}, threads per block: "
               f"{inserts.block_sizes(points)}, machine: {results.gpu_name}. Medians of "
               "the repetitions, whiskers are quartiles. The host executor measures no time.")
    return layout.finish(figure, "Hash-table insertion: counted on the host executor", caption,
                        results, layout.legend_of(panels), columns=4)


def per_insert(point: Point, count: str) -> Spread:
    """A count of an ok point over the number of inserts."""
    found = spread(point, count)
    assert found is not None
    return found.scaled(1 / point["inserts"])


def _draw_panel(panel: Axes, points: Points, factors: list[int], names: list[str], count: str,
                styles: Styles) -> None:
    spreads = {point.name: per_insert(point, count) for point in each(points[points["ok"]])}
    shown = [spread.median for spread in spreads.values() if spread.median > 0]
    log = layout.needs_log(shown)
    floor = min(shown) / 2 if log else 0.0
    if log:
        layout.log_axis(panel.yaxis, floor, max(shown))
        panel.set_ylim(floor, max(shown) * (max(shown) / floor) ** 0.3)
    elif shown:
        panel.set_ylim(0, max(shown) * 1.3)
    step = _GROUP_WIDTH / len(names)
    for slot, primitive in enumerate(names):
        for group, factor in enumerate(factors):
            x = group - _GROUP_WIDTH / 2 + step * (slot + 0.5)
            own = of(select(points, collision_factor=factor), primitive)
            if own.empty or not own.iloc[0]["ok"]:
                layout.mark_gap(panel, x, 0.04, failure_word(own), panel.get_xaxis_transform())
                continue
            layout.draw_bar(panel, x, step, spreads[own.index[0]], styles[primitive])


COUNTS = Drawing("counts", "rows of the host executor", draw)
