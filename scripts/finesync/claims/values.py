"""What an expression of the ledger gives: a measured number with its quartiles, or a bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..query.points import Spread

AT_LEAST, EXACTLY, AT_MOST = 1, 0, -1


class Missing(Exception):
    """Why a value cannot be told. `rows_exist`: the rows are there, but the number is not in them.
    """

    def __init__(self, reason: str, rows_exist: bool = False) -> None:
        super().__init__(reason)
        self.rows_exist = rows_exist


@dataclass(frozen=True)
class Measured:
    """A number: its median and quartiles. With a `bound` the true number is at least, or at most,
    that, `because` of something. A count of events also has the number of runs that could have
    shown one."""

    spread: Spread
    bound: int = EXACTLY
    because: str = ""
    runs: int = 0

    @property
    def median(self) -> float:
        return self.spread.median

    @property
    def low(self) -> float:
        """The lower quartile; minus infinity if only an upper bound is known."""
        return -math.inf if self.bound == AT_MOST else self.spread.low

    @property
    def high(self) -> float:
        """The upper quartile; infinity if only a lower bound is known."""
        return math.inf if self.bound == AT_LEAST else self.spread.high


def exactly(value: float, runs: int = 0) -> Measured:
    """A number without spread."""
    return Measured(Spread(value, value, value), runs=runs)


def ratio(own: Measured, base: Measured) -> Measured:
    if not base.median:
        raise Missing("a ratio to zero")
    return _of_two(own.spread.over(base.spread), own, base)


def saved(slow: Measured, fast: Measured) -> Measured:
    """By how many percent the second is less than the first."""
    left = ratio(fast, slow)
    return Measured(Spread(*(100 * (1 - share) for share in (
        left.spread.high, left.spread.median, left.spread.low))), -left.bound, left.because)


def difference(own: Measured, other: Measured) -> Measured:
    return _of_two(Spread(own.spread.low - other.spread.high, own.median - other.median,
                          own.spread.high - other.spread.low), own, other)


def product(factors: Sequence[Measured]) -> Measured:
    """The product of numbers that are not negative."""
    return _by_end(math.prod, factors)


def greatest(numbers: Sequence[Measured]) -> Measured:
    return _by_end(max, numbers)


def mean(numbers: Sequence[Measured]) -> Measured:
    """The arithmetic mean."""
    return _by_end(lambda ends: sum(ends) / len(ends), numbers)


def most_over_least(numbers: Sequence[Measured]) -> Measured:
    found = [number.median for number in _exact(numbers)]
    return exactly(max(found) / min(found))


def overtaking(points: Sequence[tuple[float, Measured]]) -> Measured:
    """The place from which on a ratio stays above 1: a bound if it is so at all places, or at none
    of the last; the next place is then as far from the last as that from the one before."""
    places = [place for place, _ in points]
    ahead = [number.median > 1 for _, number in points]
    first = len(ahead) - next((back for back, one in enumerate(reversed(ahead)) if not one),
                              len(ahead))
    if first == 0:
        return bounded(exactly(places[0]), AT_MOST, "it is ahead at all recorded")
    if first == len(ahead):
        return bounded(exactly(places[-1] ** 2 / places[-2]), AT_LEAST,
                       "it is not ahead at the last recorded")
    return exactly(places[first])


def correlation(first: Sequence[Measured], second: Sequence[Measured]) -> Measured:
    """Pearson's r of medians."""
    columns = [[number.median for number in _exact(numbers)] for numbers in (first, second)]
    centred = [[value - sum(own) / len(own) for value in own] for own in columns]
    square = math.prod(sum(value * value for value in own) for own in centred)
    if not square:
        raise Missing("a correlation of equal numbers")
    return exactly(sum(map(math.prod, zip(*centred))) / math.sqrt(square))


def _by_end(combine: Callable[[list[float]], float], numbers: Sequence[Measured]) -> Measured:
    """A combination that grows with each number: of lower quartiles, of medians, of upper ones."""
    ends = zip(*((one.spread.low, one.median, one.spread.high) for one in numbers))
    return Measured(Spread(*(combine(list(end)) for end in ends)),
                    _joined(*(one.bound for one in numbers)), _reason(numbers))


def _exact(numbers: Sequence[Measured]) -> Sequence[Measured]:
    if any(number.bound for number in numbers):
        raise Missing("one of several numbers is known only as a bound")
    return numbers


def _of_two(spread: Spread, own: Measured, other: Measured) -> Measured:
    """A number that grows with the first and falls with the second."""
    return Measured(spread, _joined(own.bound, -other.bound), _reason([own, other]))


def _reason(numbers: Sequence[Measured]) -> str:
    return "; ".join(dict.fromkeys(one.because for one in numbers if one.because))


def _joined(*bounds: int) -> int:
    known = {bound for bound in bounds if bound}
    if len(known) > 1:
        raise Missing("bounds on both sides")
    return known.pop() if known else EXACTLY


def bounded(value: Measured, bound: int, because: str) -> Measured:
    """The same number as a bound."""
    return replace(value, bound=bound, because=because)
