"""`mutex`: all thread blocks want one lock (HeteroSync's mutexes)."""

from __future__ import annotations

from finesync_results.workload import Workload

WORKLOAD = Workload(
    program="mutex",
    operation="hand-off",
    kernels="compete",
    small_run="--tbs-per-sm 1 --ldst 0,2 --rounds 4",
)
