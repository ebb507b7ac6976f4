"""`semaphore`: readers and writers of one table (the thesis, chapters 3.2 and 5.2)."""

from __future__ import annotations

from finesync_results.workload import Workload

WORKLOAD = Workload(
    program="semaphore",
    operation="operation",
    kernels="contend",
    small_run="--tbs-per-sm 2 --size 1,10 --ldst 0,2 --rounds 4",
)
