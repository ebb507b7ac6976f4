"""Synchronization sweeps: results of programs in which all thread blocks want one object, over the
number of thread blocks per SM."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from ..query.points import PointRow, PointTable, Spread
from .errors import UserError
from .loading import Results
from .registry import workload_named, workload_of
from .workload import Axes, Chart, Part, Question, Unit

# What the thesis held constant while it varied the number of thread blocks (its section 4.3).
THESIS_LOADS_AND_STORES = 10
USUAL = {"ldst": THESIS_LOADS_AND_STORES, "load": "lines", "local_exchange": "no", "writers": "yes",
         "threads_per_block": 64, "sms": "all"}

THREADS = Part(lambda axes: axes.get("threads_per_block", 64),
               lambda axes: f"{axes.get('threads_per_block', 64):,} threads")


def _sms(axes: Axes) -> int:
    """Of how many SMs the grid has blocks; 0: of all."""
    sms = axes.get("sms", "all")
    return 0 if sms == "all" else int(sms)


SMS = Part(_sms, lambda axes: f"blocks of {_sms(axes)} SMs" if _sms(axes) else "")

# For each part of a workload's settings its sort key and its words.
Setting = tuple[tuple[Any, str], ...]
_TIME = "seconds_per_operation"
# Few readers have a setting in which one of these axes is unusual.
_RARE = ("sms", "local_exchange")


def section(otherwise: str | dict[str, str]) -> Part:
    """The part of a setting for the work inside a section or between barriers. Without loads and stores it is
    `otherwise`, a word or words by the axis 'section', the default first."""
    by_axis = {"": otherwise} if isinstance(otherwise, str) else otherwise
    default = next(iter(by_axis.values()))

    def word(axes: Any) -> str:
        if axes.get("ldst"):
            return f"{axes['ldst']:,} loads and {_order(axes)}stores"
        return by_axis.get(axes.get("section"), default)
    return Part(lambda axes: (axes.get("ldst", 0), _order(axes)), word)


def _order(axes: Axes) -> str:
    """A word for stores in another order than HeteroSync's."""
    order = axes.get("load", "lines")
    return f"{order} " if axes.get("ldst") and order != "lines" else ""


def is_of_several_gpus(axes: Axes) -> bool:
    """Whether a point's object is one of several GPUs."""
    return "gpus" in axes


def words(setting: Setting) -> str:
    """A setting in words."""
    return ", ".join(word for _, word in setting if word)


def measured(results: Results) -> PointTable:
    """The points of sweeps, without those that --tune chose or excluded."""
    points = _asked_for(results)
    return points.where(points["tuned"].isna() & ~points["apart"])


def not_in_sweep(results: Results) -> PointTable:
    """The same for points that are in no sweep."""
    points = _asked_for(results)
    return points.where(points["tuned"].isna() & points["apart"])


def across_gpus(results: Results) -> PointTable:
    """The points of what several GPUs do together, with the column gpus."""
    points = not_in_sweep(results)
    return points.where(points["axes"].map(is_of_several_gpus).astype(bool)).with_columns("gpus")


def tuned(results: Results) -> PointTable:
    """The points that --tune chose."""
    points = _asked_for(results)
    return points.where(points["tuned"].notna() & ~points["apart"])


@functools.lru_cache(maxsize=None)
def _asked_for(results: Results) -> PointTable:
    """All points, each with its setting and the name of its variant."""
    workload = workload_of(results)
    assert workload is not None  # this code is part of its report
    points = results.points.compared_by(_TIME).with_columns(
        "tbs_per_sm", "size", "ldst", "unsynchronized_ns_per_operation", "acquisitions_gini", _TIME)
    # A row without its grid says only how its process failed; the report lists it.
    points = points.where(~points["excluded"] & points.above("tbs_per_sm"))
    untimed = points.where(points["ok"] & points[_TIME].isna())
    if results.timed and not untimed.empty:
        raise UserError(f"{results.path}: {untimed.first()['primitive']}: a row without its "
                        "operations per second")
    settings = [tuple((part.order(axes), part.word(axes)) for part in workload.settings) for axes in points["axes"]]
    variants = [workload.variant(primitive, axes) for primitive, axes in zip(points["primitive"], points["axes"])]
    return points.assign(setting=points.column_of(settings), variant=points.column_of(variants),
                         apart=[workload.is_apart(axes) for axes in points["axes"]])


