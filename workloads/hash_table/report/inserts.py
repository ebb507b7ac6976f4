"""Who competes in the hash-table workload, and against which baselines."""

from __future__ import annotations

import math
from typing import Any

from finesync_results.catalogue import contenders
from finesync_results.loading import Results
from finesync_results.points import (Point, Points, Spread, each, failure_word, least, more_than,
                                     of, select, spread, values, with_columns)

FAMILIES = {"locks": "many", "servers": "channel"}
_ENTRIES = contenders("ht", FAMILIES)


def _names(**facts: Any) -> tuple[str, ...]:
    return tuple(entry["name"] for entry in _ENTRIES
                 if all(bool(entry.get(fact)) == wanted for fact, wanted in facts.items()))


# Locks that protect any data; those that carry the protected word along, which serve sections of
# no more; what needs no lock for such a section.
SERVERS = _names(defaults=True)
LOCK_FREE = _names(by_hand=True)
CARRYING = _names(carries_word=True)
LOCKS = tuple(name for name in _names() if name not in (*SERVERS, *LOCK_FREE, *CARRYING))
LISTING_1 = "spin"
# The baselines, as tables and figures name them.
FULL, BEST_GRID = "Listing 1 at full occupancy", "Listing 1 at its best grid"
ANY_DATA, THE_WORD = "the best lock that protects any data", "the best lock that carries the word"


def inserts(results: Results) -> Points:
    """The points of the benchmark itself: the section pushes onto a list, and nothing else."""
    return select(measured(results), cs_extra=0, section="push")


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


def servers_in(*groups: Points) -> list[str]:
    """The server primitives that were run, in the order of this module."""
    run = {name for points in groups for name in points["primitive"]}
    return [server for server in SERVERS if server in run]


def rate(point: Point) -> Spread:
    """Inserts per second of an ok point."""
    seconds = spread(point, "seconds")
    assert seconds is not None
    return seconds.inverse().scaled(point["inserts"])


def best(points: Points) -> Point | None:
    """The ok point of the highest rate."""
    return least(points, "seconds_per_insert")


def baselines(points: Points, gpu: dict[str, Any]) -> dict[str, Points]:
    """The points of each baseline; it is the best of them. Locks are taken over all their grids,
    padded or not; the paper's too, and as one would launch it without tuning."""
    listing_1 = select(of(points, LISTING_1), lock_padding="packed")
    return {FULL: _at_full_occupancy(listing_1, gpu), BEST_GRID: listing_1,
            ANY_DATA: of(points, *LOCKS), THE_WORD: of(points, *CARRYING)}


def ratio(own: Points, baseline: Points) -> Spread | str:
    """The rate of the best over that of the best of the baseline, or a word for why there is no
    such number."""
    best_own, best_base = best(own), best(baseline)
    if best_own is None or best_base is None:
        return failure_word(own if best_own is None else baseline)
    return rate(best_own).over(rate(best_base))


def _at_full_occupancy(points: Points, gpu: dict[str, Any]) -> Points:
    """Those that ran with as many threads or thread blocks as the SMs hold."""
    sms, blocks, threads = (gpu.get(what, math.inf) for what in
                            ("sms", "max_blocks_per_sm", "max_threads_per_sm"))
    full = [bool(ran) and (ran["blocks"] >= sms * blocks
                           or ran["blocks"] * ran["threads_per_block"] >= sms * threads)
            for ran in points["ran"]]
    return points.loc[full]


def grid_sweep(points: Points) -> Points:
    """All but servers, packed, of the block size that was run at the most numbers of blocks."""
    # A server's blocks do not mean what a lock's do; "auto" is no number of blocks to sweep over.
    points = swept(select(points, lock_padding="packed"))
    points = points[~points["primitive"].isin(SERVERS) & more_than(points, "tbs_per_sm")]
    sizes = [select(points, threads_per_block=size) for size in values(points, "threads_per_block")]
    return max(sizes, key=lambda own: own["tbs_per_sm"].nunique(), default=points[:0])


def grid_label(point: Point, gpu: dict[str, Any]) -> str:
    """The launch of a point that ran: thread blocks per SM x threads."""
    ran = point["ran"]
    blocks = ran["blocks"] / gpu["sms"]
    said = f"{blocks:.0f}" if blocks.is_integer() else f"{blocks:.1f}"
    return f"{said} x {ran['threads_per_block']}"


def grid_labels(points: Points, gpu: dict[str, Any]) -> list[str]:
    """The launches of all that ran."""
    return sorted({grid_label(point, gpu) for point in each(points) if point["ran"]})


def block_sizes(points: Points) -> str:
    """The threads of thread blocks that ran; where none did, of those that were asked for."""
    ran = {ran["threads_per_block"] for ran in points["ran"] if ran}
    return " and ".join(map(str, sorted(ran) or values(points, "threads_per_block")))
