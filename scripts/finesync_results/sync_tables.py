"""Synchronization sweeps as tables: time, fairness, counts, traffic, the fastest."""

from __future__ import annotations

import re
from collections.abc import Callable

from . import sync_sweeps
from .loading import Results
from .markdown import Table, by_factor, three_digits
from .points import Point, Points, failure_word, median, select, values
from .sync_sweeps import Setting
from .winners import Winner, fields

_HEADING = "thread blocks per SM"
# A poll is a read. What ncu calls a reduction is an atomic whose result nobody wanted.
SECTORS = {"reads": ("l2_sectors_read",), "writes": ("l2_sectors_write",),
           "atomics": ("l2_sectors_atomic", "l2_sectors_reduction")}
Cell = Callable[[Points], str]


def times(results: Results) -> list[Table]:
    """Of a GPU: times of sweeps, what --tune found, fairness, and the fastest."""
    found = sync_sweeps.sweeps(sync_sweeps.measured(results))
    if not found:
        return []
    operation = _operation(results)
    chosen = sync_sweeps.by_setting(sync_sweeps.tuned(results))
    return [*(_table("time", which, points, _time_cell, f"Microseconds per {operation}, {{}}:")
              for which, points in found.items()),
            *(_table("tuned", which, points, _tuned_cell,
                     f"Microseconds per {operation} of what --tune finds, {{}}:")
              for which, points in chosen.items()),
            *_fairness(results), _winners(results)]


def counts(results: Results) -> list[Table]:
    """Of the host executor: atomics, fences and polls."""
    def cell(point: Point) -> str:
        own = [sync_sweeps.counted(results, point, count)
               for count in sync_sweeps.COUNTS.values()]
        return " / ".join(three_digits(count.median) if count else "-" for count in own)

    title = f"Per {_operation(results)}, counted on the host executor, " \
        f"{' / '.join(sync_sweeps.COUNTS)}, {{}}:"
    return [_table("counts", which, points, of_first_ok(cell), title) for which, points
            in sync_sweeps.sweeps(sync_sweeps.measured(results)).items()]


def traffic(results: Results) -> list[Table]:
    """Of ncu: L2 sectors."""
    def cell(point: Point) -> str:
        return " / ".join(three_digits(sectors_per_operation(point, kind)) for kind in SECTORS)

    title = f"L2 sectors per {_operation(results)}, counted by ncu, {' / '.join(SECTORS)}, {{}}:"
    return [_table("sectors", which, points, of_first_ok(cell), title) for which, points
            in sync_sweeps.sweeps(sync_sweeps.measured(results)).items()]


def sectors_per_operation(point: Point, kind: str) -> float:
    """L2 sectors of an ok point; `kind` is a key of SECTORS."""
    return sum(median(point, name) or 0.0 for name in SECTORS[kind]) / point["operations"]


def of_first_ok(cell: Callable[[Point], str]) -> Cell:
    """A cell about the first ok point, or a word for why there is none."""
    def text(points: Points) -> str:
        good = points[points["ok"]]
        return failure_word(points) if good.empty else cell(good.iloc[0])
    return text


def microseconds(seconds: float) -> str:
    """A time, with three digits."""
    return three_digits(seconds * 1e6)


def _operation(results: Results) -> str:
    assert results.workload is not None
    return results.workload.operation


def _table(what: str, which: Setting, points: Points, cell: Cell, title: str) -> Table:
    """A row per variant and a column per number of thread blocks."""
    said = sync_sweeps.words(which)
    grids = sync_sweeps.grids(points)
    return Table(f"{what}-{slug(said)}", title.format(said), by_factor(_HEADING, grids, {
        name: [cell(select(sync_sweeps.of(points, name), tbs_per_sm=blocks)) for blocks in grids]
        for name in sync_sweeps.variants(points)}))


def slug(words: str) -> str:
    """Words as a part of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower().replace(",", "")).strip("-")


def _time_cell(points: Points) -> str:
    best = sync_sweeps.best(points)
    return failure_word(points) if best is None else microseconds(sync_sweeps.time(best).median)


def _tuned_cell(points: Points) -> str:
    best = sync_sweeps.best(points)
    if best is None:
        return failure_word(points)
    chosen = ", ".join(f"{axis.replace('_', '-')} {value}" for axis, value in best["tuned"].items())
    return f"{microseconds(sync_sweeps.time(best).median)} ({chosen or 'nothing to choose'})"


def fairness_sweeps(results: Results) -> dict[int, tuple[Setting, Points]]:
    """By size (0 where there are none) the main sweep of those that say who got in how often."""
    points = sync_sweeps.measured(results)
    points = points[points["acquisitions_gini"].notna() | ~points["ok"]]
    found = {size: sync_sweeps.main_sweep(select(points, size=size))
             for size in values(points, "size") or [0]}
    return {size: main for size, main in found.items() if main}


def _fairness(results: Results) -> list[Table]:
    return [_table("fairness", which, points, of_first_ok(_shares),
                   "Acquisitions per thread block in a run of fixed duration, fewest to most, "
                   "their Gini coefficient, and 99th percentile of waits, {}:")
            for which, points in fairness_sweeps(results).values() if points["ok"].any()]


def _shares(point: Point) -> str:
    fewest, most, gini, wait = (median(point, name) for name in (
        "acquisitions_min", "acquisitions_max", "acquisitions_gini", "wait_p99_ns"))
    return (f"{_whole(fewest)} to {_whole(most)}, {gini:.2f}, "
            + ("-" if wait is None else f"{microseconds(wait * 1e-9)} us"))


def _whole(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _winners(results: Results) -> Table:
    assert results.workload is not None and results.workload.chart is not None
    rows = fields(results)
    grids = sorted({blocks for row in rows for blocks in row.winners})
    title = f"The fastest, its microseconds per {_operation(results)}, and the time of " \
        f"`{results.workload.chart.library}` over that:"
    return Table("fastest", title, by_factor(_HEADING, grids, {
        row.label: [_winner_cell(row.winners.get(blocks, "not run")) for blocks in grids]
        for row in rows}))


def _winner_cell(winner: Winner | str) -> str:
    if isinstance(winner, str):
        return winner
    behind = winner.library if isinstance(winner.library, str) else f"{winner.library:.3g}x"
    return f"{winner.variant} {microseconds(winner.microseconds * 1e-6)} ({behind})"
