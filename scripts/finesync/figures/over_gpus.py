"""Time per operation of what several GPUs do together, over thread blocks per SM."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure

from ..results import sync_sweeps
from ..results.loading import Results
from ..results.workload import Drawing
from . import lines


def drawing(title: str) -> Drawing:
    """The figure."""
    return Drawing("gpus", "a primitive of several GPUs", partial(_draw, title=title))


def _draw(results: Results, title: str) -> Figure | None:
    """A panel for each number of GPUs, a line for each primitive."""
    points = sync_sweeps.across_gpus(results)
    panels = [(f"GPUs: {gpus}", points.select(gpus=gpus)) for gpus in points.values("gpus")]
    if not panels:
        return None
    return lines.figure_of_times(results, panels, "tbs_per_sm", title, "",
                                 "thread blocks per SM of each GPU")
