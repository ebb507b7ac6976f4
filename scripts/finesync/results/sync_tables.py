"""Synchronization sweeps as tables: time, fairness, counts, traffic, the fastest."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..query.points import PointRow, PointTable
from ..query.tables import COUNTS, Table, best_cell, table_by, tables_by, three_digits, time_cell
from . import sync_sweeps
from .fastest import Winner, fields
from .loading import Results
from .registry import workload_of
from .sync_sweeps import Setting

_HEADING = "thread blocks per SM"
# A poll is a read. What ncu calls a reduction is an atomic whose result is not used.
SECTORS = {"reads": ("l2_sectors_read",), "writes": ("l2_sectors_write",),
           "atomics": ("l2_sectors_atomic", "l2_sectors_reduction")}
# Why warps stall, by Nsight Compute's names.
STALLS = {"block barriers": "stalled_barrier_percent", "fences": "stalled_membar_percent",
          "back-off": "stalled_sleeping_percent", "global memory": "stalled_long_scoreboard_percent"}
COUNTED = " / ".join(COUNTS)
Cell = Callable[[PointTable], str]
_time_cell = time_cell(1e6)


def times(results: Results) -> list[Table]:
    """Tables of a GPU: times of sweeps, results of --tune, fairness, and the fastest."""
    operation = _operation(results)
    found = _of_sweeps(sync_sweeps.measured(results), "time", _time_cell, f"Microseconds per {operation}, {{}}:")
    chosen = sync_sweeps.by_setting(sync_sweeps.tuned(results))
    return [*found, *(_table("tuned", which, points, _tuned_cell,
                     f"Microseconds per {operation} at the parameters that --tune chose, {{}}:")
              for which, points in chosen.items()),
            *_fairness(results), _winners(results)] if found else []


def counts(results: Results) -> list[Table]:
    """Tables of the host executor: atomics, fences and polls."""
    title = f"Per {_operation(results)}, counted on the host executor, {COUNTED}, {{}}:"
    return _of_sweeps(sync_sweeps.measured(results), "counts", counts_cell(results), title)


def times_across_gpus(results: Results) -> list[Table]:
    """Times of what several GPUs do together: a table for each number of GPUs."""
    return _across_gpus(results, time_cell(1e6), f"Microseconds per {_operation(results)}, GPUs: {{group}}:")


def counts_across_gpus(results: Results) -> list[Table]:
    """The same for counts of the host executor."""
    return _across_gpus(results, counts_cell(results), f"Per {_operation(results)}, counted on the host "
                        f"executor, {COUNTED}, GPUs: {{group}}:")


def _across_gpus(results: Results, cell: Cell, title: str) -> list[Table]:
    return tables_by(sync_sweeps.across_gpus(results).by("gpus"), "tbs_per_sm", cell, "gpus-{group}", title, _HEADING)


def counts_cell(results: Results) -> Cell:
    """A cell with the counts of the first ok point per operation."""
    def cell(point: PointRow) -> str:
        own = [sync_sweeps.count_per_operation(results, point, count) for count in COUNTS.values()]
        return " / ".join(three_digits(count.median) if count else "-" for count in own)
    return of_first_ok(cell)


def traffic(results: Results) -> list[Table]:
    """Tables of ncu: L2 sectors, and why warps stall where that was counted."""
    def cell(point: PointRow) -> str:
        return " / ".join(three_digits(sectors_per_operation(point, kind)) for kind in SECTORS)

    def shares(point: PointRow) -> str:
        found = map(point.median, STALLS.values())
        return " / ".join("-" if share is None else three_digits(share) for share in found)

    title = f"L2 sectors per {_operation(results)}, counted by ncu, {' / '.join(SECTORS)}, {{}}:"
    of_stalls = "Percent of the stalls of warps, by ncu, that wait for " \
        f"{' / '.join(STALLS)}, {{}}:"
    found = sync_sweeps.measured(results).with_columns(*STALLS.values())
    stalled = found.where(found[next(iter(STALLS.values()))].notna())
    return [*_of_sweeps(found, "sectors", of_first_ok(cell), title),
            *_of_sweeps(stalled, "stalls", of_first_ok(shares), of_stalls)]


def _of_sweeps(points: PointTable, what: str, cell: Cell, title: str) -> list[Table]:
    return [_table(what, which, own, cell, title) for which, own in sync_sweeps.sweeps(points).items()]


def sectors_per_operation(point: PointRow, kind: str) -> float:
    """L2 sectors of an ok point; `kind` is a key of SECTORS."""
    return sum(point.median(name) or 0.0 for name in SECTORS[kind]) / point["operations"]


def of_first_ok(cell: Callable[[PointRow], str]) -> Cell:
    """A cell for the first ok point."""
    return best_cell(cell, first=True)


def microseconds(seconds: float) -> str:
    """A time, with three digits."""
    return three_digits(seconds * 1e6)


def _operation(results: Results) -> str:
    workload = workload_of(results)
    assert workload is not None
    return workload.operation


def _table(what: str, which: Setting, points: PointTable, cell: Cell, title: str) -> Table:
    """A row per variant and a column per number of thread blocks."""
    said = sync_sweeps.words(which)
    return table_by("tbs_per_sm", points.by_variant(), cell, f"{what}-{slug(said)}", title.format(said), _HEADING)[0]


def slug(words: str) -> str:
    """Words in the form of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower().replace(",", "")).strip("-")


@best_cell
def _tuned_cell(best: PointRow) -> str:
    chosen = ", ".join(f"{axis.replace('_', '-')} {value}" for axis, value in best["tuned"].items())
    return f"{microseconds(best.time.median)} ({chosen or 'nothing to choose'})"


def fairness_sweeps(results: Results) -> dict[int, tuple[Setting, PointTable]]:
    """The main sweep of the points that count acquisitions, by size (0 if there are none)."""
    points = sync_sweeps.measured(results)
    points = points.where(points["acquisitions_gini"].notna() | ~points["ok"])
    found = {size: sync_sweeps.main_sweep(points.select(size=size)) for size in points.values("size") or [0]}
    return {size: main for size, main in found.items() if main}


def _fairness(results: Results) -> list[Table]:
    return [_table("fairness", which, points, of_first_ok(_shares),
                   "Acquisitions per thread block in a run of fixed duration, fewest to most, "
                   "their Gini coefficient, and 99th percentile of waits, {}:")
            for which, points in fairness_sweeps(results).values() if points["ok"].any()]


def _shares(point: PointRow) -> str:
    fewest, most, gini, wait = (point.median(name) for name in (
        "acquisitions_min", "acquisitions_max", "acquisitions_gini", "wait_p99_ns"))
    return (f"{_whole(fewest)} to {_whole(most)}, {gini:.2f}, "
            + ("-" if wait is None else f"{microseconds(wait * 1e-9)} us"))


def _whole(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _winners(results: Results) -> Table:
    workload = workload_of(results)
    assert workload is not None and workload.chart is not None
    rows = fields(results)
    grids = sorted({blocks for row in rows for blocks in row.winners})
    title = f"The fastest, its microseconds per {_operation(results)}, and the time of " \
        f"`{workload.chart.library}` over that:"
    return Table("fastest", title, _HEADING, grids, {
        row.label: [_winner_cell(row.winners.get(blocks, "not run")) for blocks in grids]
        for row in rows})


def _winner_cell(winner: Winner | str) -> str:
    if isinstance(winner, str):
        return winner
    behind = winner.library if isinstance(winner.library, str) else f"{winner.library:.3g}x"
    return f"{winner.variant} {microseconds(winner.microseconds * 1e-6)} ({behind})"
