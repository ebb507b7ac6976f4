"""Traffic of servers, measured with ncu, relative to that of locks: table 2 of ASPLOS'19.

Points are of whole kernels, and of kernels whose sections are only arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..query.points import PointTable
from ..query.tables import Table, table_by
from ..results.loading import Results
from . import contention, published

MEMORIES = {"L2": "l2_bytes", "DRAM": "dram_bytes"}
NET = "sections replaced by arithmetic"
WHOLE = "whole kernel"


@dataclass(frozen=True)
class Comparison:
    """The servers and the baselines of a comparison of traffic."""

    # The program's name in the paper's tables.
    program: str
    # The axis value of a whole kernel's section, and the axis with the number of operations.
    section: str
    operation: str
    servers: Sequence[str]
    # The first is the paper's baseline.
    baselines: Sequence[str]

    def servers_in(self, points: PointTable) -> list[str]:
        return [name for name in self.servers if not points.of_primitives(name).empty]

    def decides(self, points: PointTable) -> bool:
        """Whether there is a server and a lock."""
        return bool(self.servers_in(points)) and not points.of_primitives(*self.baselines).empty


def by_extent(results: Results, section: str) -> dict[str, PointTable]:
    """The points of whole kernels, and those whose section is only arithmetic (table 2)."""
    points = results.points.with_columns("collision_factor", "section", contention.SIZE_OF_SECTION)
    net = points.where(points["section"].eq("empty"))
    return {WHOLE: points.select(section=section, section_work=0),
            NET: net.where(net.above(contention.SIZE_OF_SECTION))}


def traffic(points: PointTable, primitive: str, counter: str) -> float | None:
    """Bytes of one launch; None if no run of the primitive is ok."""
    point = points.of_primitives(primitive).fastest_point()
    return None if point is None else point.median(counter) or 0.0


def percent(points: PointTable, primitive: str, baseline: str, counter: str) -> float | str:
    """Traffic of a primitive in percent of a baseline's, or a word that says why there is none."""
    own, base = (traffic(points, name, counter) for name in (primitive, baseline))
    if own is None or base is None:
        return points.of_primitives(primitive if own is None else baseline).failure_word()
    return 100 * own / base if base else f"{baseline} has none"


def tables(results: Results, comparison: Comparison) -> list[Table]:
    """For whole kernels and net of the section: traffic relative to locks, and per operation."""
    found: list[Table] = []
    for extent, points in by_extent(results, comparison.section).items():
        kind = "net" if extent == NET else "whole"
        if comparison.decides(points):
            over = " / of ".join(f"`{name}`" for name in comparison.baselines)
            found.append(Table(f"{kind}-percent", f"Traffic in percent of {over}, {extent}:",
                               "collision factor", points.values("collision_factor"),
                               _percent_rows(points, comparison, extent == NET)))
        if not points.empty:
            found += table_by(
                "collision_factor", points.by_primitive(),
                lambda own: _bytes_cell(own, f"{comparison.operation}s"), f"{kind}-bytes",
                f"Bytes per {comparison.operation}, L2 / DRAM, {extent}:", "collision factor")
    return found


def _percent_rows(points: PointTable, comparison: Comparison, with_published: bool) -> dict[str, list[str]]:
    groups = points.by("collision_factor")
    rows: dict[str, list[str]] = {}
    for memory, counter in MEMORIES.items():
        for server in comparison.servers_in(points):
            rows[f"{server}, {memory}"] = [
                " / ".join(_share(percent(here, server, baseline, counter))
                           for baseline in comparison.baselines)
                for here in groups.values()]
        if with_published:
            theirs = published.net_traffic(comparison.program)
            rows[f"server, published ({published.gpu()}), {memory}"] = [
                f"{theirs[factor][memory.lower()]} %" if factor in theirs else ""
                for factor in groups]
    return rows


def _share(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.1f} %"


def _bytes_cell(points: PointTable, operations: str) -> str:
    return points.best(lambda point: " / ".join(
        f"{(point.median(counter) or 0) / point[operations]:,.1f}" for counter in MEMORIES.values()))


def published_percent(comparison: Comparison, points: PointTable, memory: str, extent: str) -> Mapping[int, float]:
    """The paper's net traffic by collision factor; it has no other in numbers."""
    theirs = published.net_traffic(comparison.program) if extent == NET else {}
    return {factor: theirs[factor][memory.lower()] for factor in points.by("collision_factor") if factor in theirs}
