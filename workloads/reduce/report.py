"""`reduce`: sums of an array, with a grid barrier in each (the thesis, table 4.3)."""

from __future__ import annotations

from finesync.figures import applications
from finesync.results.workload import Workload

WORKLOAD = Workload(
    program="reduce",
    operation="word",
    families={"barriers": "grid"},
    problem="words",
    rounds="rounds",
    small_run="--words 5000 --rounds 3 --threads-per-block 64 --tbs-per-sm 2",
    figures={"gpu": (applications.times("words", "Sums of words: time by their number",
                                        "rounds", "ms per sum"),)},
    tables={"gpu": applications.tables("words", "words", "rounds", "ms per sum")},
    question=applications.question("sums of an array", "words", "rounds", "ms per sum"),
)
