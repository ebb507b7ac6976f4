"""Thesis, figures 5.4, 5.17, 5.21 and 5.25: time per operation over thread blocks per SM."""

from __future__ import annotations

from matplotlib.figure import Figure

from .. import contest
from ..loading import Results
from . import lines, style

NAME = "time"
PROGRAMS, ON_GPU = contest.PROGRAMS, True
NEEDS = "a primitive at two numbers of thread blocks per SM"
_PANELS_A_ROW = 3
_TITLES = {"barrier": "Grid barriers, time per barrier by contention",
           "mutex": "Mutexes, time per hand-off by contention",
           "semaphore": "Semaphores, time per operation by contention"}
_AS_IN_THE_THESIS = {"barrier": "As in the thesis's figure 5.4. ", "mutex": "",
                     "semaphore": "As in the thesis's figures 5.17, 5.21 and 5.25. "}


def draw(results: Results) -> Figure | None:
    """One panel per setting, one line per primitive; livelocks hang from the top."""
    sweeps = contest.sweeps(contest.short(contest.measured(results)))
    if not sweeps:
        return None
    places = lines.grids(point for own in sweeps.values() for point in own)
    figure, panels = style.panels_by_row(len(sweeps), _PANELS_A_ROW)
    drawn = lines.Drawn()
    names, shared = lines.titles(sweeps)
    for panel, name, points in zip(panels, names, sweeps.values()):
        lines.draw_panel(drawn, panel, points, "tbs_per_sm", places,
                         lambda point: contest.time(point).scaled(1e6))
        panel.set_title(lines.unbroken(name, 31))
    drawn.on_log_axis()
    for first in panels[::_PANELS_A_ROW]:
        first.set_ylabel(f"us per {contest.OPERATIONS[results.program]}")
    caption = ((f"{shared[:1].upper()}{shared[1:]}. " if shared else "")
               + f"{_AS_IN_THE_THESIS[results.program]}Medians of the repetitions, whiskers are "
               "quartiles."
               + (" Crossed out: no result, for the reason written." if drawn.failed else ""))
    return style.finish(figure, f"{_TITLES[results.program]}: {results.gpu_name}", caption, results,
                        style.legend_of(panels), 4, "thread blocks per SM")
