"""The fastest barrier, lock and semaphore at each grid, on one page."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib import colors
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ..results.fastest import NO_LIBRARY, Field, Winner, fields
from ..results.loading import Results
from ..results.registry import workload_of, workloads
from ..results.workload import Chart
from . import layout, lines
from .styles import Styles, styles_of

_ROW_IN = 0.46


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
        own: list[tuple[str, Field | None, Styles]] = [
            (results.program, row, styles_of(results)) for row in fields(results)]
        if own and chart:
            heading = [] if results.program in charts else [(results.program, None, own[0][2])]
            charts[results.program] = chart
            rows += [*heading, *own]
    if not rows:
        return None
    grids = sorted({blocks for _, row, _ in rows if row for blocks in row.winners})
    figure, axes = plt.subplots(figsize=(layout.WIDTH_IN, 1.1 + _ROW_IN * len(rows)))
    for place, (program, row, styles) in enumerate(rows):
        if row is None:
            _draw_heading(axes, -place - 0.25, charts[program].heading, grids)
        else:
            _draw_row(axes, -place, row, grids, charts[program], styles)
    axes.set_xlim(-2.05, len(grids) - 0.5)
    axes.set_ylim(-len(rows) + 0.5, 0.3)
    axes.axis("off")
    caption = " ".join(["Each cell: the fastest primitive by median time, its time per operation, "
                        "and how many times longer CUDA's own takes.",
                        *(chart.note for chart in charts.values())])
    first, *others = (chart.heading.rstrip("?") for chart in charts.values())
    title = ", ".join([first, *(other[:1].lower() + other[1:] for other in others)])
    return layout.finish(figure, f"{title} ({ordered[0].gpu_name})", caption,
                         layout.together(ordered),
                         ([], []), 1)


def _draw_heading(axes: Axes, y: float, heading: str, grids: list[int]) -> None:
    axes.text(-2.05, y, heading, weight="bold", va="center", fontsize=9.5)
    for column, blocks in enumerate(grids):
        axes.text(column, y, f"{blocks} TB{'s' * (blocks > 1)}/SM", ha="center", va="center")


def _draw_row(axes: Axes, y: float, row: Field, grids: list[int], chart: Chart,
              styles: Styles) -> None:
    axes.text(-2.05, y, lines.unbroken(row.label, 27), va="center", fontsize=7.5)
    for column, blocks in enumerate(grids):
        if blocks in row.winners:
            _draw_cell(axes, column, y, row.winners[blocks], chart, styles)


def _draw_cell(axes: Axes, x: float, y: float, winner: Winner | str, chart: Chart,
               styles: Styles) -> None:
    if isinstance(winner, str):
        axes.text(x, y, winner, ha="center", va="center", fontsize=8, color=layout.GAP_COLOUR)
        return
    # Lightened, so that the words stay readable, also in a grey print.
    red, green, blue = (0.65 + 0.35 * channel for channel
                        in colors.to_rgb(styles[winner.variant].colour))
    axes.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=(red, green, blue),
                             edgecolor="none"))
    axes.text(x, y + 0.26, winner.variant, ha="center", va="center", fontsize=7, weight="bold")
    axes.text(x, y - 0.02, f"{layout.short_number(winner.microseconds)} us", ha="center",
              va="center", fontsize=7.5)
    axes.text(x, y - 0.29, _behind(chart, winner), ha="center", va="center", fontsize=6.8)


def _behind(chart: Chart, winner: Winner) -> str:
    if winner.variant == chart.library:
        return "the library"
    if winner.library == NO_LIBRARY:
        return NO_LIBRARY
    if isinstance(winner.library, str):
        return f"{chart.label} {winner.library}"
    return f"{chart.label} x {winner.library:.3g}"
