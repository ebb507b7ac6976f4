"""Cycles of a chain by scheme, next to ICS'15's published numbers.

Today's hardware has no lock bits: `full_empty` stands for tiny-lock, with a word in place of a bit.
"""

from __future__ import annotations

from finesync.papers import published
from finesync.results.loading import Results
from finesync.results.markdown import Table, counts_table, table_by, three_digits
from finesync.results.point_table import PointRow, PointTable, Spread

# The paper's names. A word takes the place of a lock bit.
PAPER = {"spin": "atom_lock", "warp_spin": "shrd_lock", "named_barrier": "warp_barr",
         "warp_vote": "warp_vote", "full_empty": "tiny_lock"}
BASELINE = "spin"
# Schemes that take a line of PTX; the others are CUDA C++ alone.
IN_PTX = ("named_barrier", "named_barrier_chain", "mbarrier", "full_empty_unrolled",
          "full_empty_early_wake")
_BARRIERS_OF_A_BLOCK = 16
_WARP = 32
_CYCLES = ["chain_cycles_p5", "chain_cycles_p50", "chain_cycles_p95"]


def measured(results: Results) -> PointTable:
    return results.points.with_columns("warps", "distance", *_CYCLES)


def from_warp_to_warp(points: PointTable) -> PointTable:
    """The points of the paper's distance with the largest number of warps."""
    here = points.select(distance=_WARP)
    return here.select(warps=max(here.values("warps"), default=None))


def cycles(points: PointTable) -> Spread | None:
    """Cycles of the first ok point, from the 5th percentile of its rounds to the 95th."""
    return points.first_spread(*_CYCLES)


def gpu_tables(results: Results) -> list[Table]:
    """Figure 4 and tables 1 and 2 of the paper; cycles by warps and by distance."""
    points = measured(results)
    main = from_warp_to_warp(points)
    if main.empty:
        return []
    most = max(points.values("warps"))
    return [
        _schemes(main), _resources(main), _summary(points, main, results),
        *table_by("warps", points.select(distance=_WARP).by_primitive(), _cell, "warps",
                  "Cycles of the chain, by warps:", "warps", least=2),
        *table_by("distance", points.select(warps=most).by_primitive(), _cell_per_link, "distances",
                  f"Cycles per hop in a block of {most} warps, by distance between "
                  "threads; below 32 the chain runs through the lanes of each warp:", "distance",
                  least=2)]


def _schemes(points: PointTable) -> Table:
    theirs = published.ics15()["table2_speedup_over_atom_lock"]
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


def _resources(points: PointTable) -> Table:
    theirs = published.ics15()["table1_resource_cost"]
    rows = {}
    for name in points.primitives():
        point = points.of_primitives(name).first()
        effective, paper = point["effective"], theirs.get(PAPER.get(point["primitive"], ""))
        if not effective:
            continue
        rows[point["primitive"]] = [
            f"{effective['sync_bytes']:,}", str(effective["named_barriers"]),
            f"{paper['shared_bytes']:,} bytes, {paper['lock_bits']} lock bits" if paper else "-"]
    return Table("resources", "Resources per block, without the tokens:", "scheme",
                 ["bytes of shared memory", "named barriers", "published"], rows)


def _summary(points: PointTable, main: PointTable, results: Results) -> Table:
    """The paper's table 2. A scheme without a chain through the lanes of a warp is one for whole
    warps."""
    theirs = published.ics15()
    base = cycles(main.of_primitives(BASELINE))
    rows = {}
    for name, own in main.by_primitive().items():
        point, paper = own.first(), PAPER.get(name, "")
        if not point["effective"]:
            continue
        lanes = points.of_primitives(name).select(distance=1)
        size = point["effective"]["sync_bytes"] / point["warps"]
        found = cycles(own)
        here = {"granularity": "not run" if lanes.empty else "fine" if lanes["ok"].any() else "medium",
                "speedup_over_atom_lock": f"x{base.median / found.median:.2f}"
                if found and base else own.failure_word(),
                "shared_bytes_per_warp": f"{size:,.0f}",
                "resource_limit": _limit(point, size / (_WARP if lanes["ok"].any() else 1), results),
                "programmability": "PTX" if name in IN_PTX else "CUDA"}
        rows[name] = [text + (f" ({theirs[f'table2_{column}'][paper]})" if paper else "")
                      for column, text in here.items()]
    return Table("table-2", "ICS'15, table 2: here, and as published for the scheme that a primitive "
                 f"stands for ({published.gpu('ics15')}) in brackets:", "scheme",
                 ["granularity", "performance", "bytes per warp", "resource limit",
                  "programmability"], rows)


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


def _cell(points: PointTable) -> str:
    found = cycles(points)
    return three_digits(found.median) if found else points.failure_word()


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
