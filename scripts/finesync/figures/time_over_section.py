"""Time per operation by loads and stores per thread (the thesis's figures 5.13 and 5.29)."""

from __future__ import annotations

from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from ..results import sync_sweeps
from ..results.loading import Results
from ..results.point_table import PointTable
from ..results.registry import workload_named
from ..results.workload import Drawing
from . import layout, lines
from .styles import styles_of

_PANELS_A_ROW = 3


def drawing(title: str, note: str = "") -> Drawing:
    """The figure; `note` names the figure that it reproduces."""
    return Drawing("section_length",
                   "a primitive at two numbers of loads and stores, one of them over 10",
                   partial(draw, title=title, note=note))


def draw(results: Results, title: str, note: str) -> Figure | None:
    """One panel per number of thread blocks per SM (and size), one line per primitive."""
    grown = families(sync_sweeps.measured(results))
    if not grown:
        return None
    lengths = sorted({length for own in grown.values() for length in own.values("ldst")})
    figure, panels = layout.panels_by_row(len(grown), _PANELS_A_ROW)
    drawn = lines.Drawn(styles_of(results))
    for panel, (name, points) in zip(panels, grown.items()):
        lines.draw_panel(drawn, panel, points, "ldst", lengths, lines.microseconds)
        panel.set_title(name)
    drawn.on_log_axis()
    for first in panels[::_PANELS_A_ROW]:
        first.set_ylabel(f"us per {workload_named(results.program).operation}")
    sizes = sorted({threads for own in grown.values() for threads
                    in own.values("threads_per_block")})
    caption = (f"Thread blocks of {' or '.join(f'{threads:,}' for threads in sizes)} threads. "
               f"{note}Medians of the repetitions, whiskers are quartiles."
               + (layout.FAILURES if drawn.failed else ""))
    return layout.finish(figure, f"{title} ({results.gpu_name})", caption, results,
                         layout.legend_of(panels), 4, "loads and stores of each thread")


def families(points: PointTable) -> dict[str, PointTable]:
    """By grid and size the points of primitives that were also run with long sections."""
    where = ["size", "threads_per_block", "tbs_per_sm"]
    points = points.with_columns(*where)
    points = points.assign(**{axis: pd.to_numeric(points[axis]).fillna(0).astype(int)
                              for axis in where})
    launches = points.column_of(list(zip(*(points[axis] for axis in ("variant", *where)))))
    long = points.above("ldst", sync_sweeps.THESIS_LOADS_AND_STORES)
    points = points.where(launches.isin(set(launches[long])) & points.above("ldst")).select(
        local_exchange="no", writers="yes")
    several = {place: own for place, own in points.by_columns(*where).items()
               if own["ldst"].nunique() > 1}
    sizes = {size for size, _, _ in several}
    return {(f"size {size}, " if size and len(sizes) > 1 else "")
            + f"{blocks} TB{'s' if blocks > 1 else ''}/SM": own
            for (size, _, blocks), own in several.items()}
