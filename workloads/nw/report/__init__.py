"""`nw`: Needleman-Wunsch, a matrix in which each cell waits for three neighbours (ICS'15, section
6)."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync.figures import over_size
from finesync.results.loading import Results
from finesync.results.workload import Drawing, Question, Unit, Workload

from .tables import (BYTES_PER_SECOND, CYCLES_PER_CELL, FAMILIES, floor, gpu_tables, operation_tables, squares, table_3)

def draw(results: Results) -> Figure | None:
    """A line for each version."""
    points = squares(results)
    clock = results.gpu.get("clock_khz")
    floors = {size: 1e3 * floor(size, size, clock) for size in points.values("rows")} if clock else {}
    return over_size.draw(
        results, points, "rows", "Needleman-Wunsch: run time by matrix size",
        ("rows and columns", "ms for the matrix"),
        "Each version with its best tile size. Floor: the time to write the scores at "
        f"{BYTES_PER_SECOND / 1e12:.1f} TB/s, or that of the longest path at "
        f"{CYCLES_PER_CELL} cycles per cell.", floors)


TIMES = Drawing("times", "square matrices", draw)


WORKLOAD = Workload(
    program="nw",
    operation="cell",
    families=FAMILIES,
    small_run="--rows 70 --columns 45",
    racecheck=("data_parallel", "data_parallel_graph"),
    figures={"gpu": (TIMES,)},
    tables={"gpu": gpu_tables, "host": operation_tables},
    paper_tables={"ics15-table3": table_3},
    question=Question(
        "cells that wait for their neighbours", Unit("ms per matrix", 1e3),
        lambda results: {"Needleman-Wunsch, each at its best tile size": squares(results)},
        "rows", "size", "{0:,} x {0:,} cells".format),
)
