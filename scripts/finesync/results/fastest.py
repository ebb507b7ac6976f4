"""The fastest barrier, lock and semaphore of each setting and grid."""

from __future__ import annotations

from dataclasses import dataclass

from ..query.points import PointRow, PointTable
from . import sync_sweeps
from .loading import Results
from .registry import workload_of
from .workload import Chart

NO_LIBRARY = "no library"
_TIE = 1.03


@dataclass(frozen=True)
class Winner:
    """The fastest primitive of a field at one grid, and how many times longer the library takes."""

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
    winners: dict[int, Winner | str]  # by thread blocks per SM; a word if none finished


def fields(results: Results) -> list[Field]:
    """The rows of the chart that one results file holds."""
    workload = workload_of(results)
    if workload is None or workload.chart is None:
        return []
    chart = workload.chart
    limited = [name for names in chart.limited.values() for name in names]
    found = []
    points = sync_sweeps.short(sync_sweeps.measured(results))
    for which, everyone in sync_sweeps.sweeps(points.select(local_exchange="no")).items():
        kinds = {"": everyone.where(~everyone["variant"].isin(limited))}
        kinds |= {kind: everyone for kind, names in chart.limited.items() if not everyone.of_variants(*names).empty}
        found += [Field(", ".join(filter(None, (kind, sync_sweeps.words(which)))),
                        _winners(chart, admitted, everyone))
                  for kind, admitted in kinds.items() if not admitted.empty]
    return found


def _winners(chart: Chart, admitted: PointTable, everyone: PointTable) -> dict[int, Winner | str]:
    def winner(here: PointTable, library: PointTable) -> Winner | str:
        return here.best(lambda best: Winner(
            best["variant"], best.time.median * 1e6, _behind(library, best, chart.has_library(best["axes"])),
            _ties(here, best)))

    library = everyone.of_variants(chart.library)
    return {blocks: winner(admitted.select(tbs_per_sm=blocks), library.select(tbs_per_sm=blocks))
            for blocks in everyone.grids()}


def _ties(points: PointTable, best: PointRow) -> tuple[str, ...]:
    times = {name: own.fastest_time() for name, own in points.by_variant().items() if name != best["variant"]}
    return tuple(name for name, time in times.items() if time and time.median <= _TIE * best.time.median)


def _behind(library: PointTable, winner: PointRow, expected: bool) -> float | str:
    found = library.best(lambda point: point.time.median / winner.time.median)
    return found if expected or not isinstance(found, str) else NO_LIBRARY
