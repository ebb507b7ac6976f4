"""Who competes in the hash-table workload, and against which baselines."""

from __future__ import annotations

import math
from typing import Any

from finesync_results.loading import Results
from finesync_results.points import (Point, Points, Spread, least, of, select, spread, values,
                                     with_columns)

LOCKS = ("spin", "spin_ordered", "backoff", "ticket", "ring", "combining", "array", "mcs", "cohort",
         "libcudacxx")
SERVERS = ("server_basic", "server_paper", "server_fast")
LISTING_1 = "spin"


def inserts(results: Results) -> Points:
    """The points of the benchmark itself: the section pushes onto a list, and nothing else."""
    return select(measured(results), cs_extra=0, section=0)


def measured(results: Results) -> Points:
    """All points that were asked for, which candidates that failed while tuning were not."""
    points = with_columns(results.points, "collision_factor", "tbs_per_sm", "threads_per_block",
                          "lock_padding", "cs_extra", "section", "inserts", "seconds",
                          "lock_transfer_cycles")
    points = points.assign(seconds_per_insert=points["seconds"] / points["inserts"].astype(float))
    return points[~points["excluded"]]


def swept(points: Points) -> Points:
    """The points of a sweep, without those that --tune chose, each at another grid."""
    return points[points["tuned"].isna()]


def by_factor(points: Points) -> dict[int, Points]:
    """The points of each collision factor."""
    return {factor: select(points, collision_factor=factor)
            for factor in values(points, "collision_factor")}


def servers_in(points: Points) -> list[str]:
    """The server primitives that were run, in the order of this module."""
    run = set(points["primitive"])
    return [server for server in SERVERS if server in run]


def rate(point: Point) -> Spread:
    """Inserts per second of an ok point."""
    seconds = spread(point, "seconds")
    assert seconds is not None
    return seconds.inverse().scaled(point["inserts"])


def best(points: Points) -> Point | None:
    """The ok point of the highest rate."""
    return least(points, "seconds_per_insert")


def tuned_lock(points: Points) -> Point | None:
    """The best of all locks over all their grids, padded or not: the honest baseline."""
    return best(of(points, *LOCKS))


def at_full_occupancy(points: Points, gpu: dict[str, Any]) -> Points:
    """Listing 1 as one would launch it without tuning: with all threads that an SM holds."""
    points = select(of(points, LISTING_1), lock_padding=0)
    # Without its grid a row only says that its process failed.
    points = points[points["tbs_per_sm"].notna() & points["threads_per_block"].notna()]
    blocks, threads = points["tbs_per_sm"], points["threads_per_block"]
    return points[(blocks == 0) | (blocks >= gpu.get("max_blocks_per_sm", math.inf))
                  | (blocks * threads >= gpu.get("max_threads_per_sm", math.inf))]


def grid_sweep(points: Points) -> Points:
    """All but servers, packed, of the block size that was run at the most numbers of blocks."""
    # A server's blocks do not mean what a lock's do, and 0 stands for as many as fit.
    points = swept(select(points, lock_padding=0))
    points = points[~points["primitive"].isin(SERVERS) & (points["tbs_per_sm"].fillna(0) > 0)]
    sizes = [select(points, threads_per_block=size) for size in values(points, "threads_per_block")]
    return max(sizes, key=lambda own: own["tbs_per_sm"].nunique(), default=points[:0])


def grid_label(point: Point) -> str:
    """The launch of a point: thread blocks per SM x threads."""
    return f"{point['axes'].get('tbs_per_sm') or 'all that fit'} x " \
        f"{point['axes'].get('threads_per_block') or 'its default'}"
