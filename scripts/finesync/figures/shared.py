"""The figures of all results of one folder: the fastest primitives, and the papers' figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from matplotlib.figure import Figure

from ..items.listed import BARS, CONTENTION, LINES, STALLS, TABLES, Item, items
from ..items.tables import joined, recorded_of
from ..query.numbers import Missing
from ..results import applications, revisions
from ..results.loading import Results
from . import fastest_chart
from .applications import crossover, shares
from .items import asplos19_figures, item_figures, stall_figures

_WHICH = "fastest"
_DRAW = {LINES: item_figures.draw_lines, BARS: item_figures.draw_bars,
         CONTENTION: item_figures.draw_contention, STALLS: stall_figures.draw}


@dataclass(frozen=True)
class Shared:
    """A figure by its name; without one, the reason."""

    name: str
    figure: Figure | None
    reason: str = ""


# Of all applications.
_TOGETHER = {shares.NAME: shares, crossover.NAME: crossover}


def names() -> list[str]:
    return [_WHICH, *_TOGETHER, *(item.name for item in items().values() if item.is_figure)]


def draw(loaded: list[Results], mix_revisions: bool = False) -> Iterator[Shared]:
    """All figures that these results of one folder have a part in."""
    charted = [results for results in loaded if fastest_chart.applies(results)]
    if charted:
        yield Shared(_WHICH, fastest_chart.draw(charted), "it needs primitives at two numbers of thread blocks per SM")
    if applications.among(loaded):
        revisions.check(list(applications.among(loaded).values()), "applications", mix_revisions)
        for name, drawing in _TOGETHER.items():
            yield Shared(name, drawing.draw(loaded), f"it needs {drawing.NEEDS}")
    for item in items().values():
        item_results = joined(item, loaded)
        if item.is_figure and item_results:
            revisions.check(item_results, item.name, mix_revisions)
            yield _drawn(item, item_results)


def _drawn(item: Item, item_results: list[Results]) -> Shared:
    try:
        if item.way == TABLES:
            return Shared(item.name, asplos19_figures.DRAWINGS[item.name](item_results),
                          f"it needs {asplos19_figures.NEEDS[item.name]}")
        return Shared(item.name, _DRAW[item.way](item, recorded_of(item_results)))
    except Missing as reason:
        return Shared(item.name, None, str(reason))
