"""The hash table's throughput and lock-transfer latency as Markdown tables."""

from __future__ import annotations

from collections.abc import Callable

from . import hash_table
from .loading import Results
from .markdown import by_factor
from .points import Point, failure_word, fastest, of, primitives, select, values

_CYCLES = "lock_transfer_cycles"


def hash_table_tables(results: Results) -> list[str]:
    """Lines for the report; none unless a GPU measured the hash table over several grids."""
    if not results.on_gpu or results.program != "ht":
        return []
    points = hash_table.grid_sweep(hash_table.inserts(results))
    grids = values(points, "tbs_per_sm")
    if len(grids) < 2:
        return []
    full = grids[-1]
    threads = ", ".join(str(value) for value in values(points, "threads_per_block"))
    return [
        "", f"M inserts/s at the best grid (thread blocks of {threads} threads per SM) / "
        f"at {full}:",
        "", *_table(points, lambda own: _rate_cell(own, full)),
        "", "Lock-transfer latency, cycles from one thread's unlock to the next one's lock, at the "
        f"best grid / at {full}:",
        "", *_table(_with_transfers(points), lambda own: _transfer_cell(own, full)),
    ]


def _with_transfers(points: list[Point]) -> list[Point]:
    """Without primitives of which no transfer can be timed: no lock, or one that orders no more
    than its word."""
    timed = {point.primitive for point in points if point.has(_CYCLES) or not point.ok}
    return of(points, *timed)


def _table(points: list[Point], cell: Callable[[list[Point]], str]) -> list[str]:
    factors = values(points, "collision_factor")
    return by_factor("collision factor", factors, {
        name: [cell(of(select(points, collision_factor=factor), name))
               for factor in factors] for name in primitives(points)})


def _rate_cell(points: list[Point], full: int) -> str:
    best, at_full = fastest(points), fastest(select(points, tbs_per_sm=full))
    if best is None:
        return failure_word(points)
    return (f"{_rate(best):,.0f} ({best.grid[0]}) / "
            + (f"{_rate(at_full):,.0f}" if at_full else failure_word(points)))


def _rate(point: Point) -> float:
    return hash_table.rate(point).median / 1e6


def _transfer_cell(points: list[Point], full: int) -> str:
    best, at_full = fastest(points), fastest(select(points, tbs_per_sm=full))
    return " / ".join(f"{point.counter(_CYCLES).median:,.0f}" if point
                      else failure_word(points) for point in (best, at_full))
