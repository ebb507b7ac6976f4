"""What a fence costs after a store, by where the store went: bars of cycles."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from finesync_results.figures import layout
from finesync_results.figures.styles import Styles, styles_of
from finesync_results.loading import Results
from finesync_results.points import Points, failure_word, of, primitives, select, values
from finesync_results.workload import Drawing

from . import cycles

_GROUP_WIDTH = 0.88


def draw(results: Results) -> Figure | None:
    """A group of bars for each place that was stored to, a bar per fence."""
    points = select(cycles.by_itself(cycles.measured(results)), access=cycles.STORE)
    groups = cycles.by_touched(points)
    if not groups:
        return None
    figure, panel = plt.subplots(figsize=(layout.WIDTH_IN, 4.2))
    missing = _draw_panel(panel, groups, primitives(points), styles_of(results))
    panel.set_xticks(range(len(groups)), list(groups))
    panel.set_ylabel("cycles per fence")
    gap = "".join(f"{gap:,} cycles " for gap in values(points, "gap"))
    caption = (f"The thread that fences has stored there {gap}before. Bars: "
               "medians of all SMs and rounds; whiskers: from the 5th to the 95th percentile."
               + (" Crossed out: no result, for the reason written." if missing else ""))
    return layout.finish(figure, f"Memory fences, cost by what the SM has touched: "
                                f"{results.gpu_name}", caption, results,
                        layout.legend_of([panel]), 3, "stored to since the last fence")


def _draw_panel(panel: Axes, groups: dict[str, Points], names: list[str],
                styles: Styles) -> bool:
    """Draws all bars; whether some are missing."""
    found = {(where, name): cycles.cycles(of(own, name))
             for where, own in groups.items() for name in names}
    ends = [end for spread in found.values() if spread for end in (spread.low, spread.high)]
    layout.scale_bars(panel, [end for end in ends if end > 0] or [1.0])
    step = _GROUP_WIDTH / len(names)
    for group, (where, own) in enumerate(groups.items()):
        for slot, name in enumerate(names):
            x = group - _GROUP_WIDTH / 2 + step * (slot + 0.5)
            spread = found[where, name]
            if spread:
                layout.draw_bar(panel, x, step, spread, styles[name])
            else:
                layout.mark_gap(panel, x, 0.03, failure_word(of(own, name)),
                               panel.get_xaxis_transform())
    panel.tick_params(axis="x", length=0)
    panel.set_xlim(-0.5, len(groups) - 0.5)
    panel.grid(axis="y")
    return None in found.values()


CYCLES = Drawing("cycles", "fences after a store", draw)
