"""Throughput over the number of thread blocks per SM, one panel per collision factor."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import hash_table
from ..loading import Results
from ..points import Point, Spread, of, primitives, select, values
from . import style

NAME = "contention"
PROGRAMS, ON_GPU = ("ht",), True
NEEDS = "a lock at two numbers of thread blocks per SM"


def draw(results: Results) -> Figure | None:
    """M inserts/s, log scale shared by the panels, one line per lock.

    Servers, whose thread blocks mean something else, are level lines at their best.
    """
    everything = hash_table.inserts(results)
    points = hash_table.grid_sweep(everything)
    grids = values(points, "tbs_per_sm")
    if len(grids) < 2:
        return None
    threads = points[0].axes["threads_per_block"]
    factors = values(points, "collision_factor")
    names = primitives(points)
    servers = {factor: _best_servers(select(everything, collision_factor=factor))
               for factor in factors}
    good = [point for point in points if point.ok]
    good += [point for best in servers.values() for point in best.values()]
    shown = [_rate(point).median for point in good] or [1.0, 10.0]
    figure, panels = style.panels_by_row(len(factors))
    style.log_axis(panels[0].yaxis, min(shown), max(shown))
    stacked = 0
    for panel, factor in zip(panels, factors):
        here = select(points, collision_factor=factor)
        for primitive in names:
            _draw_line(panel, of(here, primitive), grids)
        for server, point in servers[factor].items():
            look = style.look(server)
            panel.axhline(_rate(point).median, color=look.colour, linestyle=look.dashes,
                          linewidth=1.1, label=f"{look.label} (best)")
        stacked = max(stacked, _mark_failures(panel, here, grids))
        panel.set_title(f"collision factor {style.count_label(factor)}")
        panel.set_xticks(range(len(grids)), [str(grid) for grid in grids])
        panel.set_xlim(-0.35, len(grids) - 0.65)
        panel.grid(axis="y")
    style.leave_room_for_failures(panels, min(shown), max(shown), stacked)
    for first in panels[::style.PANELS_A_ROW]:
        first.set_ylabel("M inserts/s")

    handles, labels = style.legend_of(panels)
    caption = (f"Thread blocks of {threads} threads. Medians of the repetitions, whiskers are "
               "quartiles."
               + (" Level lines: the best of all grids of a server." if any(servers.values())
                  else "")
               + (" Crossed out: no result, for the reason written." if stacked else ""))
    return style.finish(figure, f"Hash-table insertion, throughput by contention: "
                                f"{results.gpu_name}", caption, results, (handles, labels),
                        7 if len(labels) <= 7 else 5, "thread blocks per SM")


def _rate(point: Point) -> Spread:
    return hash_table.rate(point).scaled(1e-6)


def _best_servers(points: list[Point]) -> dict[str, Point]:
    best = {server: hash_table.best(of(points, server))
            for server in hash_table.servers_in(points)}
    return {server: point for server, point in best.items() if point}


def _draw_line(panel: Axes, line: list[Point], grids: list[int]) -> None:
    best = [hash_table.best(select(line, tbs_per_sm=grid)) for grid in grids]
    good = [point for point in best if point]
    if not good:
        return
    look = style.look(good[0].primitive)
    style.draw_spreads(
        panel, [grids.index(point.axes["tbs_per_sm"]) for point in good],
        [_rate(point) for point in good],
        color=look.colour, marker=look.marker, linestyle=look.dashes, label=look.label,
        markeredgecolor="white", markeredgewidth=0.4)


def _mark_failures(panel: Axes, points: list[Point], grids: list[int]) -> int:
    """Marks the failed points of a panel; the height of the highest stack of marks."""
    highest = 0
    for place, grid in enumerate(grids):
        looks = [(point.status, style.look(point.primitive))
                 for point in select(points, tbs_per_sm=grid) if not point.ok]
        failed = [(word, look.marker, look.colour) for word, look in looks]
        if failed:
            style.mark_failures(panel, place, failed)
        highest = max(highest, len(failed))
    return highest
