"""Thesis, figures 5.13 and 5.29: time per operation as threads load and store more."""

from __future__ import annotations

from matplotlib.figure import Figure

from .. import contest
from ..loading import Results
from ..points import Point, select, values
from . import lines, style

NAME = "section"
PROGRAMS, ON_GPU = contest.PROGRAMS, True
NEEDS = "a primitive at two numbers of loads and stores, one of them over 10"
_TITLES = {"barrier": "Grid barriers, time as threads load and store more in between",
           "mutex": "Mutexes, time as the critical section grows",
           "semaphore": "Semaphores, time as the critical section grows"}
_AS_IN_THE_THESIS = {"barrier": "As in the thesis's figure 5.13. ", "mutex": "",
                     "semaphore": "As in the thesis's figure 5.29. "}
_PANELS_A_ROW = 3


def draw(results: Results) -> Figure | None:
    """One panel per number of thread blocks per SM (and size), one line per primitive."""
    grown = families(contest.measured(results))
    if not grown:
        return None
    places = values((point for own in grown.values() for point in own), "ldst")
    figure, panels = style.panels_by_row(len(grown), _PANELS_A_ROW)
    drawn = lines.Drawn()
    for panel, (name, points) in zip(panels, grown.items()):
        lines.draw_panel(drawn, panel, points, "ldst", places,
                         lambda point: contest.time(point).scaled(1e6))
        panel.set_title(name)
    drawn.on_log_axis()
    for first in panels[::_PANELS_A_ROW]:
        first.set_ylabel(f"us per {contest.OPERATIONS[results.program]}")
    threads = " or ".join(f"{number:,}" for number in values(
        (point for own in grown.values() for point in own), "threads_per_block"))
    caption = (f"Thread blocks of {threads} threads. {_AS_IN_THE_THESIS[results.program]}Medians "
               "of the repetitions, whiskers are quartiles."
               + (" Crossed out: no result, for the reason written." if drawn.failed else ""))
    return style.finish(figure, f"{_TITLES[results.program]}: {results.gpu_name}", caption, results,
                        style.legend_of(panels), 4, "loads and stores of each thread")


def families(points: list[Point]) -> dict[str, list[Point]]:
    """By grid and size the points of primitives that were also run with long sections."""
    long = {(contest.variant(point), *_place(point)) for point in points
            if point.axes.get("ldst", 0) > contest.THESIS_LOADS_AND_STORES}
    points = [point for point in select(points, local_exchange=0, writers=1)
              if point.axes.get("ldst") and (contest.variant(point), *_place(point)) in long]
    found: dict[tuple[int, int, int], list[Point]] = {}
    for point in points:
        found.setdefault(_place(point), []).append(point)
    several = {place: own for place, own in found.items() if len(values(own, "ldst")) > 1}
    sizes = {size for size, _, _ in several}
    return {(f"size {size}, " if size and len(sizes) > 1 else "")
            + f"{blocks} TB{'s' * (blocks > 1)}/SM": own
            for (size, _, blocks), own in sorted(several.items(), key=lambda item: item[0])}


def _place(point: Point) -> tuple[int, int, int]:
    which = contest.setting(point)
    return which.size, which.threads, point.axes["tbs_per_sm"]
