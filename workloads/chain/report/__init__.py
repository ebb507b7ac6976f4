"""`chain`: sums passed between threads of a block (ICS'15, sections 4 and 5)."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from finesync.figures import layout
from finesync.figures.styles import styles_of
from finesync.results.loading import Results
from finesync.results.workload import Drawing, Workload

from .tables import cycles, from_warp_to_warp, gpu_tables, measured, operation_tables

_BAR_WIDTH = 0.8


def draw(results: Results) -> Figure | None:
    """A bar per scheme."""
    points = from_warp_to_warp(measured(results))
    if points.empty:
        return None
    names = points.primitives()
    found = {name: cycles(points.of_primitives(name)) for name in names}
    styles = styles_of(results)
    figure, panel = plt.subplots(figsize=(layout.WIDTH_IN, 4.2))
    layout.scale_bars(panel, [spread.high for spread in found.values() if spread] or [1.0])
    for place, name in enumerate(names):
        spread = found[name]
        if spread:
            layout.draw_bar(panel, place, _BAR_WIDTH, spread, styles[name])
        else:
            layout.mark_gap(panel, place, 0.03, points.of_primitives(name).failure_word(),
                            panel.get_xaxis_transform())
    panel.set_xticks([])
    panel.set_ylabel("cycles of the chain")
    panel.set_xlim(-0.6, len(names) - 0.4)
    panel.grid(axis="y")
    caption = (f"Chains of {points.values('warps')[0]} warps; each warp waits for the previous one "
               "(ICS'15, figure 4). Bars: medians of all rounds; whiskers: from the 5th to the "
               "95th percentile.")
    return layout.finish(figure, f"Chains of warps: cycles by scheme ({results.gpu_name})", caption,
                         results, layout.legend_of([panel]), 3, "scheme")


CYCLES = Drawing("cycles", "chains from warp to warp", draw)


WORKLOAD = Workload(
    program="chain",
    operation="hop",
    families={"channels": "one_token"},
    small_run="--warps 4 --distance 32 --rounds 4",
    figures={"gpu": (CYCLES,)},
    tables={"gpu": gpu_tables, "host": operation_tables},
)
