"""Cycles of a chain by scheme, next to ICS'15's published numbers: tables and claims.

Today's hardware has no lock bits: `full_empty` stands for tiny-lock, with a word in place of a bit.
"""

from __future__ import annotations

from collections.abc import Mapping

from finesync.papers import published
from finesync.papers.claims import verdict
from finesync.results.loading import Results
from finesync.results.markdown import Table, by_name, by_number, three_digits
from finesync.results.point_table import PointTable, Spread
from finesync.results.workload import Claim

# The paper's names. A word takes the place of a lock bit.
PAPER = {"spin": "atom_lock", "warp_spin": "shrd_lock", "named_barrier": "warp_barr",
         "warp_vote": "warp_vote", "full_empty": "tiny_lock"}
BASELINE = "spin"
_WARP = 32
_CYCLES = ["chain_cycles_p5", "chain_cycles_p50", "chain_cycles_p95"]


def measured(results: Results) -> PointTable:
    """All points."""
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
    return [] if main.empty else [*_schemes(main), *_resources(main), *_by_warps(points),
                                  *_by_distance(points)]


def _schemes(points: PointTable) -> list[Table]:
    theirs = published.ics15()["table2_speedup_over_atom_lock"]
    base = cycles(points.of_primitives(BASELINE))
    rows = {}
    for name in points.primitives():
        own = points.of_primitives(name)
        found = cycles(own)
        paper = theirs.get(PAPER.get(name, ""))
        rows[name] = [
            three_digits(found.median) if found else own.failure_word(),
            three_digits(found.median / _links(own)) if found else "-",
            f"{base.median / found.median:.2f}" if found and base else "-",
            f"{paper} ({PAPER[name]})" if paper else "-"]
    return [Table(
        "schemes", f"Cycles of a chain of {points.values('warps')[0]} warps, and speed-up over the "
        "spin lock per thread:",
        by_name("scheme", ["cycles", "per hop", "speed-up here",
                           f"published ({published.ics15()['gpu'].split(' (')[0]})"], rows))]


def _resources(points: PointTable) -> list[Table]:
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
    return [Table("resources", "Resources per block, without the tokens:",
                  by_name("scheme", ["bytes of shared memory", "named barriers", "published"],
                          rows))]


def _by_warps(points: PointTable) -> list[Table]:
    here = points.select(distance=_WARP)
    warps = here.values("warps")
    if len(warps) < 2:
        return []
    return [Table("warps", "Cycles of the chain, by warps:",
                  by_number("warps", warps, {
                      name: [_cell(here.of_primitives(name).select(warps=each_one))
                             for each_one in warps]
                      for name in here.primitives()}))]


def _by_distance(points: PointTable) -> list[Table]:
    most = max(points.values("warps"), default=None)
    here = points.select(warps=most)
    distances = here.values("distance")
    if len(distances) < 2:
        return []
    return [Table("distances", f"Cycles per hop in a block of {most} warps, by distance between "
                  "threads; below 32 the chain runs through the lanes of each warp:",
                  by_number("distance", distances, {
                      name: [_cell(here.of_primitives(name).select(distance=each_one), True)
                             for each_one in distances] for name in here.primitives()}))]


