"""Barrier, mutex, semaphore: the workloads in which all thread blocks contend for one object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .errors import UserError
from .loading import Results
from .points import Point, Spread, gather, spread_of, values

PROGRAMS = ("barrier", "mutex", "semaphore")
# What a practitioner would pick without this project.
LIBRARIES = {"barrier": "cooperative", "mutex": "libcudacxx", "semaphore": "libcudacxx"}
OPERATIONS = {"barrier": "barrier", "mutex": "hand-off", "semaphore": "operation"}
# What the host executor counts of an operation, and how those counters' names begin.
COUNTED = {"atomics": "count_rmw", "fences": "count_fence", "polls": "count_poll"}
# What the thesis held constant while it varied the number of thread blocks (its section 4.3).
THESIS_LOADS_AND_STORES = 10

# The thesis ran these with and without back-off; the others wait in one way only.
_WITH_AND_WITHOUT_BACKOFF = ("spin", "priority")


@dataclass(frozen=True, order=True)
class Setting:
    """What stays the same along a sweep over thread blocks per SM."""

    readers_only: bool
    size: int
    threads: int
    loads_and_stores: int
    section: str
    local_exchange: bool

    def words(self) -> dict[str, str]:
        """Each part as a reader says it."""
        parts = {"size": f"size {self.size}"} if self.size else {}
        if self.readers_only:
            parts["readers"] = "readers only"
        parts["threads"] = f"{self.threads:,} threads"
        parts["section"] = self.section
        if self.local_exchange:
            parts["exchange"] = "local exchange"
        return parts

    def __str__(self) -> str:
        return ", ".join(self.words().values())


def setting(point: Point) -> Setting:
    """The setting of a point; semaphores have a size and writers, barriers a local exchange."""
    axes = point.axes
    return Setting(axes.get("writers") == 0, axes.get("size", 0),
                   axes.get("threads_per_block", 64), axes.get("ldst", 0), _section(axes),
                   bool(axes.get("local_exchange")))


def _section(axes: dict[str, Any]) -> str:
    """What is done inside or, of a barrier, in between."""
    if axes.get("ldst"):
        return f"{axes['ldst']:,} loads and stores"
    if "section" in axes:
        return "empty section" if axes["section"] else "plain counter"
    return "two words" if "size" in axes else "no loads and stores"


def is_contest(results: Results) -> bool:
    """Whether the results are of one of these workloads."""
    return results.program in PROGRAMS


def measured(results: Results) -> list[Point]:
    """The points of sweeps: neither what --tune chose nor what it excluded."""
    return [point for point in _asked_for(results) if point.tuned is None]


def tuned(results: Results) -> list[Point]:
    """The points that --tune chose."""
    return [point for point in _asked_for(results) if point.tuned is not None]


def _asked_for(results: Results) -> list[Point]:
    # Without its grid a row says only how its process failed, which the report lists.
    return [point for point in gather(results.rows)
            if not point.excluded and point.axes.get("tbs_per_sm")]


def by_setting(points: Iterable[Point]) -> dict[Setting, list[Point]]:
    """The points of each setting, in the order of settings."""
    found: dict[Setting, list[Point]] = {}
    for point in points:
        found.setdefault(setting(point), []).append(point)
    return dict(sorted(found.items()))


def sweeps(points: Iterable[Point]) -> dict[Setting, list[Point]]:
    """The settings that were run at two numbers of thread blocks per SM or more."""
    return {which: own for which, own in by_setting(points).items()
            if len(values(own, "tbs_per_sm")) > 1}


def short(points: Iterable[Point]) -> list[Point]:
    """The points whose time is about synchronization: no more loads and stores than the thesis's
    fewest."""
    return [point for point in points
            if point.axes.get("ldst", 0) <= THESIS_LOADS_AND_STORES]


def main_sweep(points: Iterable[Point]) -> tuple[Setting, list[Point]] | None:
    """The sweep over most grids; of several the thesis's own, then the smallest."""
    return max(sweeps(points).items(), default=None, key=lambda item: (
        not item[0].readers_only, len(values(item[1], "tbs_per_sm")), not item[0].local_exchange,
        item[0].loads_and_stores == THESIS_LOADS_AND_STORES, -item[0].size, -item[0].threads))


def variant(point: Point) -> str:
    """The primitive, with its back-off where it was run with and without."""
    backs_off = (point.primitive in _WITH_AND_WITHOUT_BACKOFF and "size" in point.axes
                 and point.axes.get("backoff"))
    return f"{point.primitive}_backoff" if backs_off else point.primitive


def variants(points: Iterable[Point]) -> list[str]:
    """The variants in order of first appearance."""
    return list(dict.fromkeys(variant(point) for point in points))


def of(points: Iterable[Point], name: str) -> list[Point]:
    """The points of one variant."""
    return [point for point in points if variant(point) == name]


def time(point: Point) -> Spread:
    """Seconds per operation of an ok point measured on a GPU."""
    rates = [row.counters.get("items_per_second", 0.0) for row in point.rows]
    if min(rates) <= 0:
        raise UserError(f"{point.primitive}: a row without its operations per second")
    return spread_of([1 / rate for rate in rates])


def best(points: Iterable[Point]) -> Point | None:
    """The ok point of least time per operation."""
    return min((point for point in points if point.ok), key=lambda point: time(point).median,
               default=None)


def rest(point: Point) -> float | None:
    """Seconds per operation of the same kernel without the operation; None where not measured."""
    name = "rest_ns_per_operation"
    return point.counter(name).median * 1e-9 if point.has(name) else None


def counted(results: Results, point: Point, prefix: str) -> Spread | None:
    """Per operation, all counts of the host executor whose names begin so; None where the row
    leaves the number of operations to the program. A barrier is one operation of all blocks; an
    entry and its exit are one of a single block."""
    if not point.axes.get("rounds"):
        return None
    blocks = 1 if results.program == "barrier" else \
        point.axes["tbs_per_sm"] * results.gpu["sms"]
    sums = [sum(value for name, value in row.counters.items() if name.startswith(prefix))
            for row in point.rows]
    return spread_of(sums).scaled(1 / (point.axes["rounds"] * blocks))
