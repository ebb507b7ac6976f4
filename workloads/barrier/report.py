"""`barrier`: all thread blocks of a grid meet, again and again (the thesis, chapters 3.1, 5.1)."""

from __future__ import annotations

from finesync_results.workload import Workload

WORKLOAD = Workload(
    program="barrier",
    operation="barrier",
    kernels="run_rounds",
    small_run="--tbs-per-sm 1,2 --ldst 0,2 --rounds 10",
)