def _links(points: PointTable) -> int:
    point = points.first()
    return max(1, (_WARP * int(point["warps"]) - 1) // int(point["distance"]))


def _cell(points: PointTable, per_link: bool = False) -> str:
    found = cycles(points)
    if not found:
        return points.failure_word()
    return three_digits(found.median / (_links(points) if per_link else 1))


# Counts per hop of a whole warp, in the order of the table.
_COUNTS = {"atomics": "count_rmw_block_shared", "loads": "count_load_block_shared",
           "stores": "count_store_block_shared", "arrivals and waits": "count_named_barrier",
           "votes and waits of the warp": "count_warp_collective"}


def operation_tables(results: Results) -> list[Table]:
    """Operations per hop, including initialization of the channels."""
    points = results.points.with_columns("warps", "rounds", *_COUNTS.values())
    warps = max(points.values("warps"), default=None)
    here = points.select(warps=warps)
    if warps is None or here.empty:
        return []
    rows = {}
    for name in here.primitives():
        point = here.of_primitives(name).first()
        links = point["effective"].get("hops", 0) * int(point["axes"]["rounds"])
        rows[name] = ["-" if not links else three_digits((point.median(count) or 0.0) / links)
                      for count in _COUNTS.values()]
    return [Table("operations", f"Operations per hop of a warp, of {warps} warps, on the round-robin "
                  "schedule; most loads and atomics are polls:",
                  by_name("scheme", list(_COUNTS), rows))]


_TINY_LOCK, _WARP_BARRIER, _VOTE, _SHARED = "full_empty", "named_barrier", "warp_vote", "warp_spin"


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """The claims of its sections 4 and 5."""
    results = recorded.get("chain_gpu")
    if results is None:
        return []
    points = from_warp_to_warp(measured(results))
    theirs = published.ics15()["table2_speedup_over_atom_lock"]
    headline = published.ics15()["headline"]
    tiny_lock = speedup(points, _TINY_LOCK)
    return [
        _at_least("tiny-lock is faster than the spin lock per thread",
                  theirs[PAPER[_TINY_LOCK]], tiny_lock, 1),
        _at_least("tiny-lock is faster than the pair of warp barriers",
                  headline["tiny_over_warp_barrier"],
                  speedup(points, _TINY_LOCK, _WARP_BARRIER), 1),
        _at_least("the pair of warp barriers is faster than the spin lock per thread",
                  theirs[PAPER[_WARP_BARRIER]], speedup(points, _WARP_BARRIER), 1),
        _between("a lock bit shared by voting is faster than the spin lock, slower than tiny-lock",
                 theirs[PAPER[_VOTE]], speedup(points, _VOTE), 1, tiny_lock),
        _between("a spin lock shared by a warp is slower than one per thread",
                 theirs[PAPER[_SHARED]], speedup(points, _SHARED), 0, 1),
        Claim("tiny-lock needs shared memory only for the tokens, the spin lock also a word per "
              "thread",
              "0 and {:,} bytes".format(
                  published.ics15()["table1_resource_cost"]["atom_lock"]["shared_bytes"]),
              _bytes(points)),
        Claim("a chain through the lanes of a warp costs up to 32 times one between warps",
              "up to 32x", _through_lanes(measured(results))),
    ]


def speedup(points: PointTable, scheme: str, base: str = BASELINE) -> float | None:
    """Speed-up of one scheme over another."""
    own, other = cycles(points.of_primitives(scheme)), cycles(points.of_primitives(base))
    return other.median / own.median if own and other else None


def _at_least(claim: str, theirs: float, ours: float | None, least: float) -> Claim:
    return Claim(claim, f"{theirs}x", verdict([] if ours is None else [ours > least],
                                              f"{ours or 0:.2f}x"))


def _between(claim: str, theirs: float, ours: float | None, low: float,
             high: float | None) -> Claim:
    known = ours is not None and high is not None
    return Claim(claim, f"{theirs}x", verdict([low < ours < high] if known else [],
                                              f"{ours or 0:.2f}x"))


def _bytes(points: PointTable) -> str:
    found = {point["primitive"]: point["effective"]["sync_bytes"]
             for point in points.of_primitives(_TINY_LOCK, BASELINE) if point["effective"]}
    if len(found) < 2:
        return verdict([], "")
    return verdict([found[_TINY_LOCK] == 0 < found[BASELINE]],
                   f"{found[_TINY_LOCK]:,} and {found[BASELINE]:,} bytes")


def _through_lanes(points: PointTable) -> str:
    here = points.select(warps=max(points.values("warps"), default=None)).of_primitives(_TINY_LOCK)
    far, near = (cycles(here.select(distance=distance)) for distance in (32, 1))
    if not far or not near:
        return verdict([], "")
    ratio = near.median / far.median
    return verdict([ratio <= 32], f"{ratio:.1f}x (`{_TINY_LOCK}`)")
