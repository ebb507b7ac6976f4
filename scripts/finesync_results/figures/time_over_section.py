"""Time per operation as threads load and store more (the thesis's figures 5.13 and 5.29)."""

from __future__ import annotations

from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from .. import sync_sweeps
from ..loading import Results
from ..points import Points, more_than, select, values, with_columns
from ..workload import Drawing, workload_of
from . import layout, lines
from .styles import styles_of

_PANELS_A_ROW = 3


def drawing(title: str, note: str = "") -> Drawing:
    """The figure; `note` says what it reproduces."""
    return Drawing("section",
                   "a primitive at two numbers of loads and stores, one of them over 10",
                   partial(draw, title=title, note=note))


def draw(results: Results, title: str, note: str) -> Figure | None:
    """One panel per number of thread blocks per SM (and size), one line per primitive."""
    grown = families(sync_sweeps.measured(results))
    if not grown:
        return None
    lengths = sorted({length for own in grown.values() for length in values(own, "ldst")})
    figure, panels = layout.panels_by_row(len(grown), _PANELS_A_ROW)
    drawn = lines.Drawn(styles_of(results))
    for panel, (name, points) in zip(panels, grown.items()):
        lines.draw_panel(drawn, panel, points, "ldst", lengths, lines.microseconds)
        panel.set_title(name)
    drawn.on_log_axis()
    for first in panels[::_PANELS_A_ROW]:
        first.set_ylabel(f"us per {workload_of(results.program).operation}")
    sizes = sorted({threads for own in grown.values() for threads
                    in values(own, "threads_per_block")})
    caption = (f"Thread blocks of {' or '.join(f'{threads:,}' for threads in sizes)} threads. "
               f"{note}Medians of the repetitions, whiskers are quartiles."
               + (" Crossed out: no result, for the reason written." if drawn.failed else ""))
    return layout.finish(figure, f"{title}: {results.gpu_name}", caption, results,
                         layout.legend_of(panels), 4, "loads and stores of each thread")


def families(points: Points) -> dict[str, Points]:
    """By grid and size the points of primitives that were also run with long sections."""
    where = ["size", "threads_per_block", "tbs_per_sm"]
    points = with_columns(points, *where)
    points = points.assign(**points[where].apply(pd.to_numeric).fillna(0).astype(int))
    long = points[more_than(points, "ldst", sync_sweeps.THESIS_LOADS_AND_STORES)]
    grown = points.set_index(["variant", *where]).index.isin(
        long.set_index(["variant", *where]).index)
    points = select(points[grown & more_than(points, "ldst")], local_exchange="no",
                    writers="yes")
    several = {place: own for place, own in points.groupby(where)
               if own["ldst"].nunique() > 1}
    sizes = {size for size, _, _ in several}
    return {(f"size {size}, " if size and len(sizes) > 1 else "")
            + f"{blocks} TB{'s' if blocks > 1 else ''}/SM": own
            for (size, _, blocks), own in several.items()}
