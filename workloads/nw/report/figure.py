"""Time over size, and the floor below it."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync_results.figures import over_size
from finesync_results.loading import Results
from finesync_results.points import values
from finesync_results.workload import Drawing

from . import times


def draw(results: Results) -> Figure | None:
    """A line for each version."""
    points = times.squares(results)
    clock = results.gpu.get("clock_khz")
    floor = {size: 1e3 * times.floor(size, size, clock)
             for size in values(points, "rows")} if clock else {}
    return over_size.draw(
        results, points, "rows", "Needleman-Wunsch", ("rows and columns", "ms for the matrix"),
        "Each with the tile that is best for it. Floor: the scores written at "
        f"{times.BYTES_PER_SECOND / 1e12:.1f} TB/s, or the longest path at "
        f"{times.CYCLES_PER_CELL} cycles a cell.", floor)


TIMES = Drawing("times", "square matrices", draw)
