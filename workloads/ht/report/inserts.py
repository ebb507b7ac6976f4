"""Who competes in the hash-table workload, and against which baselines."""

from __future__ import annotations

from finesync_results import collisions, pairs
from finesync_results.catalogue import contenders, of_kind, with_roles
from finesync_results.loading import Results
from finesync_results.points import Points, more_than, of, select, values, with_columns
from finesync_results.workload import Pairs

FAMILIES = {"locks": "many", "servers": "channel"}
# Locks that protect any data; those that carry the protected word along, which serve sections of
# no more; what needs no lock for such a section.
SERVERS = of_kind("ht", FAMILIES, "server")
LOCK_FREE = of_kind("ht", FAMILIES, "lock_free")
CARRYING = tuple(entry["name"] for entry in contenders("ht", FAMILIES) if entry.get("carries_word"))
LOCKS = with_roles("ht", FAMILIES, *pairs.LOCKS)
LISTING_1 = "spin"
# The baselines, as tables name them.
ANY_DATA, THE_WORD = "the best lock that protects any data", "the best lock that carries the word"


def inserts(results: Results) -> Points:
    """The points of the benchmark itself: the section pushes onto a list, and nothing else."""
    return select(measured(results), cs_extra=0, section="push")


def measured(results: Results) -> Points:
    """All points that were asked for, which candidates that failed while tuning were not."""
    points = with_columns(results.points, "collision_factor", "tbs_per_sm", "threads_per_block",
                          "lock_padding", "cs_extra", "section", "inserts", "seconds",
                          "lock_transfer_cycles")
    return collisions.counted(points, "inserts")


def servers_in(*groups: Points) -> list[str]:
    """The server primitives that were run, in the order of this module."""
    run = {name for points in groups for name in points["primitive"]}
    return [server for server in SERVERS if server in run]


def baselines(points: Points) -> dict[str, Points]:
    """The points of each baseline; it is the best of them. Locks are taken over all their grids,
    padded or not."""
    return {ANY_DATA: of(points, *LOCKS), THE_WORD: of(points, *CARRYING)}


def as_in_the_paper(results: Results) -> Points:
    """The points of sections of any length; Listing 1's locks lie side by side."""
    points = select(measured(results), section="push")
    return points[~(points["primitive"].eq(LISTING_1) & points["lock_padding"].eq("padded"))]


def grid_sweep(points: Points) -> Points:
    """All but servers, packed, of the block size that was run at the most numbers of blocks."""
    # A server's blocks do not mean what a lock's do; "auto" is no number of blocks to sweep over.
    points = collisions.swept(select(points, lock_padding="packed"))
    points = points[~points["primitive"].isin(SERVERS) & more_than(points, "tbs_per_sm")]
    sizes = [select(points, threads_per_block=size) for size in values(points, "threads_per_block")]
    return max(sizes, key=lambda own: own["tbs_per_sm"].nunique(), default=points[:0])


def block_sizes(points: Points) -> str:
    """The threads of thread blocks that ran; where none did, of those that were asked for."""
    ran = {ran["threads_per_block"] for ran in points["ran"] if ran}
    return " and ".join(map(str, sorted(ran) or values(points, "threads_per_block")))


PAIRS = Pairs("HT", "Listing 1", as_in_the_paper,
              inputs=collisions.of_sizes("256", "1K", "32K", "128K"),
              table_4_inputs=collisions.of_sizes("32", "128", "512"))
