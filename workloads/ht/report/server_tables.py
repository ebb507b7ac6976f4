"""Servers against locks: throughput."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from finesync_results import collisions
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor, three_digits
from finesync_results.points import Points, failure_word, of, select

from . import inserts
from .inserts import ANY_DATA, THE_WORD

ByFactor = Mapping[int, Points]


def server_tables(results: Results) -> list[Table]:
    """One where servers were run, else none."""
    points = inserts.inserts(results)
    if not inserts.servers_in(points):
        return []
    groups = collisions.by_factor(points)
    baselines = {factor: inserts.baselines(here) for factor, here in groups.items()}
    received = inserts.measured(results)
    received = select(received[received["section"] == "empty"], cs_extra=0)
    return [_throughput(results, groups, baselines, received)]


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
