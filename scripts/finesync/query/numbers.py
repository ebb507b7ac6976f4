"""Measured numbers: medians between quartiles, some known only as bounds, and what is made of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

AT_LEAST, EXACTLY, AT_MOST = 1, 0, -1
# Of a number that may be less or more, as bounds on both sides went into it.
EITHER_WAY = 2


class Missing(Exception):
    """Why a number cannot be given. `rows_exist`: the rows are there, but the number is not in them."""

    def __init__(self, reason: str, rows_exist: bool = False) -> None:
        super().__init__(reason)
        self.rows_exist = rows_exist


@dataclass(frozen=True)
class Spread:
    """Median of repetitions with its quartiles. With a `bound` the true number is at least, or at most, that, `because`
    of something; with `stand_in` it is only that no better was recorded, and the number stands for the true one. A count
    of events also has the number of `runs` that could have shown one. `cards`: the GPUs that measured it, as far as the
    rows tell; of a ratio none."""

    low: float
    median: float
    high: float
    bound: int = EXACTLY
    because: str = ""
    runs: int = 0
    stand_in: bool = False
    cards: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def least(self) -> float:
        """The lower quartile; minus infinity if only an upper bound is known."""
        return -math.inf if self.bound in (AT_MOST, EITHER_WAY) else self.low

    @property
    def most(self) -> float:
        """The upper quartile; infinity if only a lower bound is known."""
        return math.inf if self.bound in (AT_LEAST, EITHER_WAY) else self.high

    def bounded(self, bound: int, because: str, stand_in: bool = False) -> Spread:
        """The same number as a bound."""
        return replace(self, bound=bound, because=because, stand_in=stand_in)

    def taken_for_true(self) -> Spread:
        """A stand-in as the number that it stands for."""
        return self.bounded(EXACTLY, "") if self.stand_in else self

    def scaled(self, factor: float) -> Spread:
        """The same spread in another unit."""
        return replace(self, low=self.low * factor, median=self.median * factor, high=self.high * factor)

    def inverse(self) -> Spread:
        """The spread of 1/x: seconds to rates, and back."""
        return replace(self, low=1 / self.high, median=1 / self.median, high=1 / self.low, bound=_turned(self.bound))

    def over(self, base: Spread) -> Spread:
        """The ratio, with the widest spread that both allow."""
        if not base.median:
            raise Missing("a ratio to zero")
        return _of_two(Spread(self.low / base.high, self.median / base.median, self.high / base.low), self, base)

    def minus(self, other: Spread) -> Spread:
        """The difference, with the widest spread that both allow."""
        return _of_two(Spread(self.low - other.high, self.median - other.median, self.high - other.low,
                              cards=self.cards | other.cards), self, other)

    def saved_by(self, fast: Spread) -> Spread:
        """By how many percent another number is less than this one."""
        left = fast.over(self)
        low, middle, high = (100 * (1 - share) for share in (left.high, left.median, left.low))
        return Spread(low, middle, high, _turned(left.bound), left.because, stand_in=left.stand_in)


def exactly(value: float, runs: int = 0) -> Spread:
    """A number without spread."""
    return Spread(value, value, value, runs=runs)


def of_one_card(numbers: Sequence[Spread]) -> Sequence[Spread]:
    """The numbers; Missing if they are of several GPUs, so that their ratio, or their difference, tells nothing."""
    cards = sorted(frozenset[str]().union(*(number.cards for number in numbers)))
    if len(cards) > 1:
        raise Missing(f"measured on two cards: {' and '.join(card[:12] for card in cards)}")
    return numbers


def product(factors: Sequence[Spread]) -> Spread:
    """The product of numbers that are not negative."""
    return _by_end(math.prod, factors)


def greatest(numbers: Sequence[Spread]) -> Spread:
    return _by_end(max, numbers)


def mean(numbers: Sequence[Spread]) -> Spread:
    """The arithmetic mean."""
    return _by_end(lambda ends: sum(ends) / len(ends), numbers)


def geometric_mean(numbers: Sequence[Spread]) -> Spread:
    """The geometric mean of numbers above 0."""
    return _by_end(lambda ends: math.exp(sum(map(math.log, ends)) / len(ends)), numbers)


def most_over_least(numbers: Sequence[Spread]) -> Spread:
    found = _medians(numbers)
    return _open(exactly(max(found) / min(found)), numbers)


def overtaking(points: Sequence[tuple[float, Spread]]) -> Spread:
    """The step of an axis from which on a ratio stays above 1: a bound if it is so at all steps, or at
    none of the last; the next step is then as far from the last as that from the one before."""
    steps = [step for step, _ in points]
    ahead = [number.median > 1 for _, number in points]
    first = len(ahead) - next((back for back, one in enumerate(reversed(ahead)) if not one), len(ahead))
    if first == 0:
        return exactly(steps[0]).bounded(AT_MOST, "it is ahead at all recorded")
    if first == len(ahead):
        return exactly(steps[-1] ** 2 / steps[-2]).bounded(AT_LEAST, "it is not ahead at the last recorded")
    return exactly(steps[first])


def correlation(first: Sequence[Spread], second: Sequence[Spread]) -> Spread:
    """Pearson's r of medians."""
    columns = [[number.median for number in numbers] for numbers in (first, second)]
    centred = [[value - sum(column) / len(column) for value in column] for column in columns]
    square = math.prod(sum(value * value for value in column) for column in centred)
    if not square:
        raise Missing("a correlation of equal numbers")
    return _open(exactly(sum(map(math.prod, zip(*centred))) / math.sqrt(square)), [*first, *second])


def _by_end(combine: Callable[[list[float]], float], numbers: Sequence[Spread]) -> Spread:
    """A combination that grows with each number: of lower quartiles, of medians, of upper ones."""
    low, middle, high = (combine(list(ends)) for ends in zip(*((one.low, one.median, one.high) for one in numbers)))
    return Spread(low, middle, high, _joined(*(one.bound for one in numbers)), _reason(numbers),
                  stand_in=_all_stand_in(numbers), cards=frozenset().union(*(one.cards for one in numbers)))


def _medians(numbers: Sequence[Spread]) -> list[float]:
    if any(number.bound and not number.stand_in for number in numbers):
        raise Missing("one of several numbers is known only as a bound")
    return [number.median for number in numbers]


def _of_two(found: Spread, first: Spread, second: Spread) -> Spread:
    """A number that grows with the first and falls with the second."""
    if first.bound == second.bound == AT_LEAST and not _all_stand_in([first, second]):
        raise Missing(f"bounds on both sides: {_reason([first, second])}")  # two limits tell nothing
    return found.bounded(_joined(first.bound, _turned(second.bound)), _reason([first, second]),
                         _all_stand_in([first, second]))


def _open(found: Spread, numbers: Sequence[Spread]) -> Spread:
    """A number that may be less or more if any that it is made of is a bound."""
    bounds = any(number.bound for number in numbers)
    return found.bounded(EITHER_WAY, _reason(numbers), _all_stand_in(numbers)) if bounds else found


def _all_stand_in(numbers: Sequence[Spread]) -> bool:
    """Whether there are bounds, and all are stand-ins."""
    return {number.stand_in for number in numbers if number.bound} == {True}


def _reason(numbers: Sequence[Spread]) -> str:
    return "; ".join(dict.fromkeys(why for one in numbers for why in one.because.split("; ") if why))


def _turned(bound: int) -> int:
    return bound if bound == EITHER_WAY else -bound


def _joined(*bounds: int) -> int:
    known = {bound for bound in bounds if bound}
    return EITHER_WAY if len(known) > 1 else known.pop() if known else EXACTLY
