"""Time per operation, relative to the fastest, by loads and stores per thread (the thesis's figures
5.13 and 5.29)."""

from __future__ import annotations

from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from ..query.points import PointTable
from ..results import sync_sweeps
from ..results.loading import Results
from ..results.registry import workload_named
from ..results.workload import Drawing
from . import lines


def drawing(title: str, note: str = "") -> Drawing:
    """The figure; `note` names the figure that it reproduces."""
    return Drawing("section_length",
                   "a primitive at two numbers of loads and stores, one of them over 10",
                   partial(draw, title=title, note=note))


def draw(results: Results, title: str, note: str) -> Figure | None:
    """One panel per number of thread blocks per SM (and size, and load), one line per primitive."""
    grown = families(sync_sweeps.measured(results))
    if not grown:
        return None
    sizes = sorted({threads for own in grown.values() for threads
                    in own.values("threads_per_block")})
    before = f"Thread blocks of {' or '.join(f'{threads:,}' for threads in sizes)} threads. {note}"
    return lines.figure_of_times(results, list(grown.items()), "ldst", title, before,
                                 "loads and stores of each thread, and the least us per "
                                 f"{workload_named(results.program).operation}", relative=True)


def families(points: PointTable) -> dict[str, PointTable]:
    """By grid, size and load the points of primitives that were also run with long sections."""
    numbers = ["size", "threads_per_block", "tbs_per_sm"]
    where = ["grows", *numbers]
    points = points.with_columns("writer", *numbers)
    points = points.assign(grows=points["writer"] == "grows", **{
        axis: pd.to_numeric(points[axis]).fillna(0).astype(int) for axis in numbers})
    launches = points.column_of(list(zip(*(points[axis] for axis in ("variant", *where)))))
    long = points.above("ldst", sync_sweeps.THESIS_LOADS_AND_STORES)
    points = points.where(launches.isin(set(launches[long])) & points.above("ldst")).select(
        local_exchange="no", writers="yes")
    several = {place: own for place, own in points.by_columns(*where).items()
               if own["ldst"].nunique() > 1}
    sizes = {size for _, size, _, _ in several}
    return {("growing writer, " if grows else "")
            + (f"size {size}, " if size and len(sizes) > 1 else "")
            + f"{blocks} TB{'s' if blocks > 1 else ''}/SM": own
            for (grows, size, _, blocks), own in several.items()}
