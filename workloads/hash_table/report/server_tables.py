"""Servers against locks: throughput, and tables 3 and 4 of ASPLOS'19."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from finesync_results import collisions, published
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor, three_digits
from finesync_results.points import Points, failure_word, median, of, select

from . import inserts
from .inserts import ANY_DATA, BEST_GRID, FULL, THE_WORD

_TABLE_3_FACTORS = (32, 128, 256, 512, 1024)
# Of the published rows of table 4, whose hardware was simulated (the table's caption).
_SIMULATED = {"hql": "HQL, published (simulated Radeon HD 5870)",
              "bows": "BOWS, published (simulated GTX 1080 Ti)"}

ByFactor = Mapping[int, Points]


def server_tables(results: Results) -> list[Table]:
    """Three tables where servers were run, else none."""
    points = inserts.inserts(results)
    if not inserts.servers_in(points):
        return []
    groups = collisions.by_factor(points)
    baselines = {factor: inserts.baselines(here, results.gpu) for factor, here in groups.items()}
    received = inserts.measured(results)
    received = select(received[received["section"] == "empty"], cs_extra=0)
    tables = [_throughput(results, groups, baselines, received),
              _speedups(results, groups, baselines)]
    if any(factor in groups for factor in _TABLE_3_FACTORS):
        tables.append(_latency(results, {factor: here for factor, here in groups.items()
                                         if factor in _TABLE_3_FACTORS}, baselines))
    return tables


def _throughput(results: Results, groups: ByFactor,
                baselines: Mapping[int, Mapping[str, Points]], received: Points) -> Table:
    servers = inserts.servers_in(*groups.values())
    rows = {name: [_named_rate(baselines[factor][name], results.gpu) for factor in groups]
            for name in (ANY_DATA, THE_WORD)}
    for name in (*servers, *inserts.LOCK_FREE):
        rows[name] = [_over(of(here, name), baselines[factor], ANY_DATA, THE_WORD)
                      for factor, here in groups.items()]
    if {"server_fast", "server_paper"} <= set(servers):
        rows["server_fast / server_paper"] = [
            _ratio(of(here, "server_fast"), of(here, "server_paper")) for here in groups.values()]
    for server in inserts.servers_in(received):
        own = of(received, server)
        rows[f"{server}, received only"] = [_rate(select(own, collision_factor=factor))
                                            for factor in groups]
    return Table(
        "servers", f"Servers and locks, G inserts/s and, in brackets, over {ANY_DATA} / over "
        f"{THE_WORD}, each at its best grid (thread blocks per SM x threads). "
        "Received only: requests arrive, and their sections do nothing:",
        by_factor("collision factor", list(groups), rows))


def _speedups(results: Results, groups: ByFactor,
              baselines: Mapping[int, Mapping[str, Points]]) -> Table:
    rows = {server: [" / ".join(_ratio(of(here, server), baseline)
                                for baseline in baselines[factor].values())
                     for factor, here in groups.items()]
            for server in inserts.servers_in(*groups.values())}
    theirs = published.server_speedups()
    rows[f"servers, published ({published.gpu()})"] = [
        f"{theirs[factor]:.1f}x" if factor in theirs else "" for factor in groups]
    for whose, label in _SIMULATED.items():
        others = published.speedups()[whose]
        rows[label] = [f"{others[factor]}x" if factor in others else "" for factor in groups]
    return Table(
        "asplos19-table4", f"Tables 3 and 4: speed-up over {' / over '.join((FULL, BEST_GRID))} / "
        f"over {ANY_DATA} / over {THE_WORD}, on the {results.gpu_name}; published ones are over "
        "their own baselines:",
        by_factor("HT-", list(groups), rows))


def _latency(results: Results, groups: ByFactor,
             baselines: Mapping[int, Mapping[str, Points]]) -> Table:
    rows = {name: [_latency_cell(baselines[factor][name], baselines[factor]) for factor in groups]
            for name in (FULL, BEST_GRID, ANY_DATA)}
    for server in inserts.servers_in(*groups.values()):
        rows[server] = [_latency_cell(of(here, server), baselines[factor])
                        for factor, here in groups.items()]
    theirs = published.latency()
    for whose, time in (("baseline", lambda entry: 1.0),
                        ("server", lambda entry: entry["run_time_normalised"])):
        rows[f"{whose}, published ({published.gpu()})"] = [
            f"{theirs[factor][whose]:,} / {time(theirs[factor]):.2f}" if factor in theirs else ""
            for factor in groups]
    return Table(
        "asplos19-table3", f"Table 3: lock-transfer latency in cycles / run time over that of "
        f"{FULL} / over that of {BEST_GRID}, on the {results.gpu_name}; published ones are over "
        "their own baseline:",
        by_factor("collision factor", list(groups), rows))


def _rate(points: Points) -> str:
    best = collisions.best(points)
    return failure_word(points) if best is None else three_digits(collisions.rate(best).median / 1e9)


def _named_rate(points: Points, gpu: dict[str, Any]) -> str:
    best = collisions.best(points)
    return _rate(points) if best is None else \
        f"{_rate(points)} ({best['primitive']}, {collisions.grid_label(best, gpu)})"


def _ratio(own: Points, baseline: Points) -> str:
    found = collisions.ratio(own, baseline)
    return found if isinstance(found, str) else f"{three_digits(found.median)}x"


def _over(own: Points, baselines: Mapping[str, Points], *names: str) -> str:
    if collisions.best(own) is None:
        return failure_word(own)
    return f"{_rate(own)} ({' / '.join(_ratio(own, baselines[name]) for name in names)})"


def _latency_cell(own: Points, baselines: Mapping[str, Points]) -> str:
    best = collisions.best(own)
    if best is None:
        return failure_word(own)
    cycles = median(best, "lock_transfer_cycles")
    times = [found if isinstance(found, str) else three_digits(found.median)
             for found in (collisions.ratio(baselines[name], own) for name in (FULL, BEST_GRID))]
    return " / ".join([f"{cycles:,.0f}" if cycles else "-", *times])
