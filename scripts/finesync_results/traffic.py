"""Traffic as ncu counted it: of the hash table, figure 8 and table 2 of ASPLOS'19; of barriers,
mutexes and semaphores, L2 sectors per operation."""

from __future__ import annotations

from collections.abc import Iterable

from . import contest, hash_table, published
from .contest_tables import of_first_ok, table, three_digits
from .loading import Results
from .markdown import by_factor
from .points import Point, failure_word, fastest, gather, of, primitives, select, values


def program_of(workload: str) -> str:
    """The name by which results files call a workload's counts."""
    return f"{workload}_traffic"


PROGRAM = program_of("ht")
BASELINES = ("spin", "spin_ordered")
MEMORIES = {"L2": "l2_bytes", "DRAM": "dram_bytes"}
NET = "sections replaced by arithmetic"
WHOLE = "whole kernel"
# A look is a read. What ncu calls a reduction is an atomic whose result nobody wanted.
SECTORS = {"reads": ("l2_sectors_read",), "writes": ("l2_sectors_write",),
           "atomics": ("l2_sectors_atomic", "l2_sectors_reduction")}


def by_extent(results: Results) -> dict[str, list[Point]]:
    """The points of whole kernels, and those whose section is arithmetic alone (table 2)."""
    points = gather(results.rows)
    return {WHOLE: select(points, section=0, cs_extra=0),
            NET: [point for point in select(points, section=1) if point.axes.get("cs_extra")]}


def traffic(points: Iterable[Point], primitive: str, counter: str) -> float | None:
    """Bytes of one launch; None when no run of the primitive ended well."""
    point = fastest(of(points, primitive))
    return point.counter(counter).median if point else None


def percent(points: list[Point], primitive: str, baseline: str, counter: str) -> float | str:
    """Traffic of a primitive in percent of a baseline's, or a word for why there is no such
    number."""
    own, base = (traffic(points, name, counter) for name in (primitive, baseline))
    if own is None or base is None:
        return failure_word(of(points, primitive if own is None else baseline))
    return 100 * own / base if base else f"{baseline} has none"


def traffic_tables(results: Results) -> list[str]:
    """Lines for the report; none unless the results are counts of ncu."""
    for workload in contest.PROGRAMS:
        if results.program == program_of(workload):
            return _contest_tables(results, contest.OPERATIONS[workload])
    if results.program != PROGRAM:
        return []
    lines: list[str] = []
    for extent, points in by_extent(results).items():
        servers = hash_table.servers_in(points)
        if servers and of(points, *BASELINES):
            lines += ["", f"Traffic in percent of `spin` / of `spin_ordered`, {extent}:",
                      "", *_percent_table(points, servers, extent == NET)]
        if points:
            lines += ["", f"Bytes per insert, L2 / DRAM, {extent}:", "", *_bytes_table(points)]
    return lines


def _contest_tables(results: Results, operation: str) -> list[str]:
    lines: list[str] = []
    for which, points in contest.sweeps(contest.measured(results)).items():
        lines += ["", f"L2 sectors per {operation}, counted by ncu, {' / '.join(SECTORS)}, "
                  f"{which}:", "", *table(points, of_first_ok(_sectors))]
    return lines


def _sectors(point: Point) -> str:
    return " / ".join(three_digits(sectors_per_operation(point, kind)) for kind in SECTORS)


def sectors_per_operation(point: Point, kind: str) -> float:
    """L2 sectors of an ok point of barriers, mutexes or semaphores; `kind` is a key of SECTORS."""
    sectors = sum(point.counter(name).median for name in SECTORS[kind])
    return sectors / point.counter("operations").median


def _percent_table(points: list[Point], servers: list[str], with_published: bool) -> list[str]:
    groups = _groups(points)
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


def _groups(points: list[Point]) -> dict[int, list[Point]]:
    return {factor: select(points, collision_factor=factor)
            for factor in values(points, "collision_factor")}


def _share(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.1f} %"


def _bytes_table(points: list[Point]) -> list[str]:
    groups = _groups(points)
    return by_factor("collision factor", list(groups), {
        name: [_bytes_cell(of(here, name)) for here in groups.values()]
        for name in primitives(points)})


def _bytes_cell(points: list[Point]) -> str:
    point = fastest(points)
    if point is None:
        return failure_word(points)
    return " / ".join(f"{point.counter(counter).median / point.axes['inserts']:,.1f}"
                      for counter in MEMORIES.values())
