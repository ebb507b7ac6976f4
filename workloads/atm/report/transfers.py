"""Who competes in the bank, at which rates."""

from __future__ import annotations

from typing import Any

from finesync_results import collisions, pairs
from finesync_results.catalogue import with_roles
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor, three_digits
from finesync_results.points import (Points, failure_word, of, primitives, select, values,
                                     with_columns)
from finesync_results.workload import Pairs

FAMILIES = {"nested": "lock"}
LISTING_3 = "listing3"
# How accounts are picked, as a reader hears it.
PICKS = {"uniform": "all alike", "zipf-80": "Zipf 0.8", "zipf-99": "Zipf 0.99"}
# Two locks for a transfer, whose data may be anything; servers that run sections over any data.
LOCKS = with_roles("atm", FAMILIES, *pairs.LOCKS)
SERVERS = with_roles("atm", FAMILIES, *pairs.SERVERS)
# The baselines, as tables and figures name them.
FULL_OCCUPANCY, BEST_GRID = "Listing 3 at full occupancy", "Listing 3 at its best grid"
BEST_LOCK = "the best lock"
# Answers come in time where 99 of 100 do.
LONGEST_ANSWER_NS = 10_000


def transfers(results: Results) -> Points:
    """The points of the benchmark itself: the section makes a transfer, and nothing else."""
    return select(measured(results), cs_extra=0, section="transfer")


def measured(results: Results) -> Points:
    """All points that were asked for."""
    return collisions.counted(
        with_columns(results.points, "collision_factor", "skew", "tbs_per_sm", "threads_per_block",
                     "cs_extra", "section", "transfers", "seconds", "lock_transfer_cycles",
                     "answer_p99_ns"), "transfers")


def as_in_the_paper(results: Results) -> Points:
    """The points of sections of any length; accounts are picked all alike."""
    return select(measured(results), skew="uniform", section="transfer")


def baselines(points: Points, gpu: dict[str, Any]) -> dict[str, Points]:
    """The points of each baseline; it is the best of them."""
    listing_3 = of(points, LISTING_3)
    return {FULL_OCCUPANCY: collisions.at_full_occupancy(listing_3, gpu), BEST_GRID: listing_3,
            BEST_LOCK: of(points, *LOCKS)}


def contenders(points: Points, gpu: dict[str, Any]) -> dict[str, Points]:
    """The points of each line of a table: all grids of a primitive; and those of Listing 3 that
    fill the GPU, as the paper ran it."""
    lines = {name: of(points, name) for name in primitives(points)}
    full = collisions.at_full_occupancy(of(points, LISTING_3), gpu)
    return lines if full.empty else {FULL_OCCUPANCY: full, **lines}


def in_time(points: Points) -> dict[str, Points]:
    """The same of all grids at which clients get their answers in time."""
    soon = points[points["answer_p99_ns"].astype(float) <= LONGEST_ANSWER_NS]
    return {f"{name}, 99 % of answers within 10 us": of(soon, name) for name in primitives(soon)}


PAIRS = Pairs("ATM", "Listing 3", as_in_the_paper,
              inputs=collisions.of_sizes("256", "1K", "32K", "128K"))


def rate_tables(results: Results) -> list[Table]:
    """A table for each way to pick accounts."""
    points = transfers(results)
    tables = []
    for picks in values(points, "skew"):
        own = select(points, skew=picks)
        factors = values(own, "collision_factor")
        lines = {name: [_cell(select(line, collision_factor=factor), results.gpu, absent)
                        for factor in factors]
                 for group, absent in ((contenders(own, results.gpu), "not run"),
                                       (in_time(own), "none"))
                 for name, line in group.items()}
        tables.append(Table(
            f"rates-{picks}", "M transfers/s and, in brackets, the grid at which they are most "
            f"(thread blocks per SM x threads); accounts picked: {PICKS[picks]}.",
            by_factor("accounts", factors, lines)))
    return tables


def _cell(points: Points, gpu: dict[str, Any], absent: str) -> str:
    if points.empty:
        return absent
    point = collisions.best(points)
    if point is None:
        return failure_word(points)
    return (f"{three_digits(collisions.rate(point).median / 1e6)} "
            f"({collisions.grid_label(point, gpu)})")
