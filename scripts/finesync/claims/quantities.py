"""The quantities of the ledger: how each is read from the points of one primitive.

Times are in microseconds. Each primitive has its best grid, unless the rows are narrowed to one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..papers.contention import SIZE_OF_SECTION
from ..results import sync_sweeps
from ..results.point_table import PointRow, PointTable
from .rows import NEAR, Recorded, Selection
from .values import AT_LEAST, AT_MOST, Measured, Missing, bounded, difference, exactly, ratio

# The baseline of a speed-up: its best grid may be smaller than the smallest that was recorded.
_BASELINE = "lock"
_BEYOND = 1.03  # times the least time: more than noise
# Axes that do not tell one launch from another: the section, and how often it runs.
_NO_LAUNCH = ("section", SIZE_OF_SECTION, "inserts", "transfers", "rounds")
_TIMEOUTS = ("timed out", "hung")
# Axes that tell how many operations a run has.
_OF_A_RUN = ("inserts", "transfers", "rounds", "tbs_per_sm", "threads_per_block")


@dataclass(frozen=True)
class Quantity:
    """What it is, in words, and how to read it."""

    words: str
    of: Callable[[Recorded, Selection], Measured]


def _time(column: str) -> Callable[[Recorded, Selection], Measured]:
    def of(recorded: Recorded, selection: Selection) -> Measured:
        points = recorded.points(selection, "gpu").compared_by(column)
        if column not in points:
            raise Missing(f"{selection}: rows without {column}", rows_exist=True)
        best = points.fastest_point()
        if best is None:
            return _limit(recorded, selection, points, column)
        return _at_best_grid(Measured(best.time.scaled(1e6)), points, selection)
    return of


def _limit(recorded: Recorded, selection: Selection, points: PointTable, column: str) -> Measured:
    """The least time of points that all ran out of it."""
    ended = points.where(points["ended"].isin(_TIMEOUTS))
    waited = ended["waited_ms"].dropna()
    if waited.empty or len(ended) < len(points):
        raise Missing(f"{selection}: {points.failure_word()}")
    number = 1.0 if column == "seconds" else _operations(recorded, selection, ended.first())
    return bounded(exactly(waited.min() * 1e3 / number), AT_LEAST,
                   f"{selection.form} {ended.failure_word()} after {waited.min() / 1e3:.3g} s")


def _operations(recorded: Recorded, selection: Selection, ended: PointRow) -> float:
    """The operations of a run that did not end: those of others at the same axes that did."""
    good = recorded.results(selection, "gpu").points.ok()
    alike = {axis: value for axis, value in ended["axes"].items() if axis in _OF_A_RUN}
    others = selection.narrowed(good.where([
        all(point["axes"].get(axis) == value for axis, value in alike.items()) for point in good]))
    found = {round(point["seconds"] / point["seconds_per_operation"]) for point in others}
    if len(found) != 1:
        raise Missing(f"{selection}: {ended['ended']}")
    return float(found.pop())


def _at_best_grid(value: Measured, points: PointTable, selection: Selection) -> Measured:
    """A number of a baseline, an upper bound if it is fastest at the fewest threads that were run,
    and clearly slower at more: its best grid may be smaller still."""
    if selection.role != _BASELINE or not _at_the_edge(points.ok()):
        return value
    return bounded(value, AT_MOST, f"{selection.form} is fastest at the smallest grid recorded")


def _at_the_edge(good: PointTable) -> bool:
    threads = [ran["blocks"] * ran["threads_per_block"] for ran in good["effective"]]
    least = min(threads)
    few, many = (good.where([(own == least) == wanted for own in threads]).fastest_time()
                 for wanted in (True, False))
    return few is not None and many is not None and many.median > _BEYOND * few.median


def _best(points: PointTable, selection: Selection) -> PointRow:
    timed = points.compared_by("seconds_per_operation") \
        if "seconds_per_operation" in points else points
    best = timed.fastest_point() or points.fastest_point()
    if best is None:
        raise Missing(f"{selection}: {points.failure_word()}")
    return best


def _column(name: str) -> Callable[[Recorded, Selection], Measured]:
    """A number of the fastest point."""
    def of(recorded: Recorded, selection: Selection) -> Measured:
        points = recorded.points(selection, "gpu")
        found = _best(points, selection).spread(name)
        if found is None:
            raise Missing(f"{selection}: rows without {name}", rows_exist=True)
        return _at_best_grid(Measured(found), points.compared_by("seconds_per_operation"), selection)
    return of


def _fact(name: str, over: str = "") -> Callable[[Recorded, Selection], Measured]:
    """What the fastest point ran with, as a share of another such fact if that is named."""
    def of(recorded: Recorded, selection: Selection) -> Measured:
        ran = _best(recorded.points(selection, "gpu"), selection)["effective"]
        if name not in ran:
            raise Missing(f"{selection}: rows without {name}", rows_exist=True)
        return exactly(ran[name] / (ran[over] if over else 1))
    return of


def _synchronization(recorded: Recorded, selection: Selection) -> Measured:
    return difference(_time("seconds_per_operation")(recorded, selection), _rest(recorded, selection))


def _rest(recorded: Recorded, selection: Selection) -> Measured:
    nanoseconds = _column("unsynchronized_ns_per_operation")(recorded, selection)
    return Measured(nanoseconds.spread.scaled(1e-3))


def _per_hop(recorded: Recorded, selection: Selection) -> Measured:
    return ratio(_column("chain_cycles_p50")(recorded, selection), _fact("hops")(recorded, selection))


def _traffic(*counters: str) -> Callable[[Recorded, Selection], Measured]:
    """Counts of ncu per operation, at a launch that is near the best time."""
    def of(recorded: Recorded, selection: Selection) -> Measured:
        point = _best(recorded.points(selection, "gpu_traffic"), selection)
        _check_launch(recorded, selection, point)
        counts = [point.median(counter) for counter in counters]
        if any(count is None for count in counts):
            raise Missing(f"{selection}: rows without {' and '.join(counters)}", rows_exist=True)
        return exactly(sum(count or 0.0 for count in counts) / point["operations"])
    return of


def _check_launch(recorded: Recorded, selection: Selection, point: PointRow) -> None:
    """Whether a profiled launch is near the primitive's best time; unknown if it was not timed."""
    where = {axis: value for axis, value in selection.where.items() if axis not in _NO_LAUNCH}
    timed = Selection(selection.program, selection.form, {**selection.usual}, where, "")
    try:
        points = recorded.points(timed, "gpu").compared_by("seconds_per_operation")
    except Missing:
        return
    best = points.fastest_time()
    own = points.where([_launch(other) == _launch(point) for other in points]).fastest_time()
    if best and own and own.median > NEAR * best.median:
        raise Missing(f"{selection} was profiled at a launch of {own.median / best.median:.1f} times "
                      "the best time")


