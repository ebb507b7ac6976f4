"""Repetitions gathered into points, and the best point of several."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .loading import Row


@dataclass(frozen=True)
class Spread:
    """Median of repetitions with its quartiles."""

    low: float
    median: float
    high: float

    def scaled(self, factor: float) -> Spread:
        """The same spread in another unit."""
        return Spread(self.low * factor, self.median * factor, self.high * factor)

    def inverse(self) -> Spread:
        """The spread of 1/x: seconds to rates, and back."""
        return Spread(1 / self.high, 1 / self.median, 1 / self.low)

    def over(self, other: Spread) -> Spread:
        """The ratio, with the widest spread that both allow."""
        return Spread(self.low / other.high, self.median / other.median, self.high / other.low)


def spread_of(samples: list[float]) -> Spread:
    """Median and quartiles; with one sample all three are that sample."""
    if len(samples) == 1:
        return Spread(samples[0], samples[0], samples[0])
    low, median, high = statistics.quantiles(samples, n=4, method="inclusive")
    return Spread(low, median, high)


@dataclass(frozen=True)
class Point:
    """All repetitions of one combination of axes; `status` is that of its worst repetition.

    `tuned` and `excluded` are as in a row.
    """

    primitive: str
    axes: dict[str, Any]
    status: str
    reason: str
    rows: list[Row]
    tuned: dict[str, Any] | None = None
    excluded: bool = False

    @property
    def grid(self) -> tuple[Any, Any]:
        """The launch: thread blocks per SM, threads per block."""
        return self.axes.get("tbs_per_sm"), self.axes.get("threads_per_block")

    @property
    def ok(self) -> bool:
        """Whether every repetition ended well."""
        return self.status == "ok"

    def seconds(self) -> Spread:
        """Its run time; only of an ok point measured on a GPU."""
        return spread_of([row.seconds for row in self.rows if row.seconds is not None])

    def counter(self, name: str) -> Spread:
        """A counter over the repetitions; absent counts as zero."""
        return spread_of([row.counters.get(name, 0.0) for row in self.rows])

    def has(self, counter: str) -> bool:
        """Whether it is ok and its rows hold a counter."""
        return self.ok and all(counter in row.counters for row in self.rows)


_WORST_FIRST = ("wrong", "deadlock", "livelock", "error", "skipped", "ok")


def gather(rows: Iterable[Row]) -> list[Point]:
    """One point per primitive and combination of axes, in the order of first appearance.

    What was swept, what --tune chose and what it had to exclude are different points, even at the
    same axes.
    """
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        key = (row.primitive, row.tuned is not None, row.excluded,
               *sorted(row.axes.items(), key=lambda item: item[0]))
        groups.setdefault(key, []).append(row)
    return [_point(group) for group in groups.values()]


def _point(rows: list[Row]) -> Point:
    worst = min(rows, key=lambda row: _WORST_FIRST.index(row.status))
    return Point(worst.primitive, worst.axes, worst.status, worst.reason, rows, worst.tuned,
                 worst.excluded)


def select(points: Iterable[Point], **axes: Any) -> list[Point]:
    """The points whose axes have these values; an axis a point lacks counts as equal."""
    return [point for point in points
            if all(point.axes.get(axis, value) == value for axis, value in axes.items())]


def of(points: Iterable[Point], *primitives: str) -> list[Point]:
    """The points of these primitives."""
    return [point for point in points if point.primitive in primitives]


def values(points: Iterable[Point], axis: str) -> list[Any]:
    """The values that an axis takes, sorted."""
    return sorted({point.axes[axis] for point in points if axis in point.axes})


def primitives(points: Iterable[Point]) -> list[str]:
    """The primitives in order of first appearance."""
    return list(dict.fromkeys(point.primitive for point in points))


def fastest(points: Iterable[Point]) -> Point | None:
    """The ok point of least median time: each primitive is judged at its own best grid."""
    return min((point for point in points if point.ok),
               key=lambda point: point.seconds().median, default=None)


def failure_word(points: Iterable[Point]) -> str:
    """The word to write where no point is ok: the most frequent status, or 'not run'."""
    counts = Counter(point.status for point in points if not point.ok)
    return counts.most_common(1)[0][0] if counts else "not run"
