"""What a fence costs after a store, by where the store went: bars of cycles."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import fences
from ..loading import Results
from ..points import Point, failure_word, gather, of, primitives, select, values
from . import style

NAME = "cycles"
PROGRAMS, ON_GPU = (fences.PROGRAM,), True
NEEDS = "fences after a store"
_GROUP_WIDTH = 0.88


def draw(results: Results) -> Figure | None:
    """A group of bars for each place that was stored to, a bar per fence."""
    points = select(fences.by_itself(gather(results.rows)), access=fences.STORE)
    groups = fences.by_touched(points)
    if not groups:
        return None
    figure, panel = plt.subplots(figsize=(style.WIDTH_IN, 4.2))
    missing = _draw_panel(panel, groups, primitives(points))
    panel.set_xticks(range(len(groups)), list(groups))
    panel.set_ylabel("cycles per fence")
    gap = "".join(f"{cycles:,} cycles " for cycles in values(points, "gap"))
    caption = (f"The thread that fences has stored there {gap}before. Bars: "
               "medians of all SMs and rounds; whiskers: from the 5th to the 95th percentile."
               + (" Crossed out: no result, for the reason written." if missing else ""))
    return style.finish(figure, f"Memory fences, cost by what the SM has touched: "
                                f"{results.gpu_name}", caption, results,
                        style.legend_of([panel]), 3, "stored to since the last fence")


def _draw_panel(panel: Axes, groups: dict[str, list[Point]], names: list[str]) -> bool:
    """Draws all bars; whether some are missing."""
    found = {(where, name): fences.cycles(of(own, name))
             for where, own in groups.items() for name in names}
    ends = [end for spread in found.values() if spread for end in (spread.low, spread.high)]
    style.scale_bars(panel, [end for end in ends if end > 0] or [1.0])
    step = _GROUP_WIDTH / len(names)
    for group, (where, own) in enumerate(groups.items()):
        for slot, name in enumerate(names):
            x = group - _GROUP_WIDTH / 2 + step * (slot + 0.5)
            spread = found[where, name]
            if spread:
                style.draw_bar(panel, x, step, spread, style.look(name))
            else:
                style.mark_gap(panel, x, 0.03, failure_word(of(own, name)),
                               panel.get_xaxis_transform())
    panel.tick_params(axis="x", length=0)
    panel.set_xlim(-0.5, len(groups) - 0.5)
    panel.grid(axis="y")
    return None in found.values()
