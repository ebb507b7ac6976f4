"""The quantities of the ledger: how each is read from the points of one primitive.

Times are in microseconds. Each primitive has its best grid, unless the rows are narrowed to one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ..papers.contention import SIZE_OF_SECTION, as_run
from ..query.points import PointRow, PointTable
from ..results import sync_sweeps
from .rows import NEAR, Recorded, Selection
from .values import AT_LEAST, AT_MOST, Measured, Missing, bounded, difference, exactly, ratio

# The baseline of a speed-up: its best grid may be smaller than the smallest that was recorded.
_BASELINE = "lock"
_BEYOND = 1.03  # times the least time: more than noise
# Axes that do not tell one launch from another: the section, and how often it runs.
_NO_LAUNCH = ("section", SIZE_OF_SECTION, "inserts", "transfers", "rounds")
_TIMEOUTS = ("timed out", "hung")
_STUCK = ("hung", "livelock", "deadlock")
# Axes that tell how many operations a run has.
_OF_A_RUN = ("inserts", "transfers", "rounds", "tbs_per_sm", "threads_per_block")


Quantity = Callable[[Recorded, Selection], Measured]
Found = TypeVar("Found")


def _known(found: Found | None, selection: Selection, what: str, rows_exist: bool = True) -> Found:
    """What was found, or that the rows do not have it."""
    if found is None:
        raise Missing(f"{selection}: rows without {what}", rows_exist=rows_exist)
    return found


def _time(column: str) -> Quantity:
    def of(recorded: Recorded, selection: Selection) -> Measured:
        points = recorded.points(selection, "gpu").compared_by(column)
        _known(points if column in points else None, selection, column)
        best = points.fastest_point()
        if best is None:
            return _limit(recorded, selection, points, column)
        return _at_best_grid(Measured(best.time.scaled(1e6)), points, selection)
    return of


def _limit(recorded: Recorded, selection: Selection, points: PointTable, column: str) -> Measured:
    """The least time of points that all ran out of it, where they could run at all."""
    ran = points.where(points["ended"] != "skipped")
    ended = ran.where(ran["ended"].isin(_TIMEOUTS))
    waited = ended["waited_ms"].dropna()
    if waited.empty or len(ended) < len(ran):
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
    found = {round(point["seconds"] / point["seconds_per_operation"]) for point in others
             if point["seconds_per_operation"] > 0}  # some tell no rate
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
    """False for programs that do not tell their grids, as those of the papers' authors."""
    if not all("blocks" in ran for ran in good["effective"]):
        return False
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


def _column(name: str, rows_have_it: bool = True) -> Quantity:
    """A number of the fastest point. Rows lack some if the run that measures it timed out, and rows
    of older programs do."""
    def of(recorded: Recorded, selection: Selection) -> Measured:
        points = recorded.points(selection, "gpu").compared_by("seconds_per_operation")
        found = _known(_best(points, selection).spread(name), selection, name, rows_have_it)
        return _at_best_grid(Measured(found), points, selection)
    return of


def _fact(name: str, over: str = "") -> Quantity:
    """What the fastest point ran with, as a share of another such fact if that is named."""
    def of(recorded: Recorded, selection: Selection) -> Measured:
        ran = _best(recorded.points(selection, "gpu"), selection)["effective"]
        return exactly(_known(ran.get(name), selection, name) / (ran[over] if over else 1))
    return of


def _synchronization(recorded: Recorded, selection: Selection) -> Measured:
    whole = _time("seconds_per_operation")(recorded, selection)
    return difference(whole, _rest(recorded, selection))


def _rest(recorded: Recorded, selection: Selection) -> Measured:
    nanoseconds = _column("unsynchronized_ns_per_operation")(recorded, selection)
    return Measured(nanoseconds.spread.scaled(1e-3))


def _per_hop(recorded: Recorded, selection: Selection) -> Measured:
    cycles, hops = _column("chain_cycles_p50"), _fact("hops")
    return ratio(cycles(recorded, selection), hops(recorded, selection))


def _traffic(*counters: str) -> Quantity:
    """Counts of ncu per operation, at a launch that is near the best time."""
    def of(recorded: Recorded, selection: Selection) -> Measured:
        point = _counted_by_ncu(recorded, selection)
        wanted = (*counters, "operations")
        lacking = [name for name in wanted if point.median(name) is None]
        _known(None if lacking else point, selection, " and ".join(lacking))
        return exactly(sum(point[name] for name in counters) / point["operations"])
    return of


def _of_traffic(column: str) -> Quantity:
    """A share that ncu counted, at such a launch; earlier recordings lack it."""
    return lambda recorded, selection: exactly(_known(
        _counted_by_ncu(recorded, selection).median(column), selection, column, rows_exist=False))


def _counted_by_ncu(recorded: Recorded, selection: Selection) -> PointRow:
    point = _best(recorded.points(selection, "gpu_traffic"), selection)
    _check_launch(recorded, selection, point)
    return point


def _check_launch(recorded: Recorded, selection: Selection, point: PointRow) -> None:
    """Whether a profiled launch is near the primitive's best time; unknown if it was not timed."""
    where = {axis: value for axis, value in selection.where.items() if axis not in _NO_LAUNCH}
    timed = dataclasses.replace(selection, where=where)
    try:
        points = recorded.points(timed, "gpu").compared_by("seconds_per_operation")
    except Missing:
        return
    best = points.fastest_time()
    own = points.where([_launch(other) == _launch(point) for other in points]).fastest_time()
    if best and own and own.median > NEAR * best.median:
        raise Missing(f"{selection} was profiled at a launch of "
                      f"{own.median / best.median:.1f} times the best time")


