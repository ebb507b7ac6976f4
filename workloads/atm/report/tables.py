"""Bank transfers: competing primitives, their rates, and ASPLOS'19's claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from finesync.papers import contention, paper_benchmarks, published, sync_traffic
from finesync.papers.claims import ABSENT, listed, verdict
from finesync.results.catalogue import with_roles
from finesync.results.loading import Results
from finesync.results.markdown import Table, cells_by, three_digits
from finesync.results.point_table import PointTable, Spread
from finesync.results.workload import Claim, PaperBenchmarks

FAMILIES = {"nested": "lock"}
LISTING_3 = "spin_in_order"
# How accounts are chosen, in words.
PICKS = {"uniform": "uniform", "zipf-80": "Zipf 0.8", "zipf-99": "Zipf 0.99"}
# Two general-purpose locks per transfer; servers that run sections over any data.
LOCKS = with_roles("atm", FAMILIES, *paper_benchmarks.LOCKS)
SERVERS = with_roles("atm", FAMILIES, *paper_benchmarks.SERVERS)
# The baselines, as tables and figures name them.
FULL_OCCUPANCY, BEST_GRID = "Listing 3 at full occupancy", "Listing 3 at its best grid"
BEST_LOCK = "the best lock"
# Replies are in time if 99 of 100 are.
LONGEST_ANSWER_NS = 10_000


def transfers(results: Results) -> PointTable:
    """The points of the benchmark itself: the section makes only a transfer."""
    return measured(results).select(section_work=0, section="transfer")


def measured(results: Results) -> PointTable:
    """All requested points."""
    points = results.points.with_columns(
        "collision_factor", "skew", "tbs_per_sm", "threads_per_block", "section_work", "section",
        "transfers", "seconds", "lock_transfer_cycles", "reply_p99_ns")
    return contention.with_time_per_operation(points, "transfers")


def as_in_the_paper(results: Results) -> PointTable:
    """The points of sections of any length, for a uniform choice of accounts."""
    return measured(results).select(skew="uniform", section="transfer")


def baselines(points: PointTable, gpu: dict[str, Any]) -> dict[str, PointTable]:
    """The points of each baseline. The fastest point is the baseline."""
    listing_3 = points.of_primitives(LISTING_3)
    return {FULL_OCCUPANCY: listing_3.at_full_occupancy(gpu), BEST_GRID: listing_3,
            BEST_LOCK: points.of_primitives(*LOCKS)}


def rate_rows(points: PointTable, gpu: dict[str, Any]) -> dict[str, PointTable]:
    """The points of each line of a table: all grids of a primitive, and Listing 3 at full
    occupancy, as the paper ran it."""
    lines = points.by_primitive()
    full = points.of_primitives(LISTING_3).at_full_occupancy(gpu)
    return lines if full.empty else {FULL_OCCUPANCY: full, **lines}


def in_time(points: PointTable) -> dict[str, PointTable]:
    """The same for all grids at which clients get their replies in time."""
    soon = points.where(points["reply_p99_ns"].astype(float) <= LONGEST_ANSWER_NS)
    return {f"{name}, 99 % of replies within 10 us": own
            for name, own in soon.by_primitive().items()}


BENCHMARKS = PaperBenchmarks("ATM", "Listing 3", as_in_the_paper,
                             inputs=contention.of_sizes("256", "1K", "32K", "128K"), two_locks=True)


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


def _cell(points: PointTable, gpu: dict[str, Any], absent: str) -> str:
    if points.empty:
        return absent
    point = points.fastest_point()
    if point is None:
        return points.failure_word()
    return f"{three_digits(point.rate.median / 1e6)} ({point.grid_label(gpu)})"


COMPARISON = sync_traffic.Comparison(
    program=published.BANK, section="transfer", operation="transfer", servers=SERVERS,
    baselines=(LISTING_3, "all_or_nothing"))


def traffic_tables(results: Results) -> list[Table]:
    """For whole kernels and net of the section: traffic relative to locks, and per transfer."""
    return sync_traffic.tables(results, COMPARISON)


# The paper's protocol, with the data in global memory as published, or in its messages.
_PROTOCOL = ("server_nested", "server_nested_in_memory")
_FEW, _MANY = (256, 1024), (32768, 131072)


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """The claims of the paper's sections 5.1 to 5.4."""
    results = recorded.get("atm_gpu")
    if results is None:
        return []
    points = transfers(results).select(skew="uniform")
    here = points.by("collision_factor")
    bases = {factor: baselines(own, results.gpu) for factor, own in here.items()}
    theirs = by_accounts(published.latencies())
    times = {factor: entry["run_time_normalised"] for factor, entry in theirs.items()}
    bows, servers = (by_accounts(published.speedups()[whose]) for whose in ("bows", "server"))
    return [
        Claim("servers take less time than Listing 3",
              _listed(times, lambda value: f"{value:.2f} of its time"),
              _time_of_servers(here, bases)),
        Claim("run time follows lock-transfer latency",
              "table 3: latency falls to 0.34 and 0.75, time to 0.31 and 0.68",
              _latency_and_time(here, bases)),
        Claim("servers transfer a lock in fewer cycles than Listing 3",
              _listed(theirs, lambda entry: f"{entry['server']:,} against {entry['baseline']:,}"),
              _latencies(here, bases)),
        Claim("servers gain less over Listing 3 than BOWS does",
              _listed(bows, lambda value: f"{value}x by BOWS, {servers[1024]}x by servers"),
              _below_bows(here, bases, bows)),
        Claim("few accounts are sensitive to longer sections, many are not", "figure 9",
              _sensitivity(results)),
        Claim("servers cause less traffic than locks, net of the sections",
              _listed(published.net_traffic(published.BANK),
                      lambda entry: f"L2 {entry['l2']} %, DRAM {entry['dram']} %"),
              _net_traffic(recorded.get("atm_gpu_traffic"))),
    ]


