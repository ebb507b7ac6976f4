"""The quantities of the ledger: how each is read from the points of one primitive.

Times are in microseconds. Each primitive has its best grid, unless the rows are narrowed to one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from ..papers.contention import SIZE_OF_SECTION, as_run
from ..query.numbers import AT_LEAST, AT_MOST, Missing, Spread, exactly, of_one_card
from ..query.points import PointRow, PointTable
from ..query.selection import Selection
from ..results import sync_sweeps
from ..results.recorded import Recorded
from ..results.schemas import LENT

_EACH = "seconds_per_operation"
# Servers or locks at a grid that takes more than that times the least time say little of the best.
_NEAR = 1.3
# The sides of a speed-up: the best grid of either may be beyond those that were recorded.
_SIDES = ("lock", "server")
# Axes that fix a grid: there is no better one to look for.
_GRID = ("tbs_per_sm", "threads_per_block")
_BEYOND = 1.03  # times the least time: more than noise
# Axes that do not tell one launch from another: the section, and how often it runs.
_NO_LAUNCH = ("section", SIZE_OF_SECTION, "inserts", "transfers", "rounds")
# Of the recorded grids, the one where the fastest lies.
SMALLEST, LARGEST, ONLY = "smallest", "largest", "only"
_TIMEOUTS = ("timed out", "hung")
_STUCK = ("hung", "livelock", "deadlock")
# Axes that tell how many operations a run has.
_OF_A_RUN = ("inserts", "transfers", "rounds", "tbs_per_sm", "threads_per_block")

Found = TypeVar("Found")


@dataclasses.dataclass(frozen=True)
class Asked:
    """A selection, and the recorded rows that it selects from."""

    recorded: Recorded
    selection: Selection

    def points(self, kind: str = "gpu") -> PointTable:
        """The points that are meant; there are some."""
        return self.recorded.points(self.selection, kind)

    def missing(self, why: str) -> Missing:
        return Missing(f"{self.selection}: {why}")

    def known(self, found: Found | None, what: str, rows_exist: bool = True) -> Found:
        """What was found, or that the rows do not have it."""
        if found is None:
            raise Missing(f"{self.selection}: rows without {what}", rows_exist)
        return found

    def best(self, points: PointTable) -> PointRow:
        """The fastest of some points per operation, or of a run if they tell no operations."""
        best = points.compared_by(_EACH).fastest_point() or points.fastest_point()
        if best is None:
            raise self.missing(points.failure_word())
        return best

    def number(self, name: str, rows_have_it: bool = True) -> Spread:
        """A number of the fastest point."""
        return self.known(self.best(self.points().compared_by(_EACH)).spread(name), name, rows_have_it)

    def at_best_grid(self, value: Spread, points: PointTable, edges: Collection[str] | None = None) -> Spread:
        """A number of a side, an upper bound if it is fastest at an edge of the grids that were run: at
        the fewest threads, or at the most, and clearly slower at others, or at the only ones."""
        if self.selection.role not in _SIDES or any(axis in self.selection.where for axis in _GRID):
            return value
        edge = _edge(points, self.recorded.results(self.selection, "gpu").gpu)
        if not edge or edges is not None and edge not in edges:
            return value
        return value.bounded(AT_MOST, f"{self.selection.form} is fastest at the {edge} grid recorded", stand_in=True)


Quantity = Callable[[Asked], Spread]


def _time(asked: Asked, column: str = _EACH) -> Spread:
    points = asked.points().compared_by(column)
    asked.known(points if column in points else None, column)
    best = points.fastest_point()
    return _limit(asked, points) if best is None else asked.at_best_grid(best.time.scaled(1e6), points)


def _limit(asked: Asked, points: PointTable) -> Spread:
    """The least time of points that all ran out of it, where they could run at all."""
    ran = points.where(points["ended"] != "skipped")
    ended = ran.where(ran["ended"].isin(_TIMEOUTS))
    waited = ended["waited_ms"].dropna()
    if waited.empty or len(ended) < len(ran):
        raise asked.missing(points.failure_word())
    number = 1.0 if points.time_column == "seconds" else _operations(asked, ended.first())
    return exactly(waited.min() * 1e3 / number).bounded(
        AT_LEAST, f"{asked.selection.form} {ended.failure_word()} after {waited.min() / 1e3:.3g} s")


def _operations(asked: Asked, ended: PointRow) -> float:
    """The operations of a run that did not end: those of others at the same axes that did."""
    good = asked.recorded.results(asked.selection, "gpu").points.ok()
    alike = {axis: value for axis, value in ended["axes"].items() if axis in _OF_A_RUN}
    others = good.where([all(point["axes"].get(axis) == value for axis, value in alike.items())
                         for point in good]).at(asked.selection)
    found = {round(point["seconds"] / point[_EACH]) for point in others if point[_EACH] > 0}  # some tell no rate
    if len(found) != 1:
        raise asked.missing(ended["ended"])
    return float(found.pop())


def _edge(points: PointTable, gpu: Mapping[str, Any]) -> str:
    """The edge of the recorded grids at which the fastest lies, or none. None is left where the GPU
    holds no more threads, or larger grids did not fit. Programs of the papers' authors do not tell
    their grids."""
    good = points.ok()
    if not all("blocks" in ran for ran in good["effective"]):
        return ""
    threads = [ran["blocks"] * ran["threads_per_block"] for ran in good["effective"]]
    if len(set(threads)) == 1:
        return ONLY
    for edge, end in ((SMALLEST, min(threads)), (LARGEST, max(threads))):
        here, others = (good.where([(number == end) == wanted for number in threads]).fastest_time()
                        for wanted in (True, False))
        if here and others and others.median > _BEYOND * here.median:
            whole = end >= gpu["sms"] * gpu["max_threads_per_sm"] or (points["ended"] == "skipped").any()
            return "" if edge == LARGEST and whole else edge
    return ""


def _column(name: str, rows_have_it: bool = True) -> Quantity:
    """A number of the fastest point. Rows lack some if the run that measures it timed out, and rows
    of older programs do. Fewer threads wait less for each other, so a latency is a bound where even
    fewer may be faster; where more may be, nothing is known of it."""
    return lambda asked: asked.at_best_grid(
        asked.number(name, rows_have_it), asked.points().compared_by(_EACH), (SMALLEST,))


def _fact(name: str, over: str = "") -> Quantity:
    """What the fastest point ran with, as a share of another such fact if that is named."""
    def of(asked: Asked) -> Spread:
        ran = asked.best(asked.points())["effective"]
        return exactly(asked.known(ran.get(name), name) / (ran[over] if over else 1))
    return of


def _of_a_thread(asked: Asked) -> Spread:
    """How long a thread is at an operation: the time per operation times the threads that share them."""
    ran = asked.best(asked.points().compared_by(_EACH))["effective"]
    return _time(asked).scaled(ran["blocks"] * ran["threads_per_block"])


def _rest(asked: Asked) -> Spread:
    return asked.number("unsynchronized_ns_per_operation").scaled(1e-3)


def _traffic(*counters: str) -> Quantity:
    """Counts of ncu per operation, at a launch that is near the best time."""
    def of(asked: Asked) -> Spread:
        point = _counted_by_ncu(asked)
        lacking = [name for name in (*counters, "operations") if point.median(name) is None]
        asked.known(None if lacking else point, " and ".join(lacking))
        return exactly(sum(point[name] for name in counters) / point["operations"])
    return of


def _counted_by_ncu(asked: Asked) -> PointRow:
    """The point that was profiled. Its launch must be near the primitive's best time, if that was measured."""
    point = asked.best(asked.points("gpu_traffic"))
    where = {axis: value for axis, value in asked.selection.where.items() if axis not in _NO_LAUNCH}
    try:
        timed = asked.recorded.points(dataclasses.replace(asked.selection, where=where), "gpu").compared_by(_EACH)
    except Missing:
        return point
    launch = _without(point["axes"], *_NO_LAUNCH)
    same = timed.where([_without(other["axes"], *_NO_LAUNCH) == launch for other in timed])
    best, here = timed.fastest_time(), same.fastest_time()
    if best and here and here.median > _NEAR * best.median:
        raise Missing(f"{asked.selection} was profiled at a launch of "
                      f"{here.median / best.median:.1f} times the best time")
    return point


