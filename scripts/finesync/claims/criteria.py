"""The criteria of the ledger: what one case says of a claim, and the verdict of all cases.

Only numbers beyond the nearer quartile by a margin count as on a side. A case that is open leaves
the verdict open if one of its outcomes could still change it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

from ..query.numbers import Spread

HOLDS, DIRECTION, MIXED, FAILS, UNTOLD = VERDICTS = (
    "holds", "holds in direction", "mixed", "does not hold", "cannot be told")

# Outcomes of a case: as claimed; as claimed, but of another size; neither; half; the contrary.
AGREES, SAME_SIDE, LEVEL, HALF, CONTRARY = range(5)

MARGIN = 0.03  # of the neutral value, or absolute if that is 0
FACTOR = 1.5  # between a published ratio and one of another GPU
# Kendall's tau of a series that still counts as a trend.
_TAU = 1 / 3

Series = Sequence[tuple[float, Spread]]
Value = Union[Spread, Series]
# Numbers of a criterion are evaluated before: published, neutral, bound.
Criterion = Mapping[str, Any]


def outcome(criterion: Criterion, value: Value) -> int | None:
    """What a case says; None if it leaves the question open."""
    return _OUTCOMES[criterion["by"]](criterion, value)


def verdicts(criterion: Criterion, outcomes: Sequence[int | None]) -> set[str]:
    """The verdicts of a part that are possible, whatever its open cases will say."""
    known = [one for one in outcomes if one is not None]
    open_cases = len(outcomes) - len(known)
    may = _may_be(criterion)
    # Only which outcomes occur, and how many are good, decides: two values for all open cases do.
    return {_word(known + [first] * min(open_cases, 1) + [rest] * (open_cases - 1),
                  criterion.get("quorum"))
            for first, rest in itertools.product(may, repeat=2)}


def together(words: Iterable[str]) -> str:
    """The verdict of several parts."""
    found = set(words)
    return found.pop() if len(found) == 1 else DIRECTION if found <= {HOLDS, DIRECTION} else MIXED


def claimed(parts: Sequence[set[str]]) -> tuple[str, list[str]]:
    """The verdict of a claim, and those that its open cases leave."""
    possible = sorted({together(words) for words in itertools.product(*parts)}, key=VERDICTS.index)
    return (possible[0], []) if len(possible) == 1 else (UNTOLD, possible)


def _word(outcomes: Sequence[int], quorum: float | None) -> str:
    good = [one in (AGREES, SAME_SIDE) for one in outcomes]
    if quorum is not None:
        share = sum(good) / len(good)
        return HOLDS if share > quorum else MIXED if share == quorum else FAILS
    if all(good):
        return HOLDS if set(outcomes) == {AGREES} else DIRECTION
    return MIXED if any(good) or HALF in outcomes else FAILS


def _may_be(criterion: Criterion) -> tuple[int, ...]:
    """The outcomes that a case of this criterion may have."""
    by = criterion["by"]
    if by == "events" or criterion.get("direction") == "flat" or by == "count" and "neutral" not in criterion:
        return AGREES, CONTRARY
    if by == "ordering":
        return AGREES, LEVEL, CONTRARY
    return AGREES, SAME_SIDE, HALF if by in ("trend", "crossover") else LEVEL, CONTRARY


def _side(criterion: Criterion, value: Spread) -> int | None:
    """1 on the claimed side of neutral, -1 on the other, 0 on neither, None if a bound leaves it open."""
    neutral = criterion["neutral"]
    margin = criterion.get("margin", MARGIN) * (abs(neutral) or 1)
    found = 1 if value.least > neutral + margin else -1 if value.most < neutral - margin else 0
    if value.bound and not found:
        return None
    return found if criterion["side"] == "above" else -found


def _by_side(criterion: Criterion, value: Spread, agrees: bool) -> int | None:
    side = _side(criterion, value)
    return None if side is None else {1: AGREES if agrees else SAME_SIDE, 0: LEVEL, -1: CONTRARY}[side]


def _ratio_band(criterion: Criterion, value: Spread) -> int | None:
    theirs = criterion["published"]
    if "points" in criterion:
        near = abs(value.median - theirs) <= criterion["points"]
    else:
        factor = criterion.get("factor", FACTOR)
        near = theirs / factor <= value.median <= theirs * factor
    return _by_side(criterion, value, near and not value.bound)


def _bound(criterion: Criterion, value: Spread) -> int | None:
    reached = value.least >= criterion["bound"] if criterion["side"] == "above" else value.most <= criterion["bound"]
    return AGREES if reached else _by_side(criterion, value, False)


def _ordering(criterion: Criterion, value: Spread) -> int | None:
    return _by_side(criterion, value, True)


def _count(criterion: Criterion, value: Spread) -> int | None:
    theirs = criterion["published"]
    if not value.bound and math.isclose(value.median, theirs, abs_tol=1e-9):
        return AGREES
    return _by_side(criterion, value, False) if "neutral" in criterion else CONTRARY


def _events(criterion: Criterion, value: Spread) -> int | None:
    enough = value.runs >= criterion["least_runs"]
    if criterion["expected"] == "none":
        return CONTRARY if value.median else AGREES if enough else None
    return AGREES if value.median else CONTRARY if enough else None


def _trend(criterion: Criterion, series: Series) -> int | None:
    """Of all pairs of points, those that differ by more than a step: as claimed, and against it."""
    y = [number.median for _, number in series]
    if len(y) < criterion["least_points"]:
        return None
    if criterion["direction"] == "flat":
        return AGREES if max(y) / min(y) <= criterion["flat_factor"] else CONTRARY
    sign, step = (1 if criterion["direction"] == "up" else -1), criterion.get("step", MARGIN)
    changes = [sign * (later - earlier) / abs(earlier) for earlier, later in itertools.combinations(y, 2)]
    good, bad = sum(one > step for one in changes), sum(one < -step for one in changes)
    tau, change = (good - bad) / len(changes), (y[-1] / y[0]) ** sign
    if good and not bad and change >= criterion["ends"]:
        return AGREES
    return SAME_SIDE if tau > _TAU and change > 1 else CONTRARY if tau < -_TAU else HALF


def _crossover(criterion: Criterion, series: Series) -> int | None:
    """Where a series crosses neutral; points closer to it than the margin count for no side."""
    if len(series) < criterion["least_points"]:
        return None
    neutral = criterion["neutral"]
    sides = [(x, number.median > neutral) for x, number in series if abs(number.median - neutral) > MARGIN * neutral]
    crossings = [(before, after) for (before, one), (after, other) in zip(sides, sides[1:]) if one != other]
    if not crossings or sides[0][1] != (criterion["begins"] == "above"):
        return CONTRARY
    if len(crossings) > 1:
        return HALF
    first, last = criterion.get("between", (-math.inf, math.inf))
    before, after = crossings[0]
    return AGREES if before <= last and after >= first else SAME_SIDE


_OUTCOMES: Mapping[str, Callable[[Criterion, Any], "int | None"]] = {
    "ratio_band": _ratio_band, "bound": _bound, "ordering": _ordering, "count": _count,
    "events": _events, "trend": _trend, "crossover": _crossover}
OF_SERIES = ("trend", "crossover")
