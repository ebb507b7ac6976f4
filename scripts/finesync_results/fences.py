"""What a fence costs by what its SM has touched since the last one, as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable

from .contest_tables import three_digits
from .loading import Results
from .markdown import by_factor, by_name
from .points import Point, Spread, failure_word, gather, of, primitives, select, values

PROGRAM = "fence"
# From what costs least to what costs most.
TOUCHED = {0: "nothing", 3: "shared memory", 1: "own side of the L2", 2: "other side"}
STORE = 1
_ACCESSES = {0: "a load", STORE: "a store", 2: "an addition"}
_WHO = {"the same thread": {"toucher": 0, "cleared": 0},
        "another warp": {"toucher": 1, "cleared": 0},
        "the same thread, cleared by another warp": {"toucher": 0, "cleared": 1},
        "another warp, cleared by another warp": {"toucher": 1, "cleared": 1}}
_BY_ITSELF = _WHO["the same thread"]
_CYCLES = ("fence_cycles_p5", "fence_cycles_p50", "fence_cycles_p95")


def fence_tables(results: Results) -> list[str]:
    """Lines for the report; none unless a GPU measured fences."""
    if not results.on_gpu or results.program != PROGRAM:
        return []
    points = gather(results.rows)
    releases = select(of(points, "release"), access=STORE)
    return [*_by_access(by_itself(points)), *_by_who(at_usual_gap(releases)),
            *_by_gap(select(releases, **_BY_ITSELF))]


def by_itself(points: list[Point]) -> list[Point]:
    """The points where nobody but the thread that fences had a part, all of one gap."""
    return select(at_usual_gap(points), **_BY_ITSELF)


def at_usual_gap(points: list[Point]) -> list[Point]:
    """The points of the gap that most of them have: the others are there to vary it."""
    usual = max(values(points, "gap"), default=None,
                key=lambda gap: len(select(points, gap=gap)))
    return select(points, gap=usual)


def by_touched(points: Iterable[Point]) -> dict[str, list[Point]]:
    """The points of everything that was touched, by its name."""
    points = list(points)
    return {name: own for touched, name in TOUCHED.items()
            if (own := [point for point in points if point.axes.get("touched") == touched])}


def cycles(points: Iterable[Point]) -> Spread | None:
    """Cycles of the first ok point, from the 5th percentile to the 95th of all SMs and rounds;
    None where no point is ok."""
    for point in points:
        if all(point.has(name) for name in _CYCLES):
            return Spread(*(point.counter(name).median for name in _CYCLES))
    return None


def _by_access(points: list[Point]) -> list[str]:
    columns = by_touched(points)
    if not columns:
        return []
    run = values(points, "access")
    words = " / ".join(word for access, word in _ACCESSES.items() if access in run)
    return ["", f"Cycles per fence by what the SM has touched since its last one, by {words}:",
            "", *by_name("touched", list(columns), {
                name: [_cell_by_access(of(own, name), run) for own in columns.values()]
                for name in primitives(points)})]


def _cell_by_access(points: list[Point], run: list[int]) -> str:
    if cycles(points) is None:
        return failure_word(points)
    own = [select(points, access=access) for access in run]
    several = sum(map(bool, own)) > 1
    return " / ".join(_cell(here) for here in own if here or several)


def _by_who(points: list[Point]) -> list[str]:
    columns = by_touched(_varied(points, "toucher", "cleared"))
    if not columns:
        return []
    return ["", "Cycles per release fence, by who touched and whether another warp fenced in "
            "between:", "", *by_name("a store by", list(columns), {
                who: [_cell(select(own, **axes)) for own in columns.values()]
                for who, axes in _WHO.items() if select(points, **axes)})]


def _by_gap(points: list[Point]) -> list[str]:
    rows = by_touched(_varied(points, "gap"))
    if not rows:
        return []
    gaps = values((point for own in rows.values() for point in own), "gap")
    return ["", "Cycles per release fence, by the cycles since the touch:",
            "", *by_factor("touched by a store", gaps, {
                name: [_cell(select(own, gap=gap)) for gap in gaps]
                for name, own in rows.items()})]


def _varied(points: list[Point], *axes: str) -> list[Point]:
    """The points of what was touched at several values of one of these axes."""
    return [point for own in by_touched(points).values()
            if any(len(values(own, axis)) > 1 for axis in axes) for point in own]


def _cell(points: list[Point]) -> str:
    found = cycles(points)
    return three_digits(found.median) if found else failure_word(points)
