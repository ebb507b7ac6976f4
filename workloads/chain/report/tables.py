"""Cycles of a chain by scheme, next to ICS'15's published numbers.

Today's hardware has no lock bits: `full_empty` stands for tiny-lock, with a word in place of a bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from finesync.papers import published
from finesync.query.points import PointRow, PointTable, Spread
from finesync.query.tables import Table, counts_table, spread_cell, table_by, three_digits
from finesync.results.loading import Results

# The paper's names. A word takes the place of a lock bit.
PAPER = {"spin": "atom_lock", "warp_spin": "shrd_lock", "named_barrier": "warp_barr",
         "warp_vote": "warp_vote", "full_empty": "tiny_lock"}
BASELINE = "spin"
# Schemes that take a line of PTX; the others are CUDA C++ alone.
IN_PTX = ("named_barrier", "named_barrier_chain", "mbarrier", "full_empty_unrolled", "full_empty_early_wake")
_BARRIERS_OF_A_BLOCK = 16
_WARP = 32
_WARPS = 16  # in the paper's block
_HOP = "seconds_per_operation"
_CYCLES = ["chain_cycles_p5", "chain_cycles_p50", "chain_cycles_p95"]


def measured(results: Results) -> PointTable:
    return results.points.with_columns("warps", "distance", *_CYCLES)


def warps_of_paper(points: PointTable) -> int | None:
    """The paper's number of warps, or the largest if that was not run."""
    warps = points.values("warps")
    return _WARPS if _WARPS in warps else max(warps, default=None)


def from_warp_to_warp(points: PointTable) -> PointTable:
    """The points of the paper's distance and number of warps."""
    here = points.select(distance=_WARP)
    return here.select(warps=warps_of_paper(here))


def by_distance(results: Results) -> dict[str, PointTable]:
    """The points of each distance, the paper's first, compared by the time of a hop."""
    points = measured(results).with_columns(_HOP).compared_by(_HOP)
    return {f"to the thread {distance} further": points.select(distance=distance)
            for distance in sorted(points.values("distance"), key=lambda own: own != _WARP)}


def cycles(points: PointTable) -> Spread | None:
    """Cycles of the first ok point, from the 5th percentile of its rounds to the 95th."""
    found = points.first_spread(*_CYCLES)
    return found if isinstance(found, Spread) else None


def gpu_tables(results: Results) -> list[Table]:
    """Cycles by scheme, by warps and by distance."""
    points = measured(results)
    main = from_warp_to_warp(points)
    if main.empty:
        return []
    warps = warps_of_paper(points)
    return [
        _schemes(main),
        *table_by("warps", points.select(distance=_WARP).by_primitive(), _cell, "warps",
                  "Cycles of the chain, by warps:", "warps", least=2),
        *table_by("distance", points.select(warps=warps).by_primitive(), _cell_per_link, "distances",
                  f"Cycles per hop in a block of {warps} warps, by distance between "
                  "threads; below 32 the chain runs through the lanes of each warp:", "distance",
                  least=2)]


def _schemes(points: PointTable) -> Table:
    theirs = published.at("ics15.table2_speedup_over_atom_lock")
    base = cycles(points.of_primitives(BASELINE))
    rows = {}
    for name, own in points.by_primitive().items():
        found = cycles(own)
        paper = theirs.get(PAPER.get(name, ""))
        rows[name] = [
            _cell(own), three_digits(found.median / _links(own)) if found else "-",
            f"{base.median / found.median:.2f}" if found and base else "-",
            f"{paper} ({PAPER[name]})" if paper else "-"]
    return Table(
        "schemes", f"Cycles of a chain of {points.values('warps')[0]} warps, and speed-up over the "
        "spin lock per thread:", "scheme", ["cycles", "per hop", "speed-up here",
                                            f"published ({published.gpu('ics15')})"], rows)


def table_1(results: Results) -> list[Table]:
    """Resources of the paper's schemes and, below them, of ours."""
    rows = _by_scheme(results, lambda point, theirs: [
        f"{point['effective']['sync_bytes']:,}",
        f"{theirs['shared_bytes']:,}" if theirs else "-",
        str(point["effective"]["named_barriers"]),
        str(theirs["lock_bits"]) if theirs else "-"],
        published.at("ics15.table1_resource_cost"))
    return _table(rows, "ics15-table1", f"Table 1, resources of a block without the tokens, here "
                  f"({results.gpu_name}) and as published ({published.gpu('ics15')}):",
                  ["bytes of shared memory", "published", "named barriers",
                   "lock bits, published"])


