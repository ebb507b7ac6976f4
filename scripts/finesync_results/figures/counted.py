"""What the host executor counted: atomics, fences and polls per operation. Counts, never times."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from .. import contest
from ..loading import Results
from . import lines, style

NAME = "counted"
PROGRAMS, ON_GPU = contest.PROGRAMS, False
NEEDS = "rows of the host executor at two numbers of thread blocks per SM"
_TITLES = {"barrier": "Grid barriers: counted on the host executor",
           "mutex": "Mutexes: counted on the host executor",
           "semaphore": "Semaphores: counted on the host executor"}


def draw(results: Results) -> Figure | None:
    """A row of panels per setting, one line per primitive over thread blocks per SM."""
    sweeps = contest.sweeps(contest.measured(results))
    if not sweeps:
        return None
    figure, panels = plt.subplots(len(sweeps), len(contest.COUNTED), squeeze=False, sharex=True,
                                  figsize=(style.WIDTH_IN, 1.7 + 2.4 * len(sweeps)))
    names, shared = lines.titles(sweeps)
    failed = False
    for row, name, points in zip(panels, names, sweeps.values()):
        for panel, (what, prefix) in zip(row, contest.COUNTED.items()):
            drawn = lines.Drawn()
            lines.draw_panel(drawn, panel, points, "tbs_per_sm", lines.grids(points),
                             lambda point, prefix=prefix: lines.positive(
                                 contest.counted(results, point, prefix)))
            drawn.on_log_axis()
            failed |= drawn.failed
            panel.set_title(what)
        row[0].set_ylabel(f"per {contest.OPERATIONS[results.program]}"
                          + (f"\n{name}" if name else ""))
    sms = results.gpu.get("sms")
    caption = (f"{shared[:1].upper()}{shared[1:]}; {sms} SMs. Atomic read-modify-writes, fences, "
               "and reads that found nothing new, of one launch over its operations"
               + (" (a barrier of all blocks is one)" if results.program == "barrier" else "")
               + ". A primitive without any has no line. "
               + ("Crossed out: no result, for the reason written. " if failed else "")
               + "The host executor measures no time.")
    return style.finish(figure, _TITLES[results.program], caption, results,
                        style.legend_of(panels.flat), 4, "thread blocks per SM")
