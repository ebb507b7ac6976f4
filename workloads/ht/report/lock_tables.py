"""The hash table's throughput and lock-transfer latency as tables."""

from __future__ import annotations

from collections.abc import Callable

from finesync_results import collisions
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor
from finesync_results.points import (Points, failure_word, fastest, median, of, primitives, select,
                                     values)

from . import inserts

_CYCLES = "lock_transfer_cycles"


def lock_tables(results: Results) -> list[Table]:
    """Two tables where the hash table was measured over several grids, else none."""
    points = inserts.grid_sweep(inserts.inserts(results))
    grids = values(points, "tbs_per_sm")
    if len(grids) < 2:
        return []
    full = grids[-1]
    threads = inserts.block_sizes(points)
    # No transfer can be timed of what is no lock or orders no more than its word.
    timed = points[points[_CYCLES].notna() | ~points["ok"]]
    return [
        Table("locks", f"M inserts/s at the best grid (thread blocks of {threads} threads per SM) "
              f"/ at {full}:", _lines(points, lambda own: _rate_cell(own, full))),
        Table("transfers", "Lock-transfer latency, cycles from one thread's unlock to the next "
              f"one's lock, at the best grid / at {full}:",
              _lines(of(points, *timed["primitive"]), lambda own: _transfer_cell(own, full)))]


def _lines(points: Points, cell: Callable[[Points], str]) -> list[str]:
    groups = collisions.by_factor(points)
    return by_factor("collision factor", list(groups), {
        name: [cell(of(here, name)) for here in groups.values()] for name in primitives(points)})


def _rate_cell(points: Points, full: int) -> str:
    best, at_full = fastest(points), fastest(select(points, tbs_per_sm=full))
    if best is None:
        return failure_word(points)
    rates = [failure_word(points) if point is None else
             f"{collisions.rate(point).median / 1e6:,.0f}" for point in (best, at_full)]
    return f"{rates[0]} ({best['tbs_per_sm']}) / {rates[1]}"


def _transfer_cell(points: Points, full: int) -> str:
    best, at_full = fastest(points), fastest(select(points, tbs_per_sm=full))
    return " / ".join(failure_word(points) if point is None else
                      f"{median(point, _CYCLES) or 0:,.0f}" for point in (best, at_full))