def _launch(point: PointRow) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted((axis, value) for axis, value in point["axes"].items()
                        if axis not in _NO_LAUNCH))


def _counted(recorded: Recorded, selection: Selection) -> Measured:
    point = recorded.points(selection, "host").first()
    found = sync_sweeps.count_per_operation(
        recorded.results(selection, "host"), point, "count_rmw")
    if found is None:
        raise Missing(f"{selection}: rows without counts", rows_exist=True)
    return Measured(found)


def _slowdown(size: int) -> Callable[[Recorded, Selection], Measured]:
    """Time with a loop of so many thousand cycles in the section over that without, at one launch,
    near the best without."""
    def of(recorded: Recorded, selection: Selection) -> Measured:
        usual = {axis: value for axis, value in selection.usual.items() if axis != SIZE_OF_SECTION}
        points = recorded.points(dataclasses.replace(selection, usual=usual), "gpu").compared_by(
            "seconds_per_operation")
        if SIZE_OF_SECTION not in points or not (points[SIZE_OF_SECTION] == size).any():
            raise Missing(f"{selection}: no loop of {size},000 cycles was run")
        points = points.main_sweep_points().ok()
        longer = {_launch(point): point for point in points.select(section_work=size)}
        plain = points.select(section_work=0)
        best = plain.fastest_point()
        same = plain.where([_launch(point) in longer for point in plain]).fastest_point()
        if best is None or same is None:
            raise Missing(f"{selection}: {points.failure_word()}")
        if same.time.median > NEAR * best.time.median:
            raise Missing(f"{selection}: the loop was run at a grid of "
                          f"{same.time.median / best.time.median:.1f} times the best time")
        # Both of one entry of the plan: the same number of operations.
        with_loop = longer[_launch(same)]
        alike = plain.where([_launch(point) == _launch(same)
                             and point["axes"] == {**with_loop["axes"], SIZE_OF_SECTION: 0}
                             for point in plain]).fastest_point() or same
        return Measured(with_loop.time.over(alike.time))
    return of


