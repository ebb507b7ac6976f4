"""Which barrier, which lock, which semaphore: the fastest of each setting and grid, by the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import contest
from .contest import Setting
from .loading import Results
from .points import Point, failure_word, select, values

# Its protected data is the word that it hands on, so it competes only for those who need no more.
CARRYING = "carrying"
# libcu++'s semaphores know no writers, who take all permits.
NO_LIBRARY = "no library"


@dataclass(frozen=True)
class Winner:
    """The fastest primitive of a field at one grid, and how far behind it the library is."""

    variant: str
    microseconds: float
    # Time of the library over the winner's, or a word for why there is no such number.
    library: float | str


@dataclass(frozen=True)
class Field:
    """Those who compete in one row of the chart."""

    program: str
    label: str
    winners: dict[int, Winner | str]  # by thread blocks per SM; a word where nobody finished


def fields(results: Results) -> list[Field]:
    """The rows of the chart that one results file holds."""
    found = []
    for which, points in contest.sweeps(contest.short(contest.measured(results))).items():
        if which.local_exchange:
            continue
        for kind, admitted in _KINDS[results.program].items():
            own = [point for point in points if admitted(point)]
            if own and (kind == "" or contest.of(own, CARRYING)):
                found.append(Field(results.program, ", ".join(filter(None, (kind, str(which)))),
                                   _winners(results.program, which, own, points)))
    return found


def _winners(program: str, which: Setting, admitted: list[Point],
             points: list[Point]) -> dict[int, Winner | str]:
    found: dict[int, Winner | str] = {}
    for blocks in values(points, "tbs_per_sm"):
        here = select(admitted, tbs_per_sm=blocks)
        best = contest.best(here)
        if best is None:
            found[blocks] = failure_word(here)
            continue
        time = contest.time(best).median
        library = contest.of(points, contest.LIBRARIES[program])
        found[blocks] = Winner(contest.variant(best), time * 1e6,
                               _behind(select(library, tbs_per_sm=blocks), which, time))
    return found


def _behind(library: list[Point], which: Setting, winner: float) -> float | str:
    point = contest.best(library)
    if point is None and which.size and not which.readers_only:
        return NO_LIBRARY
    return contest.time(point).median / winner if point else failure_word(library)


def _any_data(point: Point) -> bool:
    return point.primitive != CARRYING


def _everybody(_: Point) -> bool:
    return True


_KINDS: dict[str, dict[str, Callable[[Point], bool]]] = {
    "barrier": {"": _everybody},
    "mutex": {"": _any_data, "12 bytes of data at most": _everybody},
    "semaphore": {"": _everybody},
}