def _without(axes: Mapping[str, Any], *names: str) -> tuple[tuple[str, Any], ...]:
    """The other axes, in an order."""
    return tuple(sorted((axis, value) for axis, value in axes.items() if axis not in names))


def _stalled(*reasons: str) -> Quantity:
    """The share of the stalls of warps that have these reasons, in percent, by ncu."""
    def of(asked: Asked) -> Spread:
        point = asked.best(asked.points("gpu_traffic"))
        found = [asked.known(point.median(f"stalled_{reason}_percent"), "reasons of stalls") for reason in reasons]
        return exactly(sum(found))
    return of


def _counted(asked: Asked) -> Spread:
    results = asked.recorded.results(asked.selection, "host")
    return asked.known(sync_sweeps.count_per_operation(results, asked.points("host").first(), "count_rmw"), "counts")


def _on_host(name: str) -> Quantity:
    """A number of the host executor."""
    return lambda asked: asked.known(asked.points("host").first().spread(name), name)


def _slowdown(size: int) -> Quantity:
    """Time with a loop of so many thousand cycles in the section over that without, in one launch
    that is near the best without."""
    def but_for_the_loop(point: PointRow) -> tuple[tuple[str, Any], ...]:
        return _without(as_run(point), SIZE_OF_SECTION)

    def of(asked: Asked) -> Spread:
        usual = {axis: value for axis, value in asked.selection.usual.items() if axis != SIZE_OF_SECTION}
        points = asked.recorded.points(dataclasses.replace(asked.selection, usual=usual), "gpu")
        if SIZE_OF_SECTION not in points or not (points[SIZE_OF_SECTION] == size).any():
            raise asked.missing(f"no loop of {size},000 cycles was run")
        good = points.main_sweep_points().ok().compared_by(_EACH)
        longer = {but_for_the_loop(point): point for point in good.select(section_work=size)}
        plain = good.select(section_work=0)
        best = plain.fastest_point()
        same = plain.where([but_for_the_loop(point) in longer for point in plain]).fastest_point()
        if best is None or same is None:
            raise asked.missing(points.failure_word())
        if same.time.median > _NEAR * best.time.median:
            raise asked.missing(f"the loop was run at a grid of {same.time.median / best.time.median:.1f} "
                                "times the best time")
        return Spread.over(*of_one_card([longer[but_for_the_loop(same)].time, same.time]))
    return of


