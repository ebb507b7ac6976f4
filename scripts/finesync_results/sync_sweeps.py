"""Synchronization sweeps: results of programs in which all thread blocks want one object, over the
number of thread blocks per SM."""

from __future__ import annotations

import functools
from typing import Any

import pandas as pd

from .errors import UserError
from .loading import COUNTED, Results
from .points import (Point, Points, Spread, least, median, more_than, select, spread, values,
                     with_columns)
from .workload import Part

# What the thesis held constant while it varied the number of thread blocks (its section 4.3).
THESIS_LOADS_AND_STORES = 10
USUAL = {"ldst": THESIS_LOADS_AND_STORES, "local_exchange": "no", "writers": "yes"}
# What the host executor counts of an operation, as a reader says it.
COUNTS = dict(zip(("atomics", "fences", "polls"), COUNTED))

THREADS = Part(lambda axes: axes.get("threads_per_block", 64),
               lambda axes: f"{axes.get('threads_per_block', 64):,} threads")

# For each part of a workload's settings how to sort it and how to say it.
Setting = tuple[tuple[Any, str], ...]
_TIME = "seconds_per_operation"


def section(otherwise: str | dict[str, str]) -> Part:
    """The part of a setting that says what is done inside or, of a barrier, in between; without
    loads and stores that is `otherwise`, which may depend on the axis 'section', first its default.
    """
    by_axis = {"": otherwise} if isinstance(otherwise, str) else otherwise
    default = next(iter(by_axis.values()))

    def word(axes: Any) -> str:
        if axes.get("ldst"):
            return f"{axes['ldst']:,} loads and stores"
        return by_axis.get(axes.get("section"), default)
    return Part(lambda axes: axes.get("ldst", 0), word)


def words(setting: Setting) -> str:
    """A setting as a reader says it."""
    return ", ".join(word for _, word in setting if word)


def measured(results: Results) -> Points:
    """The points of sweeps: neither what --tune chose nor what it excluded."""
    points = _asked_for(results)
    return points[points["tuned"].isna() & ~points["apart"]]


def apart(results: Results) -> Points:
    """The same of points that are in no sweep."""
    points = _asked_for(results)
    return points[points["tuned"].isna() & points["apart"]]


def tuned(results: Results) -> Points:
    """The points that --tune chose."""
    points = _asked_for(results)
    return points[points["tuned"].notna() & ~points["apart"]]


@functools.lru_cache(maxsize=None)
def _asked_for(results: Results) -> Points:
    """All points, each with its setting and the name of its variant."""
    workload = results.workload
    assert workload is not None  # whose report this is part of
    points = with_columns(results.points, "tbs_per_sm", "size", "ldst", "rest_ns_per_operation",
                          "acquisitions_gini", _TIME)
    # Without its grid a row says only how its process failed, which the report lists.
    points = points[~points["excluded"] & more_than(points, "tbs_per_sm")]
    if results.kind == "gpu" and not (untimed := points[points["ok"] & points[_TIME].isna()]).empty:
        raise UserError(f"{results.path}: {untimed.iloc[0]['primitive']}: a row without its "
                        "operations per second")
    settings = [tuple((part.order(axes), part.word(axes)) for part in workload.settings)
                for axes in points["axes"]]
    variants = [workload.variant(primitive, axes)
                for primitive, axes in zip(points["primitive"], points["axes"])]
    return points.assign(setting=pd.Series(settings, points.index, dtype=object),
                         apart=[workload.is_apart(axes) for axes in points["axes"]],
                         variant=pd.Series(variants, points.index, dtype=object))


def by_setting(points: Points) -> dict[Setting, Points]:
    """The points of each setting, in the order of settings."""
    return {which: points[[own == which for own in points["setting"]]]
            for which in sorted(set(points["setting"]))}


def sweeps(points: Points) -> dict[Setting, Points]:
    """The settings that were run at two numbers of thread blocks per SM or more."""
    return {which: own for which, own in by_setting(points).items()
            if own["tbs_per_sm"].nunique() > 1}


def short(points: Points) -> Points:
    """The points whose time is about synchronization: no more loads and stores than the thesis's
    fewest."""
    return points[~more_than(points, "ldst", THESIS_LOADS_AND_STORES)]


def main_sweep(points: Points) -> tuple[Setting, Points] | None:
    """The sweep over most grids; of several the thesis's own, then the smallest."""
    def usual(own: Points) -> int:
        return sum(len(select(own, **{axis: value})) > 0 for axis, value in USUAL.items())
    return max(sweeps(points).items(), default=None,
               key=lambda item: (item[1]["tbs_per_sm"].nunique(), usual(item[1])))


def variants(points: Points) -> list[str]:
    """The variants in order of first appearance."""
    return list(points["variant"].unique())


def of(points: Points, *names: str) -> Points:
    """The points of some variants."""
    return points[points["variant"].isin(names)]


def grids(points: Points) -> list[int]:
    """The numbers of thread blocks per SM."""
    return values(points, "tbs_per_sm")


def time(point: Point) -> Spread:
    """Seconds per operation of an ok point measured on a GPU."""
    found = spread(point, _TIME)
    assert found is not None  # see _asked_for
    return found


def best(points: Points) -> Point | None:
    """The ok point of least time per operation."""
    return least(points, _TIME)


def unsynchronized(point: Point) -> float | None:
    """Seconds per operation of the same kernel without the operation; None where not measured."""
    nanoseconds = median(point, "rest_ns_per_operation")
    return None if nanoseconds is None else nanoseconds * 1e-9


def counted(results: Results, point: Point, count: str) -> Spread | None:
    """A count of the host executor (a value of COUNTS) per operation; None where the row does not
    tell how many rounds there were."""
    found, ran = spread(point, count), point["ran"]
    if "rounds" not in {**point["axes"], **ran}:
        raise UserError(f"{results.path}: {point['primitive']}: counts per operation need rounds, "
                        "and rows have neither an axis nor a fact of that name")
    rounds = ran.get("rounds") or point["axes"].get("rounds")
    if found is None or not isinstance(rounds, int):
        return None
    assert results.workload is not None
    blocks = 1 if results.workload.of_all_blocks else ran["blocks"]
    return found.scaled(1 / (rounds * blocks))