def _highest_grid(recorded: Recorded, selection: Selection) -> Measured:
    """The most thread blocks per SM up to which all runs ended."""
    points = recorded.points(selection, "gpu")
    grids = points.grids()
    good = [grid for place, grid in enumerate(grids)
            if all(points.select(tbs_per_sm=one)["ok"].all() for one in grids[:place + 1])]
    if not good:
        raise Missing(f"{selection}: no run ended")
    most = exactly(good[-1])
    return bounded(most, AT_LEAST, f"{selection.form} ends at all recorded") \
        if good == grids else most


def _runs(which: tuple[str, ...], among: tuple[str, ...] = ()
          ) -> Callable[[Recorded, Selection], Measured]:
    """Runs that ended so, among those that ended so, or among all."""
    def of(recorded: Recorded, selection: Selection) -> Measured:
        recorded.points(selection, "gpu")
        rows = selection.of(PointTable(recorded.results(selection, "gpu").rows))
        of_interest = rows.where(rows["ended"].isin(among)) if among else rows
        found = of_interest.where(of_interest["ended"].isin(which))
        return exactly(len(found), runs=len(of_interest))
    return of


QUANTITIES: Mapping[str, Quantity] = {
    "time": Quantity("time per operation", _time("seconds_per_operation")),
    "run_time": Quantity("time of the run", _time("seconds")),
    "lock_transfer_cycles": Quantity("cycles of a lock transfer", _column("lock_transfer_cycles")),
    "rounds": Quantity("rounds", _column("rounds")),
    "chain_cycles": Quantity("cycles of the chain", _column("chain_cycles_p50")),
    "cycles_per_hop": Quantity("cycles per hop of the chain", _per_hop),
    "fence_cycles": Quantity("cycles of a fence", _column("fence_cycles_p50")),
    "synchronization": Quantity("time of the operation minus that without", _synchronization),
    "unsynchronized": Quantity("time of the kernel without the operation", _rest),
    "sync_bytes": Quantity("bytes of shared memory for synchronization", _fact("sync_bytes")),
    "shared_bytes": Quantity("bytes of shared memory", _fact("shared_bytes")),
    "server_blocks": Quantity("server blocks", _fact("server_blocks")),
    "server_share": Quantity("servers' share of the blocks", _fact("server_blocks", "blocks")),
    "l2_bytes": Quantity("L2 traffic per operation", _traffic("l2_bytes")),
    "dram_bytes": Quantity("DRAM traffic per operation", _traffic("dram_bytes")),
    "l2_atomics": Quantity("L2 sectors of atomics per operation",
                           _traffic("l2_sectors_atomic", "l2_sectors_reduction")),
    "atomics": Quantity("atomics per operation on the host executor", _counted),
    "slowdown_1": Quantity("slow-down by a loop of 1,000 cycles", _slowdown(1)),
    "slowdown_32": Quantity("slow-down by a loop of 32,000 cycles", _slowdown(32)),
    "highest_grid": Quantity("most thread blocks per SM at which all runs end", _highest_grid),
    "hung_runs": Quantity("runs that hung, of those that did not end",
                          _runs(("hung", "livelock", "deadlock"),
                                ("hung", "livelock", "deadlock", "timed out"))),
    "unfinished_runs": Quantity("runs that did not end",
                                _runs(("hung", "livelock", "deadlock", "timed out"))),
}