def _highest_grid(asked: Asked) -> Spread:
    """The most thread blocks per SM up to which all runs ended."""
    points = asked.points()
    grids = points.grids()
    good = [grid for number, grid in enumerate(grids, 1)
            if all(points.select(tbs_per_sm=one)["ok"].all() for one in grids[:number])]
    if not good:
        raise asked.missing("no run ended")
    most = exactly(good[-1])
    return most.bounded(AT_LEAST, f"{asked.selection.form} ends at all recorded") if good == grids else most


def _runs(which: tuple[str, ...], among: tuple[str, ...] = ()) -> Quantity:
    """Runs that ended so, among those that ended so, or among all."""
    def of(asked: Asked) -> Spread:
        asked.points()
        rows = PointTable(asked.recorded.results(asked.selection, "gpu").rows)
        rows = rows.of_primitives(asked.selection.form).at(asked.selection)
        rows = rows.where(rows["ended"].isin(among)) if among else rows
        return exactly(int(rows["ended"].isin(which).sum()), runs=len(rows))
    return of


QUANTITIES: Mapping[str, Quantity] = {
    "time": _time,  # per operation
    "run_time": lambda asked: _time(asked, "seconds"),
    "thread_time": _of_a_thread,
    # Time per operation minus that of the kernel without it, and the latter.
    "synchronization": lambda asked: _time(asked).minus(_rest(asked)),
    "unsynchronized": _rest,
    "lock_transfer_cycles": _column("lock_transfer_cycles"),
    "rounds": _column("rounds"),
    # Of the blocks' time, that in grid barriers; their number, and what one takes if no block is late.
    "barrier_share": _column("barrier_share", rows_have_it=False),
    "barriers": _column("barriers", rows_have_it=False),
    "barrier_alone": lambda asked: asked.number("barrier_ns", False).scaled(1e-3),
    "chain_cycles": _column("chain_cycles_p50"),
    "cycles_per_hop": lambda asked: _column("chain_cycles_p50")(asked).over(_fact("hops")(asked)),
    "fence_cycles": _column("fence_cycles_p50"),
    "widest_launch": _column("widest_launch_ns", rows_have_it=False),  # alone
    "exit_wait": _column("exit_wait_p99_ns", rows_have_it=False),
    "longest_exit_wait": _column("exit_wait_max_ns", rows_have_it=False),
    # Of those that enter a semaphore.
    "lock_tries": _column("lock_tries_per_operation", rows_have_it=False),
    "sync_bytes": _fact("sync_bytes"),  # shared memory for synchronization
    "shared_bytes": _fact("shared_bytes"),
    "blocks": _fact("blocks"),
    "server_blocks": _fact("server_blocks"),
    "server_share": _fact("server_blocks", "blocks"),
    "locks_lent": _column(LENT, rows_have_it=False),
    "ratings_of_hottest": _fact("max_ratings_per_movie"),
    "l2_bytes": _traffic("l2_bytes"),  # per operation, as all traffic and counts
    "l2_writes": _traffic("l2_sectors_write"),
    "dram_bytes": _traffic("dram_bytes"),
    # A share at such a launch; earlier recordings lack it.
    "l2_hit_percent": lambda asked: exactly(asked.known(
        _counted_by_ncu(asked).median("l2_hit_percent"), "l2_hit_percent", rows_exist=False)),
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


def read(name: str, recorded: Recorded, selection: Selection) -> Spread:
    """The quantity of a selection; Missing says why there is none."""
    return QUANTITIES[name](Asked(recorded, selection))
