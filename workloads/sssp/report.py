"""`sssp`: shortest paths from one vertex (the thesis, table 4.3)."""

from __future__ import annotations

from finesync.figures import applications
from finesync.figures.applications import levels
from finesync.results.workload import Workload

WORKLOAD = Workload(
    program="sssp",
    operation="arc",
    families={"barriers": "grid"},
    problem="input",
    small_run="--input r4/8 --threads-per-block 64 --tbs-per-sm 2",
    figures={"gpu": (applications.times("input", "Shortest paths from one vertex: run time by graph"),
                     levels.drawing("Shortest paths from one vertex: length of a round"))},
    tables={"gpu": applications.tables("input", "graph")},
    question=applications.question("shortest paths", "input"),
)
