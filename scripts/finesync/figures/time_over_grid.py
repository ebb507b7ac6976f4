"""Time per operation over thread blocks per SM (the thesis's figures 5.4, 5.17, 5.21 and 5.25), also of
what several GPUs do together."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure

from ..results import sync_sweeps
from ..results.loading import Results
from ..results.workload import Drawing
from . import lines


def drawing(title: str, note: str = "") -> Drawing:
    """The figure; `note` names the figure that it reproduces."""
    return Drawing("time", "a primitive at two numbers of thread blocks per SM",
                   partial(draw, title=title, note=note))


def draw(results: Results, title: str, note: str) -> Figure | None:
    """One panel per setting, one line per primitive; timeouts hang from the top."""
    points = sync_sweeps.short(sync_sweeps.measured(results))
    sweeps = sync_sweeps.sweeps(points)
    if not sweeps:
        return None
    names, shared = lines.titles(sweeps)
    panels = list(zip((lines.unbroken(name, 31) for name in names), sweeps.values()))
    before = f"{shared[:1].upper()}{shared[1:]}. " if shared else ""
    return lines.figure_of_times(results, panels, "tbs_per_sm", title, before + note,
                                 "thread blocks per SM")


def drawing_by_gpus(title: str) -> Drawing:
    """The figure of what several GPUs do together."""
    return Drawing("times", "primitives of several GPUs", partial(draw_by_gpus, title=title))


def draw_by_gpus(results: Results, title: str) -> Figure | None:
    """One panel per number of GPUs, one line per primitive."""
    points = sync_sweeps.across_gpus(results)
    points = points.where(points["variant"] == points["primitive"])  # with their own settings
    panels = [(f"GPUs: {gpus}", points.select(gpus=gpus)) for gpus in points.values("gpus")]
    if not panels:
        return None
    return lines.figure_of_times(results, panels, "tbs_per_sm", title, "",
                                 "thread blocks per SM of each GPU")
