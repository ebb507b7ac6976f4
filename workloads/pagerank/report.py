"""`pagerank`: ranks of the vertices of a graph (the thesis, table 4.3)."""

from __future__ import annotations

from finesync.figures import applications
from finesync.results.workload import Workload

WORKLOAD = Workload(
    program="pagerank",
    operation="arc",
    families={"barriers": "grid"},
    problem="input",
    small_run="--input r4/5 --threads-per-block 64 --tbs-per-sm 2",
    figures={"gpu": (applications.times("input", "PageRank: run time by graph"),)},
    tables={"gpu": applications.tables("input", "graph")},
    question=applications.question("PageRank", "input"),
)
