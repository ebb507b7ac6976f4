"""The fastest barrier, lock and semaphore at each grid, on one page."""

from __future__ import annotations

import itertools

import matplotlib.pyplot as plt
from matplotlib import colors
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ..results.fastest import NO_LIBRARY, Field, Winner, fields
from ..results.loading import Results
from ..results.registry import workload_of, workloads
from ..results.workload import Chart
from . import layout, lines, scales
from .styles import Styles, styles_of

_ROW_IN = 0.58
_LEFT = -2.05
_COLUMN_PT = 62.0


def applies(results: Results) -> bool:
    """Whether these results have a part in the chart."""
    workload = workload_of(results)
    return results.kind == "gpu" and bool(workload and workload.chart)


def draw(all_results: list[Results]) -> Figure | None:
    """A table: a row per setting, a column per number of thread blocks per SM."""
    ordered = sorted(all_results, key=lambda results: list(workloads()).index(results.program))
    charts: dict[str, Chart] = {}
    rows: list[tuple[str, Field | None, Styles]] = []
    for results in ordered:
        chart = workloads()[results.program].chart
        program_rows: list[tuple[str, Field | None, Styles]] = [
            (results.program, row, styles_of(results)) for row in fields(results)]
        if program_rows and chart:
            heading = [] if results.program in charts else [(results.program, None, program_rows[0][2])]
            charts[results.program] = chart
            rows += [*heading, *program_rows]
    if not rows:
        return None
    grids = sorted({blocks for _, row, _ in rows if row for blocks in row.winners})
    figure, axes = plt.subplots(figsize=(layout.WIDTH_IN, 1.1 + _ROW_IN * len(rows)))
    for line, (program, row, styles) in enumerate(rows):
        if row is None:
            _draw_heading(axes, -line - 0.25, charts[program].heading, grids)
        else:
            _draw_row(axes, -line, row, grids, charts[program], styles)
    axes.set_xlim(_LEFT, len(grids) - 0.5)
    axes.set_ylim(-len(rows) + 0.5, 0.3)
    axes.axis("off")
    caption = " ".join(["The fastest primitive by median time; below it, its time per operation "
                        "and how many times as long CUDA's own takes, where there is one. (+2): "
                        "two others take at most 3 % longer.",
                        *(chart.note for chart in charts.values())])
    first, *others = (chart.heading.rstrip("?") for chart in charts.values())
    title = ", ".join([first, *(other[:1].lower() + other[1:] for other in others)])
    return layout.finish(figure, f"{title} ({ordered[0].gpu_name})", caption, layout.together(ordered), ([], []))


def _draw_heading(axes: Axes, y: float, heading: str, grids: list[int]) -> None:
    axes.text(_LEFT, y, heading, weight="bold", va="center", fontsize=9.5)
    for column, blocks in enumerate(grids):
        axes.text(column, y, f"{blocks} TB{'s' * (blocks > 1)}/SM", ha="center", va="center")


def _draw_row(axes: Axes, y: float, row: Field, grids: list[int], chart: Chart, styles: Styles) -> None:
    axes.text(_LEFT, y, lines.unbroken(row.label, 27), va="center", fontsize=7.5)
    of_row = [(column, row.winners[blocks]) for column, blocks in enumerate(grids) if blocks in row.winners]
    for _, run in itertools.groupby(of_row, key=lambda cell: _same(cell[1])):
        cells = list(run)
        winners = {column: winner for column, winner in cells if isinstance(winner, Winner)}
        if winners:
            _draw_run(axes, y, winners, chart, styles)
        for column, word in cells:
            if isinstance(word, str):
                axes.text(column, y, word, ha="center", va="center", fontsize=8, color=scales.GAP_COLOUR)


def _same(winner: Winner | str) -> str:
    """What neighbouring cells must share to be drawn as one."""
    return "" if isinstance(winner, str) else winner.variant


def _draw_run(axes: Axes, y: float, winners: dict[int, Winner], chart: Chart, styles: Styles) -> None:
    """Neighbouring cells of one winner, by column: its name once, and below it the time of each."""
    first, last = min(winners), max(winners)
    style = styles[winners[first].variant]
    width = last - first + 0.96
    colour = colors.to_rgb(style.colour)
    # Lightened, so that the words stay readable, also in a grey print.
    pale = tuple(0.88 + 0.12 * channel for channel in colour)
    axes.add_patch(Rectangle((first - 0.48, y - 0.46), width, 0.92, facecolor=pale, edgecolor="none"))
    axes.add_patch(Rectangle((first - 0.48, y - 0.46), 0.05, 0.92, facecolor=colour, edgecolor="none"))
    axes.text((first + last) / 2 + 0.02, y + 0.43,
              scales.wrapped_to(style.label, width * _COLUMN_PT - 5), ha="center", va="top",
              fontsize=7, weight="bold", linespacing=0.95)
    for column, winner in winners.items():
        time = f"{layout.short_number(winner.microseconds)} us" + (f" (+{len(winner.ties)})" if winner.ties else "")
        axes.text(column, y - 0.43, "\n".join(filter(None, [time, _behind(chart, winner)])),
                  ha="center", va="bottom", fontsize=7, linespacing=0.95)


def _behind(chart: Chart, winner: Winner) -> str:
    if winner.variant == chart.library or winner.library == NO_LIBRARY:
        return ""
    return f"{chart.label}\n{winner.library}" if isinstance(winner.library, str) else f"{winner.library:.3g}x"
