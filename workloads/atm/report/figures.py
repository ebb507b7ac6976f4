"""Figures of bank transfers: throughput by the number of accounts, longer sections, traffic."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync.figures import layout, lines, scales, section_length, server_traffic
from finesync.figures.legibility.panels import MOST_LINES
from finesync.figures.styles import styles_of
from finesync.query.numbers import Spread, exactly
from finesync.query.points import PointTable
from finesync.results.catalogue import with_roles
from finesync.results.loading import Results
from finesync.results.workload import Drawing

from .tables import COMPARISON, FAMILIES, PICKS, across_gpus, as_in_the_paper, transfers

def draw_rates(results: Results) -> Figure | None:
    """A panel for each choice of accounts."""
    points = transfers(results)
    return _draw(results, points, {f"choice of accounts: {PICKS[picks]}": points.select(skew=picks)
                                   for picks in points.values("skew")}, "Bank transfers")


def draw_across_gpus(results: Results) -> Figure | None:
    """A panel for each number of GPUs."""
    points = across_gpus(results)
    return _draw(results, points, {f"GPUs: {gpus}": own for gpus, own in points.by("gpus").items()},
                 "Bank transfers on several GPUs")


def _draw(results: Results, points: PointTable, of_panels: dict[str, PointTable], title: str) -> Figure | None:
    """M transfers/s on a log scale; one line per primitive at its best grids."""
    factors = points.values("collision_factor")[::-1]
    if len(factors) < 2:
        return None
    styles = styles_of(results)
    figure, panels = layout.panels_by_row(len(of_panels), one_scale=False)
    rates = {name: _rates(own, factors) for name, own in of_panels.items()}
    ranked = _worth_a_line(list(rates.values()))
    left_out: list[str] = []
    for panel, name_of_panel in zip(panels, of_panels):
        here = {name: line for name, line in rates[name_of_panel].items() if line}
        inside = [name for name in ranked if name in here]
        names = inside[:MOST_LINES]
        left_out += inside[MOST_LINES:]
        for name in points.primitives():
            if name in names:
                layout.draw_line(panel, list(here[name]), list(here[name].values()), styles[name])
        scales.fit_log_y([panel], [rate.median for name in names for rate in here[name].values()])
        panel.set_title(name_of_panel)
        layout.name_slots(panel, map(layout.count_label, factors))
    panels[0].set_ylabel("M transfers/s")
    caption = ("Each at its best launch configuration. The fewer accounts, the more contention. "
               "Medians of the repetitions; whiskers are quartiles. Scales differ between panels."
               + lines.not_drawn(left_out, styles))
    return layout.finish(figure, f"{title}: throughput by number of accounts ({results.gpu_name})", caption,
                         results, layout.legend_of(panels), "accounts")


def _rates(points: PointTable, factors: list[int]) -> dict[str, dict[int, Spread]]:
    """Millions of transfers per second of each primitive, by the place of its accounts."""
    return {name: own.over("collision_factor", factors, lambda point: point.rate.scaled(1e-6))
            for name, own in points.by_primitive().items()}


def _worth_a_line(rates: list[dict[str, dict[int, Spread]]]) -> list[str]:
    """The paper's locks and servers, then the others from the fastest to the slowest."""
    times = [{name: {place: exactly(1 / rate.median) for place, rate in line.items()}
              for name, line in own.items()} for own in rates]
    return lines.worth_a_line(times, with_roles("atm", FAMILIES, "paper_lock", "paper_server"))


RATES = Drawing("rates", "bank transfers at two numbers of accounts", draw_rates)
RATES_ACROSS_GPUS = Drawing("rates", "bank transfers on several GPUs at two numbers of accounts", draw_across_gpus)


SECTION_LENGTH = section_length.drawing(
    as_in_the_paper, lambda results: transfers(results).select(skew="uniform"), "Bank transfers",
    "accounts")
TRAFFIC = server_traffic.drawing(COMPARISON, "Bank transfers", "accounts")
