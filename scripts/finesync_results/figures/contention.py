"""Throughput over the number of thread blocks per SM, one panel per collision factor."""

from __future__ import annotations

import statistics

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..loading import Results
from ..points import Point, Spread, gather, primitives, select, values
from . import style

NAME = "contention"


def draw(results: Results) -> Figure | None:
    """M inserts/s, log scale shared by the panels, one line per primitive."""
    if not results.on_gpu or results.program != "ht":
        return None
    points = select(gather(results.rows), lock_padding=0, cs_extra=0)
    threads = statistics.mode(point.axes["threads_per_block"] for point in points) if points else 0
    points = select(points, threads_per_block=threads)
    grids = values(points, "tbs_per_sm")
    good = [_rate(point).median for point in points if point.ok] or [1.0, 10.0]
    if len(grids) < 2:
        return None
    factors = values(points, "collision_factor")
    names = primitives(points)
    figure, panels = plt.subplots(1, len(factors), figsize=(style.WIDTH_IN, 3.8), sharex=True,
                                  sharey=True, squeeze=False)
    style.log_axis(panels[0, 0].yaxis, min(good), max(good))
    stacked = 0
    for panel, factor in zip(panels[0], factors):
        here = select(points, collision_factor=factor)
        for primitive in names:
            _draw_line(panel, [point for point in here if point.primitive == primitive], grids)
        stacked = max(stacked, _mark_failures(panel, here, grids))
        panel.set_title(f"collision factor {style.count_label(factor)}")
        panel.set_xticks(range(len(grids)), [str(grid) for grid in grids])
        panel.set_xlim(-0.35, len(grids) - 0.65)
        panel.grid(axis="y")
    style.leave_room_for_failures(panels[0], min(good), max(good), stacked)
    panels[0, 0].set_ylabel("M inserts/s")

    caption = (f"Thread blocks of {threads} threads. Medians of the repetitions, whiskers are "
               "quartiles."
               + (" Crossed out: no result, for the reason written." if stacked else ""))
    return style.finish(figure, f"Hash-table insertion, throughput by contention: "
                                f"{results.gpu_name}", caption, results,
                        style.legend_of(panels[0]), len(names), "thread blocks per SM")


def _rate(point: Point) -> Spread:
    return point.seconds().inverse().scaled(point.axes["inserts"] / 1e6)


def _draw_line(panel: Axes, line: list[Point], grids: list[int]) -> None:
    good = sorted((point for point in line if point.ok), key=lambda p: p.axes["tbs_per_sm"])
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
