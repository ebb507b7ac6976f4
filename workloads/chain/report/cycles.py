"""Cycles of a chain by the scheme that orders it, beside what ICS'15 printed: points and tables."""

from __future__ import annotations

from finesync_results import published
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor, by_name, three_digits
from finesync_results.points import (Point, Points, Spread, each, failure_word, of, primitives,
                                     select, values, with_columns)

# What the paper calls them. Lock bits are gone; what takes their place is a word.
PAPER = {"spin": "atom_lock", "shared_spin": "shrd_lock", "named_barrier": "warp_barr",
         "vote": "warp_vote", "full_empty": "tiny_lock"}
BASELINE = "spin"
_WARP = 32
_CYCLES = ["chain_cycles_p5", "chain_cycles_p50", "chain_cycles_p95"]


def measured(results: Results) -> Points:
    """All points."""
    return with_columns(results.points, "warps", "distance", *_CYCLES)


def from_warp_to_warp(points: Points) -> Points:
    """The paper's distance, at the most warps that any of these has."""
    here = select(points, distance=_WARP)
    return select(here, warps=max(values(here, "warps"), default=None))


def cycles(points: Points) -> Spread | None:
    """Of the first ok point, from the 5th percentile of its rounds to the 95th."""
    known = points[_CYCLES].dropna()
    return None if known.empty else Spread(*known.iloc[0])


def tables(results: Results) -> list[Table]:
    """Figure 4 and tables 1 and 2 of the paper; cycles by warps and by distance."""
    points = measured(results)
    main = from_warp_to_warp(points)
    return [] if main.empty else [*_schemes(main), *_resources(main), *_by_warps(points),
                                  *_by_distance(points)]


def _schemes(points: Points) -> list[Table]:
    theirs = published.ics15()["table2_speedup_over_atom_lock"]
    base = cycles(of(points, BASELINE))
    rows = {}
    for name in primitives(points):
        own = of(points, name)
        found = cycles(own)
        paper = theirs.get(PAPER.get(name, ""))
        rows[name] = [
            three_digits(found.median) if found else failure_word(own),
            three_digits(found.median / _links(own)) if found else "-",
            f"{base.median / found.median:.2f}" if found and base else "-",
            f"{paper} ({PAPER[name]})" if paper else "-"]
    return [Table(
        "schemes", f"Cycles of a chain of {values(points, 'warps')[0]} warps, and how many times as "
        f"fast as the spin lock per thread:",
        by_name("scheme", ["cycles", "per hand-over", "speed-up here",
                           f"published ({published.ics15()['gpu'].split(' (')[0]})"], rows))]


def _resources(points: Points) -> list[Table]:
    theirs = published.ics15()["table1_resource_cost"]
    rows = {}
    for point in each(points.drop_duplicates("primitive")):
        ran, paper = point["ran"], theirs.get(PAPER.get(point["primitive"], ""))
        if not ran:
            continue
        rows[point["primitive"]] = [
            f"{ran['sync_bytes']:,}", str(ran["named_barriers"]),
            f"{paper['shared_bytes']:,} bytes, {paper['lock_bits']} lock bits" if paper else "-"]
    return [Table("resources", "What a scheme takes of the block, besides the tokens:",
                  by_name("scheme", ["bytes of shared memory", "named barriers", "published"],
                          rows))]


def _by_warps(points: Points) -> list[Table]:
    here = select(points, distance=_WARP)
    warps = values(here, "warps")
    if len(warps) < 2:
        return []
    return [Table("warps", "Cycles of the chain, by its warps:",
                  by_factor("warps", warps, {
                      name: [_cell(select(of(here, name), warps=each_one)) for each_one in warps]
                      for name in primitives(here)}))]


def _by_distance(points: Points) -> list[Table]:
    most = max(values(points, "warps"), default=None)
    here = select(points, warps=most)
    distances = values(here, "distance")
    if len(distances) < 2:
        return []
    return [Table("distances", f"Cycles per hand-over in a block of {most} warps, by how far on a "
                  "thread hands its sum; below 32 through the lanes of each warp:",
                  by_factor("distance", distances, {
                      name: [_cell(select(of(here, name), distance=each_one), True)
                             for each_one in distances] for name in primitives(here)}))]


def _links(points: Points) -> int:
    point: Point = points.iloc[0]
    return max(1, (_WARP * int(point["warps"]) - 1) // int(point["distance"]))


def _cell(points: Points, per_link: bool = False) -> str:
    found = cycles(points)
    if not found:
        return failure_word(points)
    return three_digits(found.median / (_links(points) if per_link else 1))
