"""How much of an application's time is its barriers: with late blocks, and without."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ...query.points import PointRow
from ...results import applications
from ...results.applications import Run, pure_share
from ...results.loading import Results
from .. import layout

NAME = "applications-shares"
NEEDS = "an application's rows with the share of its barriers"
_BAR = 0.38
_LOOKS = {"CUDA's own barrier": ("#d55e00", "xx"), "the fastest barrier": ("#0072b2", "")}
_PALE = 0.35
_ROOM_ABOVE = 1.35  # for the numbers above bars


def draw(loaded: Iterable[Results]) -> Figure | None:
    """A panel for each program, two bars for each problem."""
    measured = applications.among(loaded)
    runs_of = {program: [run for run in applications.longest_runs(results)
                         if any(_known(point) for point in _points(run))]
               for program, results in measured.items()}
    runs_of = {program: runs for program, runs in runs_of.items() if runs}
    if not runs_of:
        return None
    figure, panels = layout.panels_by_row(len(runs_of), 2, same_x=False)
    for panel, (program, runs) in zip(panels, runs_of.items()):
        _draw_panel(panel, runs)
        panel.set_title(program)
    top = max(axes.dataLim.y1 for axes in panels)
    panels[0].set_ylim(0, _ROOM_ABOVE * top)
    panels[0].set_yticks([tick for tick in panels[0].get_yticks() if tick <= max(top, 1)])
    layout.label_rows(panels, 2, "% of the time")
    handles = [Patch(facecolor=colour, hatch=hatch, edgecolor="white") for colour, hatch in _LOOKS.values()]
    together = layout.together(list(measured.values()))
    return layout.finish(
        figure, f"How much of a program is its barriers ({together.gpu_name})",
        "Full colour: the share of a run's time that its barriers would take if no block were "
        "late. Pale: the share of their time that blocks wait at barriers, from a separate run. "
        "Medians.", together, (handles, list(_LOOKS)))


def _points(run: Run) -> list[PointRow | None]:
    return [run.library, run.persistent]


def _known(point: PointRow | None) -> bool:
    return point is not None and point.median("barrier_share") is not None


def _draw_panel(panel: Axes, runs: list[Run]) -> None:
    for row, run in enumerate(runs):
        for number, (point, look) in enumerate(zip(_points(run), _LOOKS.values())):
            if point is not None and _known(point):
                _draw_bar(panel, row + (number - 0.5) * _BAR, point, *look)
    panel.set_xticks(range(len(runs)), [run.problem_name for run in runs], rotation=30, ha="right")
    panel.set_xlim(-0.6, len(runs) - 0.4)
    panel.grid(axis="y")


def _draw_bar(panel: Axes, x: float, point: PointRow, colour: str, hatch: str) -> None:
    share, pure = 100 * (point.median("barrier_share") or 0.0), 100 * pure_share(point)
    panel.bar(x, share, _BAR * 0.9, color=colour, alpha=_PALE, linewidth=0)
    panel.bar(x, min(pure, 100), _BAR * 0.9, color=colour, hatch=hatch, edgecolor="white", linewidth=0.4)
    panel.annotate(f"{pure:.0f} / {share:.0f}", (x, max(pure, share)), xytext=(0, 3),
                   textcoords="offset points", rotation=90, ha="center", va="bottom", fontsize=7)
