"""Throughput over the number of accounts, a panel for each way to pick them."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync_results import collisions
from finesync_results.figures import layout
from finesync_results.figures.styles import styles_of
from finesync_results.loading import Results
from finesync_results.points import of, primitives, select, values
from finesync_results.workload import Drawing

from .transfers import PICKS, transfers


def draw(results: Results) -> Figure | None:
    """M transfers/s, log scale shared by the panels, one line per primitive at its best grids."""
    points = transfers(results)
    factors = values(points, "collision_factor")
    skews = values(points, "skew")
    if len(factors) < 2:
        return None
    styles = styles_of(results)
    figure, panels = layout.panels_by_row(len(skews))
    shown: list[float] = []
    for panel, picks in zip(panels, skews):
        here = select(points, skew=picks)
        for name in primitives(here):
            at = {place: collisions.best(select(of(here, name), collision_factor=factor))
                  for place, factor in enumerate(factors)}
            rates = {place: collisions.rate(point).scaled(1e-6) for place, point in at.items() if point is not None}
            if not rates:
                continue
            style = styles[name]
            layout.draw_spreads(
                panel, list(rates), list(rates.values()), color=style.colour, marker=style.marker,
                linestyle=style.dashes, label=style.label, markeredgecolor="white",
                markeredgewidth=0.4)
            shown += [one.median for one in rates.values()]
        panel.set_title(f"accounts picked: {PICKS[picks]}")
        panel.set_xticks(range(len(factors)), [layout.count_label(factor) for factor in factors])
        panel.set_xlim(-0.35, len(factors) - 0.65)
        panel.grid(axis="y")
    layout.log_axis(panels[0].yaxis, min(shown or [1.0]), max(shown or [10.0]))
    panels[0].set_ylabel("M transfers/s")
    handles, labels = layout.legend_of(panels)
    caption = ("Each at the grid at which it is fastest. Medians of the repetitions, whiskers are "
               "quartiles.")
    return layout.finish(figure, f"Bank transfers, throughput by contention: {results.gpu_name}",
                         caption, results, (handles, labels),
                         4, "accounts")


RATES = Drawing("rates", "bank transfers at two numbers of accounts", draw)
