"""Time over the size of the mesh."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync_results.figures import over_size
from finesync_results.loading import Results
from finesync_results.workload import Drawing

from .times import measured


def draw(results: Results) -> Figure | None:
    """A line for each version."""
    return over_size.draw(results, measured(results), "size", "Maximum flow",
                          ("rows x columns of the mesh", "ms for the flow"),
                          "Both phases, each version at its best grid and pace.")


TIMES = Drawing("times", "meshes", draw)
