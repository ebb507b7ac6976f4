"""Who gets the lock: acquisitions per block, their inequality, and the longest waits."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import contest
from ..loading import Results
from ..points import Point, Spread, failure_word, select
from . import lines, style

NAME = "fairness"
PROGRAMS, ON_GPU = ("mutex", "semaphore"), True
NEEDS = "acquisitions per block at two numbers of thread blocks per SM"
_TITLES = {"mutex": "Mutexes: fairness", "semaphore": "Semaphores: fairness"}


def draw(results: Results) -> Figure | None:
    """A row of panels per size: fewest and most at the largest grid, Gini and waits by grid."""
    counted = [point for point in contest.measured(results)
               if point.has("acquisitions_gini") or not point.ok]
    rows = {size: found[1] for size, found in (
        (size, contest.main_sweep(select(counted, size=size)))
        for size in sorted({contest.setting(point).size for point in counted})) if found}
    if not any(point.ok for points in rows.values() for point in points):
        return None
    figure, panels = plt.subplots(len(rows), 3, figsize=(style.WIDTH_IN, 1.7 + 2.5 * len(rows)),
                                  squeeze=False, sharex="col")
    failed = False
    for (shares, gini, wait), (size, points) in zip(panels, rows.items()):
        grids = lines.grids(points)
        _draw_shares(shares, select(points, tbs_per_sm=grids[-1]), contest.variants(points))
        inequality, waits = lines.Drawn(), lines.Drawn()
        lines.draw_panel(inequality, gini, points, "tbs_per_sm", grids, _inequality)
        lines.draw_panel(waits, wait, points, "tbs_per_sm", grids, _long_wait)
        inequality.on_linear_axis(0, 1)
        waits.on_log_axis()
        failed |= waits.failed
        shares.set_ylabel(("" if not size else f"size {size}: ") + "acquisitions per block")
        gini.set_ylabel("Gini coefficient")
        wait.set_ylabel("99th percentile of waits, us")
        shares.set_title(f"fewest to most, {grids[-1]} TBs/SM")
        gini.set_title("inequality among blocks")
        wait.set_title("long waits")
    for _, gini, wait in panels[-1:]:
        gini.set_xlabel("thread blocks per SM")
        wait.set_xlabel("thread blocks per SM")
    caption = ("From a run of fixed duration: how often each thread block got in. 0: all blocks "
               "equally often; 1: one block alone. Waits: 99 of 100 are shorter."
               + (" Crossed out: no result, for the reason written." if failed else ""))
    return style.finish(figure, f"{_TITLES[results.program]}: {results.gpu_name}", caption, results,
                        style.legend_of(panels.flat), 4)


def shares_of(point: Point) -> tuple[float, float] | None:
    """The fewest and the most acquisitions of a block, of an ok point that holds them."""
    ends = [f"acquisitions_{end}" for end in ("min", "max")]
    if not all(point.has(end) for end in ends):
        return None
    fewest, most = (point.counter(end).median for end in ends)
    return fewest, most


def _draw_shares(panel: Axes, points: list[Point], names: list[str]) -> None:
    panel.set_yscale("symlog", linthresh=1)  # some block may get in never
    panel.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    for place, name in enumerate(names):
        own, look = contest.of(points, name), style.look(name)
        ends = next(filter(None, map(shares_of, own)), None)
        if ends is None:
            style.mark_gap(panel, place, 0.04, failure_word(own), panel.get_xaxis_transform())
            continue
        panel.plot([place, place], ends, color=look.colour, linewidth=2.2,
                   marker=look.marker, markersize=5, markeredgecolor="white",
                   markeredgewidth=0.4)
    panel.set_ylim(bottom=0)
    panel.set_xlim(-0.6, len(names) - 0.4)
    panel.set_xticks([])
    panel.grid(axis="y")


def _inequality(point: Point) -> Spread | None:
    name = "acquisitions_gini"
    return point.counter(name) if point.has(name) else None


def _long_wait(point: Point) -> Spread | None:
    return lines.positive(point.counter("wait_p99_ns").scaled(1e-3))
