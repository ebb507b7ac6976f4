"""How long a level of a search takes, by how many entries its frontier has."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure

from ...query.numbers import exactly
from ...query.points import PointRow
from ...results.loading import Results
from ...results.workload import Drawing
from .. import layout, scales
from ..styles import styles_of

_NS = "level_ns_from_"


def drawing(title: str) -> Drawing:
    return Drawing("levels", "runs with --levels yes", partial(draw, title=title))


def draw(results: Results, title: str) -> Figure | None:
    """A panel for each graph, a line for each barrier; both axes are logarithmic."""
    points = results.points.with_columns("levels", "input")
    points = points.where(points["levels"].eq("yes") & points["ok"])
    lines = {graph: {name: line for name, own in here.by_primitive().items()
                     if (best := own.fastest_point()) and (line := by_size(best))}
             for graph, here in points.by("input").items()}
    lines = {graph: own for graph, own in lines.items() if own}
    if not lines:
        return None
    styles = styles_of(results)
    figure, panels = layout.panels_by_row(len(lines), 2)
    shown = [time for own in lines.values() for line in own.values() for time in line.values()]
    scales.fit_log_y(panels, shown)
    sizes = [size for own in lines.values() for line in own.values() for size in line]
    for panel, (graph, own) in zip(panels, lines.items()):
        scales.fit_log(panel.xaxis, sizes, most=4)
        for name, line in own.items():
            layout.draw_line(panel, list(line), [exactly(time) for time in line.values()], styles[name])
        panel.set_title(graph)
        panel.grid(which="major")
    layout.label_rows(panels, 2, "us a level")
    return layout.finish(
        figure, f"{title} ({results.gpu_name})",
        "At N: the mean time of levels of N to 2 N - 1 entries. A level lasts from the moment "
        "block 0 begins it until block 0 begins the next one, barrier included. Levels are timed "
        "in a separate run, at the fastest grid.", results, layout.legend_of(panels),
        "entries of the frontier")


def by_size(point: PointRow) -> dict[int, float]:
    """The mean length of a level in us, by the least entries of its class."""
    named = [column for column in point.cells.index
             if str(column).startswith(_NS) and str(column).removeprefix(_NS).isdigit()]
    found = {int(column.removeprefix(_NS)): point.median(column) for column in named}
    return {size: ns / 1e3 for size, ns in sorted(found.items()) if ns is not None}
