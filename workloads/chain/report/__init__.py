"""`chain`: sums passed between threads of a block (ICS'15, sections 4 and 5)."""

from __future__ import annotations

from finesync.results.workload import Question, Unit, Workload

from .tables import by_distance, gpu_tables, operation_tables, table_1, table_2

WORKLOAD = Workload(
    program="chain",
    operation="hop",
    families={"channels": "one_token"},
    small_run="--warps 4 --distance 32 --rounds 4",
    figures={},
    tables={"gpu": gpu_tables, "host": operation_tables},
    paper_tables={"ics15-table1": table_1, "ics15-table2": table_2},
    question=Question(
        "a value within a block", Unit("ns per hop", 1e9), by_distance,
        "warps", "length of the chain", "{} warps".format, group="Events and queues"),
)