def by_accounts(numbers: Mapping[str, Any]) -> dict[int, Any]:
    """The published numbers of this program, by accounts."""
    return {published.factor(size): number
            for size, number in published.numbers_of(BENCHMARKS.name, numbers).items()}


def _listed(values: Mapping[int, Any], say: Callable[[Any], str]) -> str:
    return ", ".join(f"{say(value)} ({factor:,})" for factor, value in values.items())


def _time_of_servers(here: Mapping[int, PointTable],
                     bases: Mapping[int, Mapping[str, PointTable]]) -> str:
    found = {factor: [bases[factor][base].speedup_over(here[factor].of_primitives(*_PROTOCOL))
                      for base in (BEST_GRID, BEST_LOCK)] for factor in _FEW if factor in here}
    known = {factor: [one.median for one in ratios] for factor, ratios in found.items()
             if all(isinstance(one, Spread) for one in ratios)}
    return verdict([over[0] < 1 for over in known.values()], "; ".join(
        f"{over[0]:.2f} of that of {BEST_GRID}, {over[1]:.2f} of {BEST_LOCK}'s ({factor:,})"
        for factor, over in known.items()))


def _cycles(points: PointTable) -> float | None:
    best = points.fastest_point()
    return None if best is None else best.median("lock_transfer_cycles")


def _both_cycles(here: Mapping[int, PointTable],
                 bases: Mapping[int, Mapping[str, PointTable]]) -> dict[int, tuple[float, float]]:
    """Cycles of servers and of Listing 3, if both were timed."""
    found = {}
    for factor in _FEW:
        if factor in here:
            servers = _cycles(here[factor].of_primitives("server_nested"))
            locks = _cycles(bases[factor][BEST_GRID])
            if servers and locks:
                found[factor] = (servers, locks)
    return found


def _latencies(here: Mapping[int, PointTable],
               bases: Mapping[int, Mapping[str, PointTable]]) -> str:
    found = _both_cycles(here, bases)
    return verdict([servers < locks for servers, locks in found.values()], ", ".join(
        f"{servers:,.0f} against {locks:,.0f} ({factor:,})"
        for factor, (servers, locks) in found.items()))


def _latency_and_time(here: Mapping[int, PointTable],
                      bases: Mapping[int, Mapping[str, PointTable]]) -> str:
    said = []
    holds = []
    for factor, (servers, locks) in _both_cycles(here, bases).items():
        time = bases[factor][BEST_GRID].speedup_over(here[factor].of_primitives("server_nested"))
        if isinstance(time, Spread):
            holds.append((servers < locks) == (time.median < 1))
            said.append(f"latency {servers / locks:.2f}, time {time.median:.2f} ({factor:,})")
    return verdict(holds, "; ".join(said))


def _below_bows(here: Mapping[int, PointTable], bases: Mapping[int, Mapping[str, PointTable]],
                bows: Mapping[int, float]) -> str:
    found = {factor: here[factor].of_primitives(*_PROTOCOL).speedup_over(bases[factor][BEST_GRID])
             for factor in bows if factor in here}
    gains = {factor: one.median for factor, one in found.items() if isinstance(one, Spread)}
    return verdict([gain < bows[factor] for factor, gain in gains.items()],
                   listed(gains))


def _sensitivity(results: Results) -> str:
    """Slowdown of Listing 3 by a loop of 1,000 cycles in the section."""
    points = as_in_the_paper(results).of_primitives(LISTING_3)
    longer = contention.with_section_work(points)
    found = {factor: contention.slowdown(own)
             for factor, own in longer.by("collision_factor").items()}
    one = {factor: ratios[1].median for factor, ratios in found.items() if 1 in ratios}
    few, many = ([one[factor] for factor in group if factor in one] for group in (_FEW, _MANY))
    holds = [min(few) > max(many)] if few and many else []
    return verdict(holds, "with 1,000 cycles more " + ", ".join(
        f"{ratio:.2f}x ({factor:,})" for factor, ratio in one.items()))


def _net_traffic(results: Results | None) -> str:
    if results is None:
        return ABSENT
    points = sync_traffic.by_extent(results, COMPARISON.section)[sync_traffic.NET]
    said = []
    holds = []
    for factor, own in points.by("collision_factor").items():
        shares = [sync_traffic.percent(own, "server_nested", LISTING_3, counter)
                  for counter in sync_traffic.MEMORIES.values()]
        if not any(isinstance(share, str) for share in shares):
            holds += [share < 100 for share in shares]
            said.append(", ".join(f"{memory} {share:.1f} %" for memory, share
                                  in zip(sync_traffic.MEMORIES, shares)) + f" ({factor:,})")
    return verdict(holds, "; ".join(said))
