"""The fastest barrier, lock, semaphore, event and queue at each load, on one page as wide as a screen."""

from __future__ import annotations

import itertools

import matplotlib.pyplot as plt
from matplotlib import colors
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ..query.numbers import exactly
from ..results.fastest import NO_LIBRARY, Field, Winner, fields
from ..results.loading import Results
from ..results.registry import workload_of, workloads
from ..results.workload import Workload
from . import layout, scales
from .styles import Styles, styles_of

_ROW_IN = 0.5
_COLUMNS = 3
_LABEL, _LOADS = 2.1, 6  # of a column of tables: the width of the labels of rows, and the most loads, in loads
_WIDTH = _LABEL + _LOADS - 0.2
_LOAD_PT = layout.SCREEN_IN * 72 / (_COLUMNS * _WIDTH)
_LETTER = 3.8  # the points of a small letter
_HEADING = 1.3  # the height of a heading in rows
_LOAD_OF = {"tbs_per_sm": "thread blocks per SM", "threads_per_block": "threads per block",
            "payload_bytes": "bytes of payload"}


def applies(results: Results) -> bool:
    """Whether these results have a part in the chart."""
    workload = workload_of(results)
    return results.kind == "gpu" and bool(workload and workload.chart)


def draw(all_results: list[Results]) -> Figure | None:
    """Small tables side by side, one a program: a row per setting, a column per load."""
    ordered = sorted(all_results, key=lambda results: list(workloads()).index(results.program))
    tables = [(results, rows) for results in ordered if (rows := fields(results))]
    if not tables:
        return None
    columns = min(max(len(tables), 2), _COLUMNS)
    ends = [0.0] * columns
    places = {}
    for results, rows in sorted(tables, key=lambda table: -len(table[1])):
        column = ends.index(min(ends))
        places[results.program] = ((column - 1) % columns * _WIDTH, -ends[column])  # the longest on the right
        ends[column] += len(rows) + _HEADING
    figure, axes = plt.subplots(figsize=(layout.SCREEN_IN * columns / _COLUMNS, 1.3 + _ROW_IN * max(ends)))
    for results, rows in tables:
        _draw_table(axes, *places[results.program], rows, workloads()[results.program], styles_of(results))
    axes.set_xlim(0, columns * _WIDTH)
    axes.set_ylim(-max(ends), 0)
    axes.axis("off")
    charts = [workload.chart for results, _ in tables if (workload := workload_of(results)) and workload.chart]
    caption = " ".join(["The fastest primitive by median time; below it, its time and how many times as long CUDA's "
                        "own takes, where there is one. (+2): two others take at most 3 % longer.",
                        *dict.fromkeys(chart.note for chart in charts if chart.note)])
    first, *others = dict.fromkeys(chart.heading.rstrip("?") for chart in charts)
    title = ", ".join([first, *(other[:1].lower() + other[1:] for other in others)])
    return layout.finish(figure, f"{title} ({ordered[0].gpu_name})", caption, layout.together(ordered), ([], []))


def _draw_table(axes: Axes, left: float, top: float, rows: list[Field], workload: Workload, styles: Styles) -> None:
    loads = sorted({load for row in rows for load in row.winners})
    assert workload.chart and workload.question
    axes.text(left, top - 0.35, f"{workload.chart.heading} {workload.question.unit.name}, by "
              + _LOAD_OF[workload.question.axis], weight="bold", va="center", fontsize=8.5)
    for place, load in enumerate(loads):
        axes.text(left + _LABEL + place, top - 0.9, f"{load:,}", ha="center", va="center", fontsize=8)
    for line, row in enumerate(rows):
        _draw_row(axes, left, top - _HEADING - line - 0.5, row, loads, workload, styles)


def _draw_row(axes: Axes, left: float, y: float, row: Field, loads: list[int], workload: Workload,
              styles: Styles) -> None:
    axes.text(left, y, scales.wrapped_to(row.label, (_LABEL - 0.5) * _LOAD_PT, _LETTER), va="center", fontsize=7)
    of_row = [(left + _LABEL + place, row.winners[load]) for place, load in enumerate(loads) if load in row.winners]
    for same, run in itertools.groupby(of_row, key=lambda cell: getattr(cell[1], "variant", cell[1])):
        cells = list(run)
        winners = {x: winner for x, winner in cells if isinstance(winner, Winner)}
        if winners:
            _draw_run(axes, y, winners, workload, styles)
        else:
            axes.text((cells[0][0] + cells[-1][0]) / 2, y, str(same), ha="center", va="center", fontsize=8,
                      color=scales.GAP_COLOUR)


def _draw_run(axes: Axes, y: float, winners: dict[float, Winner], workload: Workload, styles: Styles) -> None:
    """Neighbouring cells of one winner, by their x: its name once, and below it the time of each."""
    first, last = min(winners), max(winners)
    style = styles[winners[first].variant]
    width = last - first + 0.96
    colour = colors.to_rgb(style.colour)
    # Lightened, so that the words stay readable, also in a grey print.
    pale = tuple(0.88 + 0.12 * channel for channel in colour)
    axes.add_patch(Rectangle((first - 0.48, y - 0.46), width, 0.92, facecolor=pale, edgecolor="none"))
    axes.add_patch(Rectangle((first - 0.48, y - 0.46), 0.05, 0.92, facecolor=colour, edgecolor="none"))
    axes.text((first + last) / 2 + 0.02, y + 0.43, scales.wrapped_to(style.label, width * _LOAD_PT - 3),
              ha="center", va="top", fontsize=7, weight="bold", linespacing=0.9)
    for x, winner in winners.items():
        axes.text(x, y - 0.43, _said(winner, workload), ha="center", va="bottom", fontsize=7, linespacing=0.9)


def _said(winner: Winner, workload: Workload) -> str:
    """The time in the unit of the heading, and that of CUDA's own over it."""
    assert workload.chart and workload.question
    time = layout.short_number(workload.question.unit.of(exactly(winner.microseconds * 1e-6)).median)
    said = time + (f" (+{len(winner.ties)})" if winner.ties else "")
    if winner.variant == workload.chart.library or winner.library == NO_LIBRARY:
        return said
    return said + (f"\n{workload.chart.label} {winner.library}" if isinstance(winner.library, str)
                   else f"\n{winner.library:.3g}x")
