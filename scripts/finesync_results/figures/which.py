"""Which barrier, which lock, which semaphore: one page that names the fastest at each grid."""

from __future__ import annotations

import dataclasses

import matplotlib.pyplot as plt
from matplotlib import colors
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .. import contest
from ..loading import Results
from ..winners import NO_LIBRARY, Field, Winner, fields
from . import lines, style

NAME = "which"
PROGRAMS, ON_GPU = contest.PROGRAMS, True
NEEDS = "barriers, mutexes or semaphores at two numbers of thread blocks per SM"
_HEADINGS = {"barrier": "Which barrier?", "mutex": "Which lock?", "semaphore": "Which semaphore?"}
_ROW_IN = 0.46
_LIBRARIES = {"cooperative": "CCG", "libcudacxx": "libcu++"}


def draw(all_results: list[Results]) -> Figure | None:
    """A table: a row per setting, a column per number of thread blocks per SM."""
    ordered = sorted(all_results, key=lambda results: contest.PROGRAMS.index(results.program))
    rows: list[Field | str] = []
    for program in contest.PROGRAMS:
        own = [row for results in ordered if results.program == program for row in fields(results)]
        rows += [_HEADINGS[program], *own] if own else []
    if not rows:
        return None
    grids = sorted({blocks for row in rows if isinstance(row, Field) for blocks in row.winners})
    figure, axes = plt.subplots(figsize=(style.WIDTH_IN, 1.1 + _ROW_IN * len(rows)))
    for place, row in enumerate(rows):
        _draw_row(axes, -place, row, grids)
    axes.set_xlim(-2.05, len(grids) - 0.5)
    axes.set_ylim(-len(rows) + 0.5, 0.3)
    axes.axis("off")
    caption = ("In each cell the fastest by its median, its time per operation, and the time of "
               "the library (CCG: cooperative groups' grid.sync(); libcu++: binary and counting "
               "semaphore) over it. A lock that carries its data competes only where 12 bytes are "
               "enough; libcu++'s semaphores are for readers only.")
    title = f"Which barrier, which lock, which semaphore: {ordered[0].gpu_name}"
    return style.finish(figure, title, caption, _together(ordered), ([], []), 1)


def _draw_row(axes: Axes, y: float, row: Field | str, grids: list[int]) -> None:
    if isinstance(row, str):
        axes.text(-2.05, y - 0.25, row, weight="bold", va="center", fontsize=9.5)
        for column, blocks in enumerate(grids):
            axes.text(column, y - 0.25, f"{blocks} TB{'s' * (blocks > 1)}/SM", ha="center",
                      va="center")
        return
    axes.text(-2.05, y, lines.unbroken(row.label, 27), va="center", fontsize=7.5)
    for column, blocks in enumerate(grids):
        if blocks in row.winners:
            _draw_cell(axes, column, y, row.program, row.winners[blocks])


def _draw_cell(axes: Axes, x: float, y: float, program: str, winner: Winner | str) -> None:
    if isinstance(winner, str):
        axes.text(x, y, winner, ha="center", va="center", fontsize=8, color=style.GAP_COLOUR)
        return
    # Paled, so that the words stay readable, in grey too.
    red, green, blue = (0.65 + 0.35 * channel for channel
                        in colors.to_rgb(style.look(winner.variant).colour))
    axes.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=(red, green, blue),
                             edgecolor="none"))
    axes.text(x, y + 0.26, winner.variant, ha="center", va="center", fontsize=7, weight="bold")
    axes.text(x, y - 0.02, f"{style.short_number(winner.microseconds)} us", ha="center",
              va="center", fontsize=7.5)
    axes.text(x, y - 0.29, _behind(contest.LIBRARIES[program], winner), ha="center", va="center",
              fontsize=6.8)


def _behind(library: str, winner: Winner) -> str:
    if winner.variant == library:
        return "the library"
    if winner.library == NO_LIBRARY:
        return NO_LIBRARY
    if isinstance(winner.library, str):
        return f"{_LIBRARIES[library]} {winner.library}"
    return f"{_LIBRARIES[library]} x {winner.library:.3g}"


def _together(all_results: list[Results]) -> Results:
    """For the caption: one of these results with the runs of all."""
    runs = [run for results in all_results for run in
            results.context.get("sweep", {}).get("runs", [results.context["finesync"]])]
    first = all_results[0]
    return dataclasses.replace(first, context={**first.context, "sweep": {"runs": runs}})