def by_setting(points: PointTable) -> dict[Setting, PointTable]:
    """The points of each setting, in the order of settings."""
    return {which: points.where([own == which for own in points["setting"]])
            for which in sorted(set(points["setting"]))}


def sweeps(points: PointTable) -> dict[Setting, PointTable]:
    """The settings that were run at two numbers of thread blocks per SM or more."""
    return {which: own for which, own in by_setting(points).items() if own["tbs_per_sm"].nunique() > 1}


def short(points: PointTable) -> PointTable:
    """The points with short sections, dominated by synchronization: no more loads and stores than
    the thesis's fewest."""
    return points.where(~points.above("ldst", THESIS_LOADS_AND_STORES))


def main_sweep(points: PointTable) -> tuple[Setting, PointTable] | None:
    """The sweep over most grids; of several, the one most like the thesis's, or the smallest."""
    return max(sweeps(points).items(), default=None,
               key=lambda item: (item[1]["tbs_per_sm"].nunique(), _usual(item[1], *USUAL)))


def _usual(points: PointTable, *axes: str) -> int:
    """How many of some axes have their usual value at a point."""
    return sum(len(points.select(**{axis: USUAL[axis]})) > 0 for axis in axes)


def question(group: str, need: str, unit: str, chart: Chart, *library: str,
             limited: Mapping[str, tuple[str, ...]] | None = None) -> Question:
    """The question of a program of sweeps. CUDA's own primitives are the chart's and perhaps more,
    and so are those that only compete if the need has a restriction."""
    return Question(need, Unit(unit, 1e6), _in_words, "tbs_per_sm", "contention",
                    lambda blocks: f"{blocks} thread block{'s' * (blocks > 1)} per SM",
                    library=(chart.library, *library),
                    limited={**chart.limited, **(limited or {})}, group=group)


def _in_words(results: Results) -> dict[str, PointTable]:
    """The sweeps by their settings in words: the primitive by itself first, then with more and more work beside it,
    settings that few have last, and after these any in which only one primitive ran."""
    found = sweeps(measured(results))

    def order(which: Setting) -> Any:
        own = found[which]
        return (own["variant"].nunique() == 1, -_usual(own, *_RARE), min(own.values("ldst"), default=0),
                -_usual(own, *USUAL), which)
    return {words(which).replace(" threads", " threads per block"): found[which] for which in sorted(found, key=order)}


def unsynchronized(point: PointRow) -> float | None:
    """Seconds per operation of the same kernel without the operation; None if not measured."""
    found = work_beside(point)
    return None if found is None else found.median


def work_beside(point: PointRow) -> Spread | None:
    """The same with quartiles."""
    found = point.spread("unsynchronized_ns_per_operation")
    return None if found is None else found.scaled(1e-9)


def count_per_operation(results: Results, point: PointRow, count: str) -> Spread | None:
    """A count of the host executor (a value of COUNTS) per operation; None if the row does not have
    the number of rounds."""
    found, effective = point.spread(count), point["effective"]
    if "rounds" not in {**point["axes"], **effective}:
        raise UserError(f"{results.path}: {point['primitive']}: counts per operation need rounds, "
                        "and rows have neither an axis nor a fact of that name")
    rounds = effective.get("rounds") or point["axes"].get("rounds")
    if found is None or not isinstance(rounds, int):
        return None
    blocks = 1 if workload_named(results.program).of_all_blocks else effective["blocks"]
    return found.scaled(1 / (rounds * blocks))
