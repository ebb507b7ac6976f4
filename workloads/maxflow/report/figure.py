"""Time over the rows x columns of the mesh."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from finesync_results.figures import layout
from finesync_results.figures.styles import styles_of
from finesync_results.loading import Results
from finesync_results.points import (Points, Spread, failure_word, fastest, of, primitives, select,
                                     spread, values)
from finesync_results.workload import Drawing

from . import times


def _milliseconds(points: Points) -> Spread | None:
    point = fastest(points)
    found = None if point is None else spread(point, "seconds")
    return found.scaled(1e3) if found else None


def draw(results: Results) -> Figure | None:
    """A line for each version."""
    points = times.measured(results)
    sizes = values(points, "size")
    found = {who: {size: one for size in sizes
                   if (one := _milliseconds(select(of(points, who), size=size)))}
             for who in primitives(points)}
    shown = [one.median for spreads in found.values() for one in spreads.values()]
    if not shown:
        return None
    styles = styles_of(results)
    figure, panel = plt.subplots(figsize=(layout.WIDTH_IN, 4.6))
    layout.log_axis(panel.xaxis, min(sizes), max(sizes))
    layout.log_axis(panel.yaxis, min(shown), max(shown))
    for who, spreads in found.items():
        style = styles[who]
        if spreads:
            layout.draw_spreads(panel, list(spreads), list(spreads.values()), label=style.label,
                                color=style.colour, marker=style.marker, linestyle=style.dashes)
        for size in set(values(of(points, who), "size")) - set(spreads):
            layout.mark_gap(panel, size, 0.03, failure_word(select(of(points, who), size=size)),
                            panel.get_xaxis_transform())
    panel.set_xlabel("rows x columns of the mesh")
    panel.set_ylabel("ms for the flow")
    panel.grid(which="major")
    return layout.finish(figure, f"Maximum flow: {results.gpu_name}",
                         "Both phases, each version at its best grid and pace. Markers: medians of "
                         "the repetitions; whiskers: quartiles.", results,
                         layout.legend_of([panel]), 3)


TIMES = Drawing("times", "meshes", draw)