def table_2(results: Results) -> list[Table]:
    """The summary of the paper's schemes and, below them, of ours. A scheme without a chain through
    the lanes of a warp is one for whole warps."""
    points = measured(results)
    theirs = published.at("ics15")
    columns = {"granularity": "granularity", "speedup_over_atom_lock": "speed-up over the spin lock",
               "shared_bytes_per_warp": "bytes of shared memory per warp",
               "resource_limit": "resource limit", "programmability": "programmability"}
    base = cycles(from_warp_to_warp(points).of_primitives(BASELINE))

    def cells(point: PointRow, name: str | None) -> list[str]:
        found = point.spread(_CYCLES[1])
        lanes = points.of_primitives(point["primitive"]).select(distance=1)
        fine = bool(lanes["ok"].any())
        size = point["effective"]["sync_bytes"] / int(point["warps"])
        here = ["not run" if lanes.empty else "fine" if fine else "medium",
                f"{base.median / found.median:.2f}x" if base and found else point["ended"],
                f"{size:,.0f}", _limit(point, size / (_WARP if fine else 1), results),
                "PTX" if point["primitive"] in IN_PTX else "CUDA"]
        paper = [str(theirs[f"table2_{column}"][name]) if name else "-" for column in columns]
        return [cell for both in zip(here, paper) for cell in both]

    rows = _by_scheme(results, cells, {name: name for name in theirs["table2_granularity"]})
    return _table(rows, "ics15-table2", f"Table 2, schemes here ({results.gpu_name}) and as "
                  f"published ({published.gpu('ics15')}):",
                  [cell for column in columns.values() for cell in (column, "published")])


def _by_scheme(results: Results, cells: Callable[[PointRow, Any], list[str]],
               theirs: Mapping[str, Any]) -> dict[str, list[str]]:
    """The cells of each scheme that ran, the paper's first, given what the paper has of it."""
    main = from_warp_to_warp(measured(results))
    names = sorted(main.primitives(), key=lambda name: name not in PAPER)
    points = {name: main.of_primitives(name).first() for name in names}
    return {f"{name} ({PAPER[name]})" if name in PAPER else f"ours: {name}":
            cells(point, theirs.get(PAPER.get(name, "")))
            for name, point in points.items() if point["effective"]}


def _table(rows: dict[str, list[str]], name: str, title: str, columns: list[str]) -> list[Table]:
    return [Table(name, title, "scheme", columns, rows)] if rows else []


def _limit(point: PointRow, size: float, results: Results) -> str:
    """What a block runs out of, and how much of it there is; `size` is that of one lock."""
    if point["effective"]["named_barriers"]:
        return f"{_BARRIERS_OF_A_BLOCK} barriers per block"
    if not size:
        return "none"
    room = results.gpu.get("shared_bytes_per_block")
    return f"{room / size:,.0f} locks per block" if room else "shared memory"


def _links(points: PointTable) -> int:
    point = points.first()
    return max(1, (_WARP * int(point["warps"]) - 1) // int(point["distance"]))


_cell = spread_cell(*_CYCLES)


def _cell_per_link(points: PointTable) -> str:
    found = cycles(points)
    return three_digits(found.median / _links(points)) if found else points.failure_word()


# Counts per hop of a whole warp, in the order of the table.
_COUNTS = {"atomics": "count_rmw_block_shared", "loads": "count_load_block_shared",
           "stores": "count_store_block_shared", "arrivals and waits": "count_named_barrier",
           "votes and waits of the warp": "count_warp_collective"}


def operation_tables(results: Results) -> list[Table]:
    """Operations per hop, including initialization of the channels."""
    points = results.points.with_columns("warps", "rounds", *_COUNTS.values())
    warps = max(points.values("warps"), default=None)
    return counts_table(
        points.select(warps=warps), _COUNTS, "scheme",
        lambda point: point["effective"].get("hops", 0) * int(point["axes"]["rounds"]),
        f"Operations per hop of a warp, of {warps} warps, on the round-robin schedule; most loads "
        "and atomics are polls:") if warps else []
