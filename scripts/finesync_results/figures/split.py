"""Thesis, figures 5.5 and 5.32: time with and without the synchronizing operation."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from .. import contest
from ..loading import Results
from ..points import Point, failure_word, select
from . import lines, style

NAME = "split"
PROGRAMS, ON_GPU = contest.PROGRAMS, True
NEEDS = "the time of kernels without the synchronizing operation"
# The thesis's competitors, the library, and ours: bars of more could not be told apart.
_SHOWN = {"barrier": ("atomic_tree", "sense_reversing", "cooperative", "adaptive"),
          "mutex": ("spin", "ebo", "ticket", "array", "mcs", "libcudacxx"),
          "semaphore": ("spin", "spin_backoff", "priority", "priority_backoff", "ticketed")}
_TITLES = {"barrier": "Grid barriers: synchronization and the rest",
           "mutex": "Mutexes: synchronization and the rest",
           "semaphore": "Semaphores: synchronization and the rest"}
_AS_IN_THE_THESIS = {"barrier": "As in the thesis's figure 5.5. ", "mutex": "",
                     "semaphore": "As in the thesis's figure 5.32. "}
_REST = "#d9d9d9"
_PANELS_A_ROW = 3


def draw(results: Results) -> Figure | None:
    """One panel per number of thread blocks per SM, each with its own scale; stacked bars."""
    found = contest.main_sweep(point for point in contest.measured(results)
                               if contest.rest(point) is not None or not point.ok)
    if found is None or not any(point.ok for point in found[1]):
        return None
    which, points = found
    grids = lines.grids(points)
    names = [name for name in _SHOWN[results.program] if contest.of(points, name)]
    if not names:
        return None
    figure, panels = style.panels_by_row(len(grids), _PANELS_A_ROW, one_scale=False)
    for panel, blocks in zip(panels, grids):
        _draw_panel(panel, select(points, tbs_per_sm=blocks), names)
        panel.set_title(f"{blocks} TB{'s' * (blocks > 1)}/SM")
    for first in panels[::_PANELS_A_ROW]:
        first.set_ylabel(f"us per {contest.OPERATIONS[results.program]}")
    looks = [style.look(name) for name in names]
    legend = [Patch(facecolor=look.colour, hatch=look.hatch, edgecolor="white") for look in looks]
    caption = (f"{str(which).capitalize()}. {_AS_IN_THE_THESIS[results.program]}Bars: medians. "
               "Grey: the same kernel without the synchronizing operation; coloured: what that "
               "adds, and its share in percent. Each panel has its own scale.")
    return style.finish(figure, f"{_TITLES[results.program]}: {results.gpu_name}", caption, results,
                        ([*legend, Patch(facecolor=_REST)],
                         [*(look.label for look in looks), "the rest"]), 4)


def parts(points: list[Point]) -> tuple[float, float] | None:
    """Microseconds per operation of the rest and of synchronization, of the best ok point."""
    best = contest.best(points)
    alone = contest.rest(best) if best else None
    if best is None or alone is None:
        return None
    whole = contest.time(best).median
    return min(alone, whole) * 1e6, max(whole - alone, 0.0) * 1e6


def _draw_panel(panel: Axes, points: list[Point], names: list[str]) -> None:
    both = {name: parts(contest.of(points, name)) for name in names}
    highest = max((sum(split) for split in both.values() if split), default=1.0)
    panel.set_ylim(0, highest * 1.3)
    for place, (name, split) in enumerate(both.items()):
        if split is None:
            style.mark_gap(panel, place, 0.04, failure_word(contest.of(points, name)),
                           panel.get_xaxis_transform())
            continue
        alone, added = split
        look = style.look(name)
        panel.bar(place, alone, 0.8, color=_REST)
        panel.bar(place, added, 0.8, bottom=alone, color=look.colour, hatch=look.hatch,
                  edgecolor="white", linewidth=0.6)
        panel.annotate(f"{100 * added / (alone + added):.0f} %", (place, alone + added),
                       xytext=(0, 3), textcoords="offset points", rotation=90, ha="center",
                       va="bottom", fontsize=8)
    panel.set_xticks([])
    panel.set_xlim(-0.6, len(names) - 0.4)
    panel.grid(axis="y")
