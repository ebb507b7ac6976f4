"""Cycles of the chain, by the scheme that orders it: ICS'15, figure 4."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from finesync_results.figures import layout
from finesync_results.figures.styles import styles_of
from finesync_results.loading import Results
from finesync_results.points import failure_word, of, primitives, values
from finesync_results.workload import Drawing

from . import cycles

_BAR_WIDTH = 0.8


def draw(results: Results) -> Figure | None:
    """A bar per scheme."""
    points = cycles.from_warp_to_warp(cycles.measured(results))
    if points.empty:
        return None
    names = primitives(points)
    found = {name: cycles.cycles(of(points, name)) for name in names}
    styles = styles_of(results)
    figure, panel = plt.subplots(figsize=(layout.WIDTH_IN, 4.2))
    layout.scale_bars(panel, [spread.high for spread in found.values() if spread] or [1.0])
    for place, name in enumerate(names):
        spread = found[name]
        if spread:
            layout.draw_bar(panel, place, _BAR_WIDTH, spread, styles[name])
        else:
            layout.mark_gap(panel, place, 0.03, failure_word(of(points, name)),
                            panel.get_xaxis_transform())
    panel.set_xticks([])
    panel.set_ylabel("cycles of the chain")
    panel.set_xlim(-0.6, len(names) - 0.4)
    panel.grid(axis="y")
    caption = (f"Chains of {values(points, 'warps')[0]} warps, each of which waits for the one "
               "before (ICS'15, figure 4). Bars: medians of all rounds; whiskers: from the 5th to "
               "the 95th percentile.")
    return layout.finish(figure, f"From warp to warp of a block: {results.gpu_name}", caption,
                         results, layout.legend_of([panel]), 3, "scheme")


CYCLES = Drawing("cycles", "chains from warp to warp", draw)
