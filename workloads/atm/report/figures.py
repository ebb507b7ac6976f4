"""Figures of bank transfers: throughput by the number of accounts, longer sections, traffic."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync.figures import layout, section_length, server_traffic
from finesync.figures.styles import styles_of
from finesync.results.loading import Results
from finesync.results.workload import Drawing

from .tables import COMPARISON, PICKS, as_in_the_paper, transfers

def draw_rates(results: Results) -> Figure | None:
    """M transfers/s on a log scale that the panels share; one line per primitive at its best grids."""
    points = transfers(results)
    factors = points.values("collision_factor")
    skews = points.values("skew")
    if len(factors) < 2:
        return None
    styles = styles_of(results)
    figure, panels = layout.panels_by_row(len(skews))
    shown: list[float] = []
    for panel, picks in zip(panels, skews):
        here = points.select(skew=picks)
        for name in here.primitives():
            at = {place: here.of_primitives(name).select(collision_factor=factor).fastest_point()
                  for place, factor in enumerate(factors)}
            rates = {place: point.rate.scaled(1e-6) for place, point in at.items()
                     if point is not None}
            if not rates:
                continue
            style = styles[name]
            layout.draw_spreads(
                panel, list(rates), list(rates.values()), color=style.colour, marker=style.marker,
                linestyle=style.dashes, label=style.label, markeredgecolor="white",
                markeredgewidth=0.4)
            shown += [one.median for one in rates.values()]
        panel.set_title(f"choice of accounts: {PICKS[picks]}")
        panel.set_xticks(range(len(factors)), [layout.count_label(factor) for factor in factors])
        panel.set_xlim(-0.35, len(factors) - 0.65)
        panel.grid(axis="y")
    layout.log_axis(panels[0].yaxis, min(shown or [1.0]), max(shown or [10.0]))
    panels[0].set_ylabel("M transfers/s")
    handles, labels = layout.legend_of(panels)
    caption = ("Each at its best launch configuration. Medians of the repetitions, whiskers are "
               "quartiles.")
    return layout.finish(figure, f"Bank transfers: throughput by number of accounts ({results.gpu_name})",
                         caption, results, (handles, labels),
                         4, "accounts")


RATES = Drawing("rates", "bank transfers at two numbers of accounts", draw_rates)


SECTION_LENGTH = section_length.drawing(
    as_in_the_paper, lambda results: transfers(results).select(skew="uniform"), "Bank transfers",
    "accounts")
TRAFFIC = server_traffic.drawing(COMPARISON, "Bank transfers", "accounts")
