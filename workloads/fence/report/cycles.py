"""What a fence costs by what its SM has touched since the last one: points and tables."""

from __future__ import annotations

from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor, by_name, three_digits
from finesync_results.points import (Points, Spread, failure_word, of, primitives, select, values,
                                     with_columns)

# From what costs least to what costs most.
TOUCHED = {"nothing": "nothing", "shared-memory": "shared memory",
           "own-side": "own side of the L2", "other-side": "other side"}
STORE = "store"
_ACCESSES = {"load": "a load", STORE: "a store", "addition": "an addition"}
_WHO = {"the same thread": {"toucher": "same-thread", "cleared": "no"},
        "another warp": {"toucher": "other-warp", "cleared": "no"},
        "the same thread, cleared by another warp": {"toucher": "same-thread", "cleared": "yes"},
        "another warp, cleared by another warp": {"toucher": "other-warp", "cleared": "yes"}}
_BY_ITSELF = _WHO["the same thread"]
_CYCLES = ["fence_cycles_p5", "fence_cycles_p50", "fence_cycles_p95"]


def measured(results: Results) -> Points:
    """All points."""
    return with_columns(results.points, "touched", "access", "toucher", "cleared", "gap", *_CYCLES)


def tables(results: Results) -> list[Table]:
    """Cycles by what was accessed, by who touched, and by how long ago."""
    points = measured(results)
    releases = select(of(points, "release"), access=STORE)
    return [*_by_access(by_itself(points)), *_by_who(at_usual_gap(releases)),
            *_by_gap(select(releases, **_BY_ITSELF))]


def by_itself(points: Points) -> Points:
    """The points where nobody but the thread that fences had a part, all of one gap."""
    return select(at_usual_gap(points), **_BY_ITSELF)


def at_usual_gap(points: Points) -> Points:
    """The points of the gap that most of them have: the others are there to vary it."""
    usual = max(values(points, "gap"), default=None,
                key=lambda gap: len(select(points, gap=gap)))
    return select(points, gap=usual)


def by_touched(points: Points) -> dict[str, Points]:
    """The points of everything that was touched, by its name."""
    return {name: points[points["touched"] == touched] for touched, name in TOUCHED.items()
            if (points["touched"] == touched).any()}


def cycles(points: Points) -> Spread | None:
    """Cycles of the first ok point, from the 5th percentile to the 95th of all SMs and rounds;
    None where no point is ok."""
    known = points[_CYCLES].dropna()
    return None if known.empty else Spread(*known.iloc[0])


def _by_access(points: Points) -> list[Table]:
    columns = by_touched(points)
    if not columns:
        return []
    run = [access for access in _ACCESSES if (points["access"] == access).any()]
    said = " / ".join(_ACCESSES[access] for access in run)
    return [Table(
        "accesses", f"Cycles per fence by what the SM has touched since its last one, by {said}:",
        by_name("touched", list(columns), {
            name: [_cell_by_access(of(own, name), run) for own in columns.values()]
            for name in primitives(points)}))]


def _cell_by_access(points: Points, run: list[str]) -> str:
    if cycles(points) is None:
        return failure_word(points)
    own = [select(points, access=access) for access in run]
    several = sum(not here.empty for here in own) > 1
    return " / ".join(_cell(here) for here in own if several or not here.empty)


def _by_who(points: Points) -> list[Table]:
    columns = by_touched(_varied(points, "toucher", "cleared"))
    if not columns:
        return []
    return [Table(
        "who", "Cycles per release fence, by who touched and whether another warp fenced in "
        "between:", by_name("a store by", list(columns), {
            who: [_cell(select(own, **axes)) for own in columns.values()]
            for who, axes in _WHO.items() if not select(points, **axes).empty}))]


def _by_gap(points: Points) -> list[Table]:
    rows = by_touched(_varied(points, "gap"))
    if not rows:
        return []
    gaps = sorted({gap for own in rows.values() for gap in values(own, "gap")})
    return [Table(
        "gaps", "Cycles per release fence, by the cycles since the touch:",
        by_factor("touched by a store", gaps, {
            name: [_cell(select(own, gap=gap)) for gap in gaps] for name, own in rows.items()}))]


def _varied(points: Points, *axes: str) -> Points:
    """The points of what was touched at several values of one of these axes."""
    counts = points.groupby("touched")[list(axes)].nunique().max(axis="columns")
    return points[points["touched"].isin(counts[counts > 1].index)]


def _cell(points: Points) -> str:
    found = cycles(points)
    return three_digits(found.median) if found else failure_word(points)
