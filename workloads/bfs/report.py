"""`bfs`: breadth-first search (the thesis, table 4.3)."""

from __future__ import annotations

from finesync.figures import applications
from finesync.figures.applications import levels
from finesync.results.workload import Workload

WORKLOAD = Workload(
    program="bfs",
    operation="arc",
    families={"barriers": "grid"},
    problem="input",
    small_run="--input r4/8 --threads-per-block 64 --tbs-per-sm 2",
    figures={"gpu": (applications.times("input", "Breadth-first search: run time by graph"),
                     levels.drawing("Breadth-first search: length of a level"))},
    tables={"gpu": applications.tables("input", "graph")},
    question=applications.question("breadth-first search", "input"),
)
