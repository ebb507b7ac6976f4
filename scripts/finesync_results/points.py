"""Choosing among points (see loading.Results), and the spreads of what was measured."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

Points = pd.DataFrame
Point = pd.Series


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


def spread(point: Point, number: str) -> Spread | None:
    """A number of a point; None where it was not measured."""
    if pd.isna(point.get(number)):
        return None
    return Spread(point[f"{number}_low"], point[number], point[f"{number}_high"])


def median(point: Point, number: str) -> float | None:
    """The same without quartiles."""
    value = point.get(number)
    return None if pd.isna(value) else float(value)


def each(points: Points) -> list[Point]:
    """The points one by one."""
    return [point for _, point in points.iterrows()]


def with_columns(points: Points, *names: str) -> Points:
    """The points with these columns, empty where they had none."""
    return points.reindex(columns=list(dict.fromkeys([*points.columns, *names])))


def select(points: Points, **axes: Any) -> Points:
    """The points whose axes have these values; an axis that a point lacks counts as equal."""
    wanted = np.ones(len(points), dtype=bool)
    for axis, value in axes.items():
        if axis in points:
            wanted &= (points[axis].eq(value) | points[axis].isna()).to_numpy()
    return points[wanted]


def of(points: Points, *primitives: str) -> Points:
    """The points of these primitives."""
    return points[points["primitive"].isin(primitives)]


def more_than(points: Points, axis: str, limit: int = 0) -> pd.Series:
    """Of which points an axis is a number above a limit."""
    return pd.to_numeric(points[axis], errors="coerce") > limit


def values(points: Points, axis: str) -> list[Any]:
    """The values that an axis takes, sorted, numbers before names."""
    return sorted(set(points[axis].dropna()) if axis in points else (),
                  key=lambda value: (isinstance(value, str), value))


def primitives(points: Points) -> list[str]:
    """The primitives in order of first appearance."""
    return list(points["primitive"].unique())


def least(points: Points, number: str) -> Point | None:
    """The ok point at which a number is least: each primitive is taken at its own best grid."""
    known = points[number].dropna() if number in points else []
    return points.loc[known.idxmin()] if len(known) else None


def fastest(points: Points) -> Point | None:
    """The ok point of least median time."""
    return least(points, "seconds")


def failure_word(points: Points) -> str:
    """The word to write where no point is ok: how most of them ended, or 'not run'."""
    counts = Counter(word for word in points["ended"] if word != "ok")
    return counts.most_common(1)[0][0] if counts else "not run"
