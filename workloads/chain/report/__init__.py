"""`chain`: sums passed between threads of a block (ICS'15, sections 4 and 5)."""

from __future__ import annotations

from finesync.results.workload import Workload

from .tables import gpu_tables, operation_tables, table_1, table_2

WORKLOAD = Workload(
    program="chain",
    operation="hop",
    families={"channels": "one_token"},
    kernels="time_chains",
    small_run="--warps 4 --distance 32 --rounds 4",
    figures={},
    tables={"gpu": gpu_tables, "host": operation_tables},
    paper_tables={"ics15-table1": table_1, "ics15-table2": table_2},
)
