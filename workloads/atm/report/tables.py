"""Bank transfers: competing primitives, and their rates."""

from __future__ import annotations

from functools import partial
from typing import Any

from finesync.papers import contention, paper_benchmarks, sync_traffic
from finesync.query.points import PointTable
from finesync.query.tables import Table, cells_by, three_digits
from finesync.results.catalogue import with_roles
from finesync.results.loading import Results
from finesync.results.workload import PaperBenchmarks

FAMILIES = {"nested": "lock"}
LISTING_3 = "spin_in_order"
# How accounts are chosen, in words.
PICKS = {"uniform": "uniform", "zipf-80": "Zipf 0.8", "zipf-99": "Zipf 0.99"}
# Those that run sections over any data.
SERVERS = with_roles("atm", FAMILIES, *paper_benchmarks.SERVERS)
FULL_OCCUPANCY = "Listing 3 at full occupancy"  # as tables name it
# Replies are in time if 99 of 100 are.
LONGEST_ANSWER_NS = 10_000


def transfers(results: Results) -> PointTable:
    """The points of the benchmark itself: the section makes only a transfer."""
    return measured(results).select(section_work=0, section="transfer")


def measured(results: Results) -> PointTable:
    """All requested points of one GPU."""
    points = _asked_for(results)
    return points.where(points["gpus"].isna())


def across_gpus(results: Results) -> PointTable:
    """The points of what several GPUs do together."""
    points = _asked_for(results)
    return points.where(points["gpus"].notna())


def _asked_for(results: Results) -> PointTable:
    points = results.points.with_columns(
        "collision_factor", "skew", "tbs_per_sm", "threads_per_block", "section_work", "section",
        "transfers", "seconds", "lock_transfer_cycles", "reply_p99_ns", "gpus")
    return contention.with_time_per_operation(points, "transfers")


def as_in_the_paper(results: Results) -> PointTable:
    """The points of sections of any length, for a uniform choice of accounts."""
    return measured(results).select(skew="uniform", section="transfer")


def rate_rows(points: PointTable, gpu: dict[str, Any]) -> dict[str, PointTable]:
    """The points of each line of a table: all grids of a primitive, and Listing 3 at full
    occupancy, as the paper ran it."""
    lines = points.by_primitive()
    full = points.of_primitives(LISTING_3).at_full_occupancy(gpu)
    return lines if full.empty else {FULL_OCCUPANCY: full, **lines}


def in_time(points: PointTable) -> dict[str, PointTable]:
    """The same for all grids at which clients get their replies in time."""
    soon = points.where(points["reply_p99_ns"].astype(float) <= LONGEST_ANSWER_NS)
    return {f"{name}, 99 % of replies within 10 us": own for name, own in soon.by_primitive().items()}


BENCHMARKS = PaperBenchmarks("ATM", "Listing 3", as_in_the_paper,
                             inputs=contention.of_sizes("256", "1K", "32K", "128K"), two_locks=True,
                             large_inputs=contention.of_sizes("16M"))


def rate_tables(results: Results) -> list[Table]:
    """A table for each way to choose accounts."""
    points = transfers(results)
    tables = []
    for picks in points.values("skew"):
        own = points.select(skew=picks)
        factors = own.values("collision_factor")
        lines = {name: cells for group, absent in ((rate_rows(own, results.gpu), "not run"),
                                                   (in_time(own), "none"))
                 for name, cells in cells_by(
                     "collision_factor", factors, group,
                     partial(_cell, gpu=results.gpu, absent=absent)).items()}
        tables.append(Table(
            f"rates-{picks}", "M transfers/s and, in brackets, the best launch configuration "
            f"(thread blocks per SM x threads); choice of accounts: {PICKS[picks]}.",
            "accounts", factors, lines))
    return tables


def gpus_tables(results: Results) -> list[Table]:
    """A table for each number of GPUs."""
    points = across_gpus(results)
    return [Table(f"gpus-{gpus}", "M transfers/s of all GPUs together and, in brackets, the best launch "
                  f"configuration of each (thread blocks per SM x threads), GPUs: {gpus}.",
                  "accounts", factors, cells_by("collision_factor", factors, own.by_primitive(),
                                                partial(_cell, gpu=results.gpu, absent="not run")))
            for gpus, own in points.by("gpus").items()
            for factors in [own.values("collision_factor")]]


def _cell(points: PointTable, gpu: dict[str, Any], absent: str) -> str:
    return absent if points.empty else points.best(
        lambda point: f"{three_digits(point.rate.median / 1e6)} ({point.grid_label(gpu)})")


COMPARISON = sync_traffic.Comparison(
    program="atm", section="transfer", operation="transfer", servers=SERVERS,
    baselines=(LISTING_3, "all_or_nothing"))


def traffic_tables(results: Results) -> list[Table]:
    """For whole kernels and net of the section: traffic relative to locks, and per transfer."""
    return sync_traffic.tables(results, COMPARISON)
