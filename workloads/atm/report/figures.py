"""Figures of bank transfers: throughput by the number of accounts, longer sections, traffic."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync.figures import layout, lines, scales, section_length, server_traffic
from finesync.figures.legibility.panels import MOST_LINES
from finesync.figures.styles import styles_of
from finesync.results.catalogue import with_roles
from finesync.results.loading import Results
from finesync.results.point_table import PointTable, Spread
from finesync.results.workload import Drawing

from .tables import COMPARISON, FAMILIES, PICKS, as_in_the_paper, transfers

def draw_rates(results: Results) -> Figure | None:
    """M transfers/s on a log scale that the panels share; one line per primitive at its best grids."""
    points = transfers(results)
    factors = points.values("collision_factor")[::-1]
    skews = points.values("skew")
    if len(factors) < 2:
        return None
    styles = styles_of(results)
    figure, panels = layout.panels_by_row(len(skews), one_scale=False)
    rates = {picks: _rates(points.select(skew=picks), factors) for picks in skews}
    ranked = _worth_a_line(list(rates.values()))
    for panel, picks in zip(panels, skews):
        here = {name: line for name, line in rates[picks].items() if line}
        names = [name for name in ranked if name in here][:MOST_LINES]
        for name in points.primitives():
            if name in names:
                layout.draw_line(panel, list(here[name]), list(here[name].values()), styles[name])
        scales.fit_log_y([panel], [rate.median for name in names for rate in here[name].values()])
        panel.set_title(f"choice of accounts: {PICKS[picks]}")
        panel.set_xticks(range(len(factors)), [layout.count_label(factor) for factor in factors])
        panel.set_xlim(-0.35, len(factors) - 0.65)
        panel.grid(axis="y")
    panels[0].set_ylabel("M transfers/s")
    caption = ("Each at its best launch configuration. The fewer accounts, the more contention. "
               "Medians of the repetitions; whiskers are quartiles. Scales differ between panels."
               + lines.FEWER * (len(ranked) > MOST_LINES))
    return layout.finish(figure, f"Bank transfers: throughput by number of accounts ({results.gpu_name})",
                         caption, results, layout.legend_of(panels), "accounts")


def _rates(points: PointTable, factors: list[int]) -> dict[str, dict[int, Spread]]:
    """Millions of transfers per second of each primitive, by the place of its accounts."""
    best = {name: {place: own.select(collision_factor=factor).fastest_point()
                   for place, factor in enumerate(factors)}
            for name, own in points.by_primitive().items()}
    return {name: {place: point.rate.scaled(1e-6) for place, point in line.items() if point}
            for name, line in best.items()}


def _worth_a_line(rates: list[dict[str, dict[int, Spread]]]) -> list[str]:
    """The paper's locks and servers, then the others from the fastest to the slowest."""
    times = [{name: {place: Spread(*[1 / rate.median] * 3) for place, rate in line.items()}
              for name, line in own.items()} for own in rates]
    return lines.worth_a_line(times, with_roles("atm", FAMILIES, "paper_lock", "paper_server"))


RATES = Drawing("rates", "bank transfers at two numbers of accounts", draw_rates)


SECTION_LENGTH = section_length.drawing(
    as_in_the_paper, lambda results: transfers(results).select(skew="uniform"), "Bank transfers",
    "accounts")
TRAFFIC = server_traffic.drawing(COMPARISON, "Bank transfers", "accounts")
