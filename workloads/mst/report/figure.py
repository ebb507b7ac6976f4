"""Time of a forest, a panel for each graph, a bar for each version."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync_results.figures import by_input
from finesync_results.loading import Results
from finesync_results.points import of, primitives, select, values
from finesync_results.workload import Drawing

from .times import measured, milliseconds


def draw(results: Results) -> Figure | None:
    """ms for a forest, each version at its best."""
    points = measured(results)
    names = primitives(points)
    bars = {name: {who: time for who in names
                   if (time := milliseconds(of(select(points, input=name), who))) is not None}
            for name in values(points, "input")}
    return by_input.draw(results, bars, names, "ms", "Minimum spanning forests",
                         "Each version with the grid or the share of light edges that is best for "
                         "it.")


TIMES = Drawing("times", "forests of graphs", draw)