def _launch(point: PointRow) -> tuple[tuple[str, Any], ...]:
    return _without(point["axes"], *_NO_LAUNCH)


def _without(axes: Mapping[str, Any], *names: str) -> tuple[tuple[str, Any], ...]:
    """The other axes, in an order."""
    return tuple(sorted((axis, value) for axis, value in axes.items() if axis not in names))


def _stalled(*reasons: str) -> Quantity:
    """The share of the stalls of warps that have these reasons, in percent, by ncu."""
    def of(recorded: Recorded, selection: Selection) -> Measured:
        point = _best(recorded.points(selection, "gpu_traffic"), selection)
        found = [_known(point.median(f"stalled_{reason}_percent"), selection, "reasons of stalls")
                 for reason in reasons]
        return exactly(sum(found))
    return of


def _counted(recorded: Recorded, selection: Selection) -> Measured:
    point = recorded.points(selection, "host").first()
    return Measured(_known(sync_sweeps.count_per_operation(
        recorded.results(selection, "host"), point, "count_rmw"), selection, "counts"))


def _on_host(name: str) -> Quantity:
    """A number of the host executor."""
    return lambda recorded, selection: Measured(_known(
        recorded.points(selection, "host").first().spread(name), selection, name))


def _slowdown(size: int) -> Quantity:
    """Time with a loop of so many thousand cycles in the section over that without, in one launch
    that is near the best without."""
    def of(recorded: Recorded, selection: Selection) -> Measured:
        usual = {axis: value for axis, value in selection.usual.items() if axis != SIZE_OF_SECTION}
        points = recorded.points(dataclasses.replace(selection, usual=usual), "gpu")
        if SIZE_OF_SECTION not in points or not (points[SIZE_OF_SECTION] == size).any():
            raise Missing(f"{selection}: no loop of {size},000 cycles was run")
        good = points.main_sweep_points().ok().compared_by("seconds_per_operation")
        longer = {_but_for_the_loop(point): point for point in good.select(section_work=size)}
        plain = good.select(section_work=0)
        best = plain.fastest_point()
        same = plain.where([_but_for_the_loop(point) in longer for point in plain]).fastest_point()
        if best is None or same is None:
            raise Missing(f"{selection}: {points.failure_word()}")
        if same.time.median > NEAR * best.time.median:
            raise Missing(f"{selection}: the loop was run at a grid of "
                          f"{same.time.median / best.time.median:.1f} times the best time")
        return Measured(longer[_but_for_the_loop(same)].time.over(same.time))
    return of


def _but_for_the_loop(point: PointRow) -> tuple[tuple[str, Any], ...]:
    return _without(as_run(point), SIZE_OF_SECTION)


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


def _runs(which: tuple[str, ...], among: tuple[str, ...] = ()) -> Quantity:
    """Runs that ended so, among those that ended so, or among all."""
    def of(recorded: Recorded, selection: Selection) -> Measured:
        recorded.points(selection, "gpu")
        rows = selection.of(PointTable(recorded.results(selection, "gpu").rows))
        of_interest = rows.where(rows["ended"].isin(among)) if among else rows
        found = of_interest.where(of_interest["ended"].isin(which))
        return exactly(len(found), runs=len(of_interest))
    return of


QUANTITIES: Mapping[str, Quantity] = {
    "time": _time("seconds_per_operation"),  # per operation
    "run_time": _time("seconds"),
    "synchronization": _synchronization,  # time per operation minus that of the kernel without it
    "unsynchronized": _rest,  # the latter
    "lock_transfer_cycles": _column("lock_transfer_cycles"),
    "rounds": _column("rounds"),
    # Of the blocks' time, that in grid barriers.
    "barrier_share": _column("barrier_share", rows_have_it=False),
    "chain_cycles": _column("chain_cycles_p50"),
    "cycles_per_hop": _per_hop,
    "fence_cycles": _column("fence_cycles_p50"),
    "widest_launch": _column("widest_launch_ns", rows_have_it=False),  # alone
    "exit_wait": _column("exit_wait_p99_ns", rows_have_it=False),
    "longest_exit_wait": _column("exit_wait_max_ns", rows_have_it=False),
    # Of those that enter a semaphore.
    "lock_tries": _column("lock_tries_per_operation", rows_have_it=False),
    "sync_bytes": _fact("sync_bytes"),  # shared memory for synchronization
    "shared_bytes": _fact("shared_bytes"),
    "server_blocks": _fact("server_blocks"),
    "server_share": _fact("server_blocks", "blocks"),
    "l2_bytes": _traffic("l2_bytes"),  # per operation, as all traffic and counts
    "dram_bytes": _traffic("dram_bytes"),
    "l2_hit_percent": _of_traffic("l2_hit_percent"),
    "l2_atomics": _traffic("l2_sectors_atomic", "l2_sectors_reduction"),
    # A profiler's word for synchronization was a block barrier, when the thesis was written.
    "stalled_at_barriers": _stalled("barrier"),
    "stalled_synchronizing": _stalled("barrier", "membar", "sleeping"),
    "atomics": _counted,  # on the host executor
    "counted_lock_tries": _on_host("lock_tries_per_operation"),  # there too
    "counted_stores": _on_host("count_store_block_shared"),  # of shared memory, there too
    "slowdown_1": _slowdown(1),
    "slowdown_32": _slowdown(32),
    "highest_grid": _highest_grid,
    "hung_runs": _runs(_STUCK, among=(*_STUCK, "timed out")),
    "unfinished_runs": _runs((*_STUCK, "timed out")),
}
