"""The fastest barrier, lock, semaphore, event and queue of each setting and load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..query.points import PointRow, PointTable
from . import sync_sweeps
from .loading import Results
from .registry import workload_of
from .workload import Chart, Workload

NO_LIBRARY = "no library"
NOT_OURS = "ours not run here"
_TIE = 1.03


@dataclass(frozen=True)
class Winner:
    """The fastest primitive of a field at one load, and how many times longer the library takes."""

    variant: str
    microseconds: float
    # Time of the library over the winner's, or a word that says why there is none.
    library: float | str
    # Others whose median times are at most _TIE times the winner's: no reason to switch.
    ties: tuple[str, ...] = ()


@dataclass(frozen=True)
class Field:
    """The primitives that compete in one row of the chart."""

    label: str
    winners: dict[int, Winner | str]  # by load; a word if none finished, or if none of ours was run


def fields(results: Results) -> list[Field]:
    """The rows of the chart that one results file holds."""
    workload = workload_of(results)
    if workload is None or workload.chart is None or workload.question is None:
        return []
    chart, axis = workload.chart, workload.question.axis
    limited = [name for names in chart.limited.values() for name in names]
    found = []
    for label, everyone in _sweeps(results, workload).items():
        everyone = everyone.where(~everyone["variant"].isin(list(workload.question.less)))
        kinds = {"": everyone.where(~everyone["variant"].isin(limited))}
        kinds |= {kind: everyone for kind, names in chart.limited.items() if not everyone.of_variants(*names).empty}
        found += [Field(", ".join(filter(None, (kind, label))), _winners(chart, axis, admitted, everyone))
                  for kind, admitted in kinds.items() if not admitted.empty]
    return found


def _sweeps(results: Results, workload: Workload) -> Mapping[str, PointTable]:
    """The points that compete, by their setting in words. Blocks of fewer SMs than there are stand for other GPUs."""
    assert workload.question is not None
    if not workload.settings:
        return workload.question.sweeps(results)
    points = sync_sweeps.short(sync_sweeps.measured(results)).with_columns("sms").select(local_exchange="no", sms="all")
    return {sync_sweeps.words(which): own for which, own in sync_sweeps.sweeps(points).items()}


def _winners(chart: Chart, axis: str, admitted: PointTable, everyone: PointTable) -> dict[Any, Winner | str]:
    def winner(here: PointTable, library: PointTable) -> Winner | str:
        others = here["primitive"].str.endswith("_printed") | here["primitive"].eq(chart.library)
        if not here.empty and others.all():
            return NOT_OURS
        return here.best(lambda best: Winner(
            best["variant"], best.time.median * 1e6, _behind(library, best, chart.has_library(best["axes"])),
            _ties(here, best)))

    library = everyone.of_variants(chart.library)
    return {load: winner(admitted.select(**{axis: load}), library.select(**{axis: load}))
            for load in everyone.values(axis)}


def _ties(points: PointTable, best: PointRow) -> tuple[str, ...]:
    times = {name: own.fastest_time() for name, own in points.by_variant().items() if name != best["variant"]}
    return tuple(name for name, time in times.items() if time and time.median <= _TIE * best.time.median)


def _behind(library: PointTable, winner: PointRow, expected: bool) -> float | str:
    found = library.best(lambda point: point.time.median / winner.time.median)
    return found if expected or not isinstance(found, str) else NO_LIBRARY
