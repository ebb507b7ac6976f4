"""Who competes in the hash-table workload, and against which baselines."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from .loading import Results
from .points import Point, Spread, gather, of, select, values

LOCKS = ("spin", "spin_ordered", "backoff", "ticket", "ring", "combining", "array", "mcs", "cohort",
         "libcudacxx")
SERVERS = ("server_basic", "server_paper", "server_fast")
LISTING_1 = "spin"


def inserts(results: Results) -> list[Point]:
    """The points of the benchmark itself: the section pushes onto a list, and nothing else."""
    return select(measured(results), cs_extra=0, section=0)


def measured(results: Results) -> list[Point]:
    """All points that were asked for, which candidates that failed while tuning were not."""
    return [point for point in gather(results.rows) if not point.excluded]


def swept(points: Iterable[Point]) -> list[Point]:
    """The points of a sweep, without those that --tune chose, each at another grid."""
    return [point for point in points if point.tuned is None]


def servers_in(points: Iterable[Point]) -> list[str]:
    """The server primitives that were run, in the order of this module."""
    run = {point.primitive for point in points}
    return [server for server in SERVERS if server in run]


def rate(point: Point) -> Spread:
    """Inserts per second of an ok point."""
    return point.seconds().inverse().scaled(point.axes["inserts"])


def best(points: Iterable[Point]) -> Point | None:
    """The ok point of the highest rate."""
    return max((point for point in points if point.ok), key=lambda point: rate(point).median,
               default=None)


def tuned_lock(points: Iterable[Point]) -> Point | None:
    """The best of all locks over all their grids, padded or not: the honest baseline."""
    return best(of(points, *LOCKS))


def at_full_occupancy(points: Iterable[Point], gpu: dict[str, Any]) -> list[Point]:
    """Listing 1 as one would launch it without tuning: with all threads that an SM holds."""
    return [point for point in select(of(points, LISTING_1), lock_padding=0)
            if _fills_an_sm(point, gpu)]


def _fills_an_sm(point: Point, gpu: dict[str, Any]) -> bool:
    blocks, threads = point.grid
    if blocks is None or threads is None:  # a row that only says that its process failed
        return False
    return (blocks == 0 or blocks >= gpu.get("max_blocks_per_sm", math.inf)
            or blocks * threads >= gpu.get("max_threads_per_sm", math.inf))


def grid_sweep(points: Iterable[Point]) -> list[Point]:
    """All but servers, packed, of the block size that was run at the most numbers of blocks."""
    # A server's blocks do not mean what a lock's do, and 0 stands for as many as fit.
    points = [point for point in swept(select(points, lock_padding=0))
              if point.primitive not in SERVERS and point.axes.get("tbs_per_sm")]
    by_size = [select(points, threads_per_block=size)
               for size in values(points, "threads_per_block")]
    return max(by_size, key=lambda own: len(values(own, "tbs_per_sm")), default=[])


def grid_label(point: Point) -> str:
    """The launch of a point: thread blocks per SM x threads."""
    blocks, threads = point.grid
    return f"{blocks or 'all that fit'} x {threads or 'its default'}"
