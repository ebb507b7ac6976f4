"""Throughput over the number of thread blocks per SM, one panel per collision factor."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from finesync_results import collisions
from finesync_results.figures import layout
from finesync_results.figures.styles import Styles, styles_of
from finesync_results.loading import Results
from finesync_results.points import Point, Points, Spread, each, of, primitives, select, values
from finesync_results.workload import Drawing

from . import inserts


def draw(results: Results) -> Figure | None:
    """M inserts/s, log scale shared by the panels, one line per lock.

    Servers, whose thread blocks mean something else, are level lines at their best.
    """
    everything = inserts.inserts(results)
    points = inserts.grid_sweep(everything)
    grids = values(points, "tbs_per_sm")
    if len(grids) < 2:
        return None
    styles = styles_of(results)
    factors = values(points, "collision_factor")
    names = primitives(points)
    servers = {factor: _best_servers(select(everything, collision_factor=factor))
               for factor in factors}
    good = each(points[points["ok"]])
    good += [point for best in servers.values() for point in best.values()]
    shown = [_rate(point).median for point in good] or [1.0, 10.0]
    figure, panels = layout.panels_by_row(len(factors))
    layout.log_axis(panels[0].yaxis, min(shown), max(shown))
    stacked = 0
    for panel, factor in zip(panels, factors):
        here = select(points, collision_factor=factor)
        for primitive in names:
            _draw_line(panel, of(here, primitive), grids, styles)
        for server, point in servers[factor].items():
            style = styles[server]
            panel.axhline(_rate(point).median, color=style.colour, linestyle=style.dashes,
                          linewidth=1.1, label=f"{style.label} (best)")
        stacked = max(stacked, _mark_failures(panel, here, grids, styles))
        panel.set_title(f"collision factor {layout.count_label(factor)}")
        panel.set_xticks(range(len(grids)), [str(grid) for grid in grids])
        panel.set_xlim(-0.35, len(grids) - 0.65)
        panel.grid(axis="y")
    layout.leave_room_for_failures(panels, min(shown), max(shown), stacked)
    for first in panels[::layout.PANELS_A_ROW]:
        first.set_ylabel("M inserts/s")

    handles, labels = layout.legend_of(panels)
    caption = (f"Thread blocks of {inserts.block_sizes(points)} threads. Medians of the "
               "repetitions, whiskers are quartiles."
               + (" Level lines: the best of all grids of a server." if any(servers.values())
                  else "")
               + (" Crossed out: no result, for the reason written." if stacked else ""))
    return layout.finish(figure, f"Hash-table insertion, throughput by contention: "
                                f"{results.gpu_name}", caption, results, (handles, labels),
                        7 if len(labels) <= 7 else 4, "thread blocks per SM")


def _rate(point: Point) -> Spread:
    return collisions.rate(point).scaled(1e-6)


def _best_servers(points: Points) -> dict[str, Point]:
    best = {server: collisions.best(of(points, server)) for server in inserts.servers_in(points)}
    return {server: point for server, point in best.items() if point is not None}


def _draw_line(panel: Axes, line: Points, grids: list[int], styles: Styles) -> None:
    best = {place: collisions.best(select(line, tbs_per_sm=grid)) for place, grid in enumerate(grids)}
    good = {place: point for place, point in best.items() if point is not None}
    if not good:
        return
    style = styles[line.iloc[0]["primitive"]]
    layout.draw_spreads(
        panel, list(good), [_rate(point) for point in good.values()],
        color=style.colour, marker=style.marker, linestyle=style.dashes, label=style.label,
        markeredgecolor="white", markeredgewidth=0.4)


def _mark_failures(panel: Axes, points: Points, grids: list[int], styles: Styles) -> int:
    """Marks the failed points of a panel; the height of the highest stack of marks."""
    highest = 0
    for place, grid in enumerate(grids):
        here = select(points[~points["ok"]], tbs_per_sm=grid)
        own = [(word, styles[name]) for word, name in zip(here["ended"], here["primitive"])]
        failed = [(word, style.marker, style.colour) for word, style in own]
        if failed:
            layout.mark_failures(panel, place, failed)
        highest = max(highest, len(failed))
    return highest


CONTENTION = Drawing("contention", "a lock at two numbers of thread blocks per SM", draw)
