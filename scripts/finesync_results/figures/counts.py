"""What the host executor counted: atomics and polls per insert. Counts, never times."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import hash_table
from ..loading import Results
from ..points import Point, Spread, failure_word, primitives, select, spread_of, values
from . import style

NAME = "counts"
PROGRAMS, ON_GPU = ("ht",), False
NEEDS = "rows of the host executor"
_COUNTED = {"count_rmw": "atomics per insert", "count_poll": "polls per insert"}
_GROUP_WIDTH = 0.86


def draw(results: Results) -> Figure | None:
    """Two panels of bars by collision factor, at the largest grid; log scale where needed."""
    points = select(hash_table.inserts(results), lock_padding=0)
    if not points:
        return None
    largest = max(values(points, "tbs_per_sm"))
    points = select(points, tbs_per_sm=largest)
    factors = values(points, "collision_factor")
    names = primitives(points)
    figure, panels = plt.subplots(2, 1, figsize=(style.WIDTH_IN, 5.2), sharex=True)
    for panel, (prefix, title) in zip(panels, _COUNTED.items()):
        _draw_panel(panel, points, factors, names, prefix)
        panel.set_ylabel(title)
        panel.grid(axis="y")
    panels[1].set_xticks(range(len(factors)), [style.count_label(factor) for factor in factors])
    panels[1].set_xlabel("collision factor (elements in the pool)")
    for panel in panels:
        panel.tick_params(axis="x", length=0)
        panel.set_xlim(-0.5, len(factors) - 0.5)

    threads = values(points, "threads_per_block")
    caption = ("Atomic read-modify-writes, and reads that found nothing new, of one launch over "
               f"its inserts; thread blocks per SM: {largest}, threads per block: "
               f"{' and '.join(map(str, threads))}, machine: {results.gpu_name}. Medians of "
               "the repetitions, whiskers are quartiles. The host executor measures no time.")
    return style.finish(figure, "Hash-table insertion: counted on the host executor", caption,
                        results, style.legend_of(panels), columns=4)


def per_insert(point: Point, prefix: str) -> Spread:
    """All counters that begin with the prefix, summed, over the number of inserts."""
    sums = [sum(value for name, value in row.counters.items() if name.startswith(prefix))
            for row in point.rows]
    return spread_of(sums).scaled(1 / point.axes["inserts"])


def _draw_panel(panel: Axes, points: list[Point], factors: list[int], names: list[str],
                prefix: str) -> None:
    spreads = {id(point): per_insert(point, prefix) for point in points if point.ok}
    shown = [spread.median for spread in spreads.values() if spread.median > 0]
    log = style.needs_log(shown)
    floor = min(shown) / 2 if log else 0.0
    if log:
        style.log_axis(panel.yaxis, floor, max(shown))
        panel.set_ylim(floor, max(shown) * (max(shown) / floor) ** 0.3)
    elif shown:
        panel.set_ylim(0, max(shown) * 1.3)
    step = _GROUP_WIDTH / len(names)
    for slot, primitive in enumerate(names):
        for group, factor in enumerate(factors):
            x = group - _GROUP_WIDTH / 2 + step * (slot + 0.5)
            own = [point for point in select(points, collision_factor=factor)
                   if point.primitive == primitive]
            if not own or not own[0].ok:
                style.mark_gap(panel, x, 0.04, failure_word(own), panel.get_xaxis_transform())
                continue
            style.draw_bar(panel, x, step, spreads[id(own[0])], style.look(primitive))
