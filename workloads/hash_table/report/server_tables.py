"""Servers against locks: throughput, and tables 3 and 4 of ASPLOS'19."""

from __future__ import annotations

from collections.abc import Mapping

from finesync_results import published
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor, three_digits
from finesync_results.points import Points, failure_word, median, of, select

from . import inserts

_LISTING_1 = "Listing 1 at full occupancy"
_TUNED = "tuned lock"
# What serves sections of one word alone, a list's head say, and so is no lock to compare with.
_OF_ONE_WORD = ("carrying", "lockfree")
_TABLE_3_FACTORS = (32, 128, 256, 512, 1024)
_TABLE_4_FACTORS = (32, 128, 512, 1024)
# Of the published rows of table 4, whose hardware was simulated (the table's caption).
_SIMULATED = {"hql": "HQL, published (simulated Radeon HD 5870)",
              "bows": "BOWS, published (simulated GTX 1080 Ti)"}

ByFactor = Mapping[int, Points]


def server_tables(results: Results) -> list[Table]:
    """Three tables where servers were run, else none."""
    points = inserts.inserts(results)
    if not inserts.servers_in(points):
        return []
    groups = inserts.by_factor(points)
    received = inserts.measured(results)
    received = select(received[received["section"] == 1], cs_extra=0)
    return [
        _throughput(groups, received),
        *_latency(results, {factor: groups[factor] for factor in _TABLE_3_FACTORS
                            if factor in groups}),
        *_speedups(results, {factor: groups[factor] for factor in _TABLE_4_FACTORS
                             if factor in groups}),
    ]


def _throughput(groups: ByFactor, received: Points) -> Table:
    servers = _servers(groups)
    rows = {_TUNED: [_tuned_cell(here) for here in groups.values()]}
    for name in (*servers, *_OF_ONE_WORD):
        rows[name] = [_over_tuned_cell(here, name) for here in groups.values()]
    if {"server_fast", "server_paper"} <= set(servers):
        rows["server_fast / server_paper"] = [
            _ratio(of(here, "server_fast"), of(here, "server_paper"))
            for here in groups.values()]
    for server in inserts.servers_in(received):
        own = of(received, server)
        rows[f"{server}, received only"] = [_rate(select(own, collision_factor=factor))
                                            for factor in groups]
    return Table(
        "servers", "Servers against the tuned lock (the best of all locks over all grids; thread "
        "blocks per SM x threads), G inserts/s and, in brackets, over the tuned lock. "
        "Received only: requests arrive, and their sections do nothing:",
        by_factor("collision factor", list(groups), rows))


def _latency(results: Results, groups: ByFactor) -> list[Table]:
    if not groups:
        return []
    full = {factor: inserts.at_full_occupancy(here, results.gpu)
            for factor, here in groups.items()}
    rows = {_LISTING_1: [_latency_cell(own, own) for own in full.values()],
            _TUNED: [_latency_cell(of(here, *inserts.LOCKS), full[factor])
                     for factor, here in groups.items()]}
    for server in _servers(groups):
        rows[server] = [_latency_cell(of(here, server), full[factor])
                        for factor, here in groups.items()]
    theirs = published.latency()
    for whose, time in (("baseline", lambda entry: 1.0),
                        ("server", lambda entry: entry["run_time_normalised"])):
        rows[f"{whose}, published ({published.gpu()})"] = [
            f"{theirs[factor][whose]:,} / {time(theirs[factor]):.2f}" if factor in theirs else ""
            for factor in groups]
    return [Table(
        "asplos19-table3", "Table 3: lock-transfer latency in cycles / run time over that of "
        f"{_LISTING_1}, on the {results.gpu_name} unless published:",
        by_factor("collision factor", list(groups), rows))]


def _speedups(results: Results, groups: ByFactor) -> list[Table]:
    if not groups:
        return []
    rows = {server: [_two_ratios(of(here, server),
                                 inserts.at_full_occupancy(here, results.gpu),
                                 of(here, *inserts.LOCKS))
                     for here in groups.values()] for server in _servers(groups)}
    labels = {"server": f"servers, published ({published.gpu()})", **_SIMULATED}
    theirs = published.speedups()
    for whose, label in labels.items():
        rows[label] = [f"{theirs[whose][factor]}x" if factor in theirs[whose] else ""
                       for factor in groups]
    return [Table(
        "asplos19-table4", f"Table 4: speed-up over {_LISTING_1} / over the tuned lock on the "
        f"{results.gpu_name}; published ones are over their own baselines:",
        by_factor("HT-", list(groups), rows))]


def _servers(groups: ByFactor) -> list[str]:
    run = {server for here in groups.values() for server in inserts.servers_in(here)}
    return [server for server in inserts.SERVERS if server in run]


def _rate(points: Points) -> str:
    best = inserts.best(points)
    return failure_word(points) if best is None else three_digits(inserts.rate(best).median / 1e9)


def _ratio(own: Points, baseline: Points) -> str:
    best, base = inserts.best(own), inserts.best(baseline)
    if best is None or base is None:
        return failure_word(own if best is None else baseline)
    return f"{three_digits(inserts.rate(best).over(inserts.rate(base)).median)}x"


def _two_ratios(own: Points, first: Points, second: Points) -> str:
    return f"{_ratio(own, first)} / {_ratio(own, second)}"


def _tuned_cell(here: Points) -> str:
    locks = of(here, *inserts.LOCKS)
    best = inserts.best(locks)
    return failure_word(locks) if best is None else \
        f"{_rate(locks)} ({best['primitive']}, {inserts.grid_label(best)})"


def _over_tuned_cell(here: Points, name: str) -> str:
    own = of(here, name)
    if inserts.best(own) is None:
        return failure_word(own)
    return f"{_rate(own)} ({_ratio(own, of(here, *inserts.LOCKS))})"


def _latency_cell(own: Points, full: Points) -> str:
    best, base = inserts.best(own), inserts.best(full)
    if best is None:
        return failure_word(own)
    cycles = median(best, "lock_transfer_cycles")
    time = failure_word(full) if base is None else \
        three_digits(inserts.rate(base).over(inserts.rate(best)).median)
    return f"{cycles:,.0f} / {time}" if cycles else f"- / {time}"
