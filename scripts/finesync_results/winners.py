"""Which barrier, which lock, which semaphore: the fastest of each setting and grid, by the rows."""

from __future__ import annotations

from dataclasses import dataclass

from . import sync_sweeps
from .loading import Results
from .points import Points, failure_word, select
from .workload import Chart

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

    label: str
    winners: dict[int, Winner | str]  # by thread blocks per SM; a word where nobody finished


def fields(results: Results) -> list[Field]:
    """The rows of the chart that one results file holds."""
    if results.workload is None or results.workload.chart is None:
        return []
    chart = results.workload.chart
    limited = [name for names in chart.limited.values() for name in names]
    found = []
    points = sync_sweeps.short(sync_sweeps.measured(results))
    for which, everyone in sync_sweeps.sweeps(select(points, local_exchange="no")).items():
        kinds = {"": everyone[~everyone["variant"].isin(limited)]}
        kinds |= {kind: everyone for kind, names in chart.limited.items()
                  if not sync_sweeps.of(everyone, *names).empty}
        found += [Field(", ".join(filter(None, (kind, sync_sweeps.words(which)))),
                        _winners(chart, admitted, everyone))
                  for kind, admitted in kinds.items() if not admitted.empty]
    return found


def _winners(chart: Chart, admitted: Points, everyone: Points) -> dict[int, Winner | str]:
    found: dict[int, Winner | str] = {}
    for blocks in sync_sweeps.grids(everyone):
        here = select(admitted, tbs_per_sm=blocks)
        best = sync_sweeps.best(here)
        if best is None:
            found[blocks] = failure_word(here)
            continue
        time = sync_sweeps.time(best).median
        library = select(sync_sweeps.of(everyone, chart.library), tbs_per_sm=blocks)
        found[blocks] = Winner(best["variant"], time * 1e6,
                               _behind(library, time, chart.has_library(best["axes"])))
    return found


def _behind(library: Points, winner: float, expected: bool) -> float | str:
    best = sync_sweeps.best(library)
    if best is not None:
        return sync_sweeps.time(best).median / winner
    return failure_word(library) if expected else NO_LIBRARY
