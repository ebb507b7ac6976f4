"""`mutex`: one lock for all thread blocks (HeteroSync's mutexes)."""

from __future__ import annotations

from finesync.figures import fairness, operation_counts, split, time_over_grid, time_over_section
from finesync.results import sync_sweeps, sync_tables
from finesync.results.workload import Chart, Workload

CHART = Chart("Which lock?", library="libcudacxx", label="libcu++",
              note="CUDA's own lock: a binary semaphore of libcu++. A value-passing lock "
                   "competes only if 12 bytes of data are enough.",
              limited={"12 bytes of data at most": ("value_passing",)})

WORKLOAD = Workload(
    program="mutex",
    operation="hand-off",
    families={"locks": "one"},
    small_run="--tbs-per-sm 1 --ldst 0,2 --rounds 4",
    settings=(sync_sweeps.THREADS,
              sync_sweeps.section({"count": "plain counter", "empty": "empty section"})),
    figures={
        "gpu": (
            time_over_grid.drawing("Mutexes: time per hand-off by thread blocks per SM"),
            time_over_section.drawing("Mutexes: time per hand-off by length of the critical section"),
            split.drawing("Mutexes: synchronization overhead by thread blocks per SM",
                          ("spin", "tas_backoff", "ticket", "array", "mcs", "libcudacxx")),
            fairness.drawing("Mutexes: fairness among thread blocks")),
        "host": (operation_counts.drawing("Mutexes: operations counted on the host executor"),),
    },
    tables={"gpu": sync_tables.times, "host": sync_tables.counts,
            "gpu_traffic": sync_tables.traffic},
    chart=CHART,
    question=sync_sweeps.question("one lock for all blocks", "µs per hand-off", CHART),
)
