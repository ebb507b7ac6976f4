"""ASPLOS'19's tables 3 and 4 for one program: lock transfers, and speed-ups over locks of all other
primitives."""

from __future__ import annotations

from collections.abc import Mapping

from ..query.points import PointTable
from ..query.tables import Table, cell_of
from ..results.loading import Results
from . import paper_benchmarks, published
from .paper_benchmarks import PaperBenchmark

# Rows of table 4 with simulated hardware (by the table's caption).
SIMULATED = {"hql": "HQL, published (simulated Radeon HD 5870)", "bows": "BOWS, published (simulated GTX 1080 Ti)"}


def recorded(results: Results) -> list[PaperBenchmark]:
    """The program's pairs that have points in the results file."""
    return [pair for pair in paper_benchmarks.benchmarks_of(results.program, results) if not pair.plain.empty]


def baselines(own: list[PaperBenchmark]) -> list[dict[str, PointTable]]:
    """The baselines of each pair; full occupancy is left out if it was never run."""
    found = [pair.baselines() for pair in own]
    return [{name: points for name, points in here.items()
             if not all(other[name].empty for other in found)} for here in found]


def others(own: list[PaperBenchmark]) -> list[str]:
    """All recorded primitives except locks, in the order of the catalogue."""
    return [name for name, role in own[0].roles.items() if role not in paper_benchmarks.LOCKS
            and any(name in pair.plain.primitives() for pair in own)] if own else []


def tables(results: Results) -> list[Table]:
    """Speed-ups, if there are locks and others, and lock transfers, if they were timed."""
    own = recorded(results)
    bases = baselines(own)
    if not others(own) or "the best lock" not in bases[0]:
        return []
    found = [_speedups(results, own, bases)]
    if any(pair.plain["lock_transfer_cycles"].notna().any() for pair in own):
        found.append(_latencies(results, own, bases))
    return found


def _speedups(results: Results, own: list[PaperBenchmark], bases: list[dict[str, PointTable]]) -> Table:
    rows = {name: [_over(pair.plain.of_primitives(name), here) for pair, here in zip(own, bases)]
            for name in others(own)}
    rows |= {label: published_cells(own, numbers)
             for label, numbers in published_rows(published.server_speedups()).items()
             if any(pair.name in numbers for pair in own)}
    return Table(
        "asplos19-speedups",
        f"Speed-up over {' / over '.join(bases[0])}, each at its best grid, on "
        f"the {results.gpu_name}; published speed-ups (tables 3 and 4) are over their own baselines:",
        "pair", [pair.name for pair in own], rows)


def _latencies(results: Results, own: list[PaperBenchmark], bases: list[dict[str, PointTable]]) -> Table:
    printed = [name for name in bases[0] if name != "the best lock"]
    servers = [name for name in others(own) if own[0].roles[name] in paper_benchmarks.SERVERS]
    rows = {name: [_latency(here[name], here, printed) for here in bases] for name in bases[0]}
    rows |= {name: [_latency(pair.plain.of_primitives(name), here, printed)
                    for pair, here in zip(own, bases)] for name in servers}
    rows |= published_latencies(own)
    return Table(
        "asplos19-latencies", "Lock-transfer latency in cycles / run time relative to "
        f"{' / relative to '.join(printed)}, on the {results.gpu_name}; published run times (table "
        "3) are relative to their own baseline:", "pair", [pair.name for pair in own], rows)


def published_latencies(own: list[PaperBenchmark]) -> dict[str, list[str]]:
    """The rows of table 3, if it has one of these pairs."""
    theirs = published.latencies()
    if not any(pair.name in theirs for pair in own):
        return {}
    return {f"{whose}, published ({published.gpu()})": [
        f"{theirs[pair.name][whose]:,} / {theirs[pair.name][time] if time else 1:.2f}"
        if pair.name in theirs else "" for pair in own]
            for whose, time in (("baseline", ""), ("server", "run_time_normalised"))}


def published_rows(servers: dict[str, float]) -> dict[str, dict[str, float]]:
    """The speed-ups of table 4, by row and pair, with these of servers."""
    return {f"servers, published ({published.gpu()})": servers,
            **{label: published.speedups()[whose] for whose, label in SIMULATED.items()}}


def published_cells(own: list[PaperBenchmark], numbers: Mapping[str, float]) -> list[str]:
    """The published speed-up of each pair that has one."""
    return [f"{numbers[pair.name]:.1f}x" if pair.name in numbers else "" for pair in own]


def _over(points: PointTable, here: Mapping[str, PointTable]) -> str:
    return points.best(lambda _: " / ".join(
        cell_of(paper_benchmarks.over(points, base), "x") for base in here.values()))


def _latency(points: PointTable, here: Mapping[str, PointTable], printed: list[str]) -> str:
    best = points.fastest_point()
    if best is None and points.time_limit() is None:
        return points.failure_word()
    cycles = best.median("lock_transfer_cycles") if best else None
    times = (paper_benchmarks.relative_time(points, here[name]) for name in printed)
    return " / ".join([f"{cycles:,.0f}" if cycles else "-", *map(cell_of, times)])
