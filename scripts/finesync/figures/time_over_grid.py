"""Time per operation over thread blocks per SM (the thesis's figures 5.4, 5.17, 5.21 and 5.25)."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure

from ..results import sync_sweeps
from ..results.loading import Results
from ..results.registry import workload_named
from ..results.workload import Drawing
from . import layout, lines
from .styles import styles_of

_PANELS_A_ROW = 3


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
    grids = sorted({blocks for own in sweeps.values() for blocks in own.grids()})
    figure, panels = layout.panels_by_row(len(sweeps), _PANELS_A_ROW)
    drawn = lines.Drawn(styles_of(results))
    names, shared = lines.titles(sweeps)
    for panel, name, own in zip(panels, names, sweeps.values()):
        lines.draw_panel(drawn, panel, own, "tbs_per_sm", grids, lines.microseconds)
        panel.set_title(lines.unbroken(name, 31))
    drawn.on_log_axis()
    for first in panels[::_PANELS_A_ROW]:
        first.set_ylabel(f"us per {workload_named(results.program).operation}")
    caption = ((f"{shared[:1].upper()}{shared[1:]}. " if shared else "")
               + f"{note}Medians of the repetitions, whiskers are quartiles."
               + (layout.FAILURES if drawn.failed else ""))
    return layout.finish(figure, f"{title} ({results.gpu_name})", caption, results,
                         layout.legend_of(panels), 4, "thread blocks per SM")
