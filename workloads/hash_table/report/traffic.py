"""Traffic as ncu counted it: figure 8 and table 2 of ASPLOS'19."""

from __future__ import annotations

from finesync_results import published
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor
from finesync_results.points import (Points, failure_word, fastest, median, more_than, of,
                                     primitives, select, with_columns)

from . import inserts

BASELINES = ("spin", "spin_ordered")
MEMORIES = {"L2": "l2_bytes", "DRAM": "dram_bytes"}
NET = "sections replaced by arithmetic"
WHOLE = "whole kernel"


def by_extent(results: Results) -> dict[str, Points]:
    """The points of whole kernels, and those whose section is arithmetic alone (table 2)."""
    points = with_columns(results.points, "collision_factor", "section", "cs_extra")
    net = select(points, section="empty")
    return {WHOLE: select(points, section="push", cs_extra=0),
            NET: net[more_than(net, "cs_extra")]}


def traffic(points: Points, primitive: str, counter: str) -> float | None:
    """Bytes of one launch; None when no run of the primitive ended well."""
    point = fastest(of(points, primitive))
    return None if point is None else median(point, counter) or 0.0


def percent(points: Points, primitive: str, baseline: str, counter: str) -> float | str:
    """Traffic of a primitive in percent of a baseline's, or a word for why there is no such
    number."""
    own, base = (traffic(points, name, counter) for name in (primitive, baseline))
    if own is None or base is None:
        return failure_word(of(points, primitive if own is None else baseline))
    return 100 * own / base if base else f"{baseline} has none"


def traffic_tables(results: Results) -> list[Table]:
    """For whole kernels and net of the section, traffic over that of locks, and per insert."""
    tables: list[Table] = []
    for extent, points in by_extent(results).items():
        kind = "net" if extent == NET else "whole"
        servers = inserts.servers_in(points)
        if servers and not of(points, *BASELINES).empty:
            tables.append(Table(
                f"{kind}-percent", f"Traffic in percent of `spin` / of `spin_ordered`, {extent}:",
                _percent_lines(points, servers, extent == NET)))
        if not points.empty:
            tables.append(Table(f"{kind}-bytes", f"Bytes per insert, L2 / DRAM, {extent}:",
                                _bytes_lines(points)))
    return tables


def _percent_lines(points: Points, servers: list[str], with_published: bool) -> list[str]:
    groups = inserts.by_factor(points)
    rows: dict[str, list[str]] = {}
    for memory, counter in MEMORIES.items():
        for server in servers:
            rows[f"{server}, {memory}"] = [
                " / ".join(_share(percent(here, server, baseline, counter))
                           for baseline in BASELINES) for here in groups.values()]
        if with_published:
            theirs = published.net_traffic()
            rows[f"server, published ({published.gpu()}), {memory}"] = [
                f"{theirs[factor][memory.lower()]} %" if factor in theirs else ""
                for factor in groups]
    return by_factor("collision factor", list(groups), rows)


def _share(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.1f} %"


def _bytes_lines(points: Points) -> list[str]:
    groups = inserts.by_factor(points)
    return by_factor("collision factor", list(groups), {
        name: [_bytes_cell(of(here, name)) for here in groups.values()]
        for name in primitives(points)})


def _bytes_cell(points: Points) -> str:
    point = fastest(points)
    if point is None:
        return failure_word(points)
    return " / ".join(f"{(median(point, counter) or 0) / point['inserts']:,.1f}"
                      for counter in MEMORIES.values())
