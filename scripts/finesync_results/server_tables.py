"""Servers against locks as Markdown tables: throughput, and tables 3 and 4 of ASPLOS'19."""

from __future__ import annotations

from collections.abc import Mapping

from . import hash_table, published
from .loading import Results
from .markdown import by_factor
from .points import Point, failure_word, of, select, values

_LISTING_1 = "Listing 1 at full occupancy"
_TUNED = "tuned lock"
# What serves sections of one word alone, a list's head say, and so is no lock to compare with.
_OF_ONE_WORD = ("carrying", "lockfree")
_TABLE_3_FACTORS = (32, 128, 256, 512, 1024)
_TABLE_4_FACTORS = (32, 128, 512, 1024)
# Of the published rows of table 4, whose hardware was simulated (the table's caption).
_SIMULATED = {"hql": "HQL, published (simulated Radeon HD 5870)",
              "bows": "BOWS, published (simulated GTX 1080 Ti)"}

ByFactor = Mapping[int, list[Point]]


def server_tables(results: Results) -> list[str]:
    """Lines for the report; none unless a GPU ran servers."""
    if not results.on_gpu or results.program != "ht":
        return []
    points = hash_table.inserts(results)
    if not hash_table.servers_in(points):
        return []
    groups = {factor: select(points, collision_factor=factor)
              for factor in values(points, "collision_factor")}
    received = [point for point in hash_table.measured(results)
                if point.axes.get("section") == 1]
    return [
        *_throughput(groups, select(received, cs_extra=0)),
        *_latency(results, {factor: groups[factor] for factor in _TABLE_3_FACTORS
                            if factor in groups}),
        *_speedups(results, {factor: groups[factor] for factor in _TABLE_4_FACTORS
                             if factor in groups}),
    ]


def _throughput(groups: ByFactor, received: list[Point]) -> list[str]:
    servers = hash_table.servers_in(point for here in groups.values() for point in here)
    rows = {_TUNED: [_tuned_cell(here) for here in groups.values()]}
    for name in (*servers, *_OF_ONE_WORD):
        rows[name] = [_over_tuned_cell(here, name) for here in groups.values()]
    if {"server_fast", "server_paper"} <= set(servers):
        rows["server_fast / server_paper"] = [
            _ratio(of(here, "server_fast"), of(here, "server_paper"))
            for here in groups.values()]
    for server in hash_table.servers_in(received):
        own = of(received, server)
        rows[f"{server}, received only"] = [_rate(select(own, collision_factor=factor))
                                            for factor in groups]
    return ["", "Servers against the tuned lock (the best of all locks over all grids; thread "
            "blocks per SM x threads), G inserts/s and, in brackets, over the tuned lock. "
            "Received only: requests arrive, and their sections do nothing:",
            "", *by_factor("collision factor", list(groups), rows)]


def _latency(results: Results, groups: ByFactor) -> list[str]:
    if not groups:
        return []
    full = {factor: hash_table.at_full_occupancy(here, results.gpu)
            for factor, here in groups.items()}
    rows = {_LISTING_1: [_latency_cell(own, own) for own in full.values()],
            _TUNED: [_latency_cell(of(here, *hash_table.LOCKS), full[factor])
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
    return ["", f"Table 3: lock-transfer latency in cycles / run time over that of {_LISTING_1}, "
            f"on the {results.gpu_name} unless published:",
            "", *by_factor("collision factor", list(groups), rows)]


def _speedups(results: Results, groups: ByFactor) -> list[str]:
    if not groups:
        return []
    rows = {server: [_two_ratios(of(here, server),
                                 hash_table.at_full_occupancy(here, results.gpu),
                                 of(here, *hash_table.LOCKS))
                     for here in groups.values()] for server in _servers(groups)}
    labels = {"server": f"servers, published ({published.gpu()})", **_SIMULATED}
    theirs = published.speedups()
    for whose, label in labels.items():
        rows[label] = [f"{theirs[whose][factor]}x" if factor in theirs[whose] else ""
                       for factor in groups]
    return ["", f"Table 4: speed-up over {_LISTING_1} / over the tuned lock on the "
            f"{results.gpu_name}; published ones are over their own baselines:",
            "", *by_factor("HT-", list(groups), rows)]


def _servers(groups: ByFactor) -> list[str]:
    return hash_table.servers_in(point for here in groups.values() for point in here)


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _rate(points: list[Point]) -> str:
    best = hash_table.best(points)
    return _digits(hash_table.rate(best).median / 1e9) if best else failure_word(points)


def _ratio(own: list[Point], baseline: list[Point]) -> str:
    best, base = hash_table.best(own), hash_table.best(baseline)
    if best is None or base is None:
        return failure_word(baseline if best else own)
    return f"{_digits(hash_table.rate(best).over(hash_table.rate(base)).median)}x"


def _two_ratios(own: list[Point], first: list[Point], second: list[Point]) -> str:
    return f"{_ratio(own, first)} / {_ratio(own, second)}"


def _tuned_cell(here: list[Point]) -> str:
    locks = of(here, *hash_table.LOCKS)
    best = hash_table.best(locks)
    return f"{_rate(locks)} ({best.primitive}, {hash_table.grid_label(best)})" if best \
        else failure_word(locks)


def _over_tuned_cell(here: list[Point], name: str) -> str:
    own = of(here, name)
    if hash_table.best(own) is None:
        return failure_word(own)
    return f"{_rate(own)} ({_ratio(own, of(here, *hash_table.LOCKS))})"


def _latency_cell(own: list[Point], full: list[Point]) -> str:
    best, base = hash_table.best(own), hash_table.best(full)
    if best is None:
        return failure_word(own)
    cycles = best.counter("lock_transfer_cycles").median
    time = _digits(hash_table.rate(base).over(hash_table.rate(best)).median) if base \
        else failure_word(full)
    return f"{cycles:,.0f} / {time}" if cycles else f"- / {time}"
