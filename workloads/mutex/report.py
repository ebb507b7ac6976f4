"""`mutex`: one lock for all thread blocks (HeteroSync's mutexes)."""

from __future__ import annotations

from finesync.figures import fairness, operation_counts, sweeps
from finesync.query.tables import Table
from finesync.results import sync_sweeps, sync_tables
from finesync.results.loading import Results
from finesync.results.workload import Axes, Chart, Workload


def _variant(primitive: str, axes: Axes) -> str:
    sections = axes.get("sections_in_a_row", "auto")
    return primitive if sections == "auto" else f"{primitive}, {sections} in a row"


def _host_tables(results: Results) -> list[Table]:
    return [*sync_tables.counts(results), *sync_tables.counts_across_gpus(results)]


CHART = Chart("Which lock?", library="libcudacxx", label="libcu++",
              note="CUDA's own lock: a binary semaphore of libcu++. A value-passing lock "
                   "competes only if 12 bytes of data are enough.",
              limited={"12 bytes of data at most": ("value_passing",)})

WORKLOAD = Workload(
    program="mutex",
    operation="hand-off",
    families={"locks": "one"},
    gpus_families={"gpus_locks": "gpus"},
    small_run="--tbs-per-sm 1 --ldst 0,2 --rounds 4",
    settings=(sync_sweeps.THREADS,
              sync_sweeps.section({"count": "plain counter", "empty": "empty section"})),
    is_apart=sync_sweeps.is_of_several_gpus,
    variant=_variant,
    figures={
        "gpu": (
            sweeps.time("Mutexes: time per hand-off by thread blocks per SM"),
            sweeps.time_by_section("Mutexes: time per hand-off by length of the critical section"),
            sweeps.overhead("Mutexes: synchronization overhead by thread blocks per SM",
                          ("spin", "tas_backoff", "ticket", "array", "mcs", "libcudacxx")),
            fairness.drawing("Mutexes: fairness among thread blocks")),
        "gpus": (sweeps.time_by_gpus(
            "Mutexes of several GPUs: time per hand-off by thread blocks per SM"),),
        "host": (operation_counts.drawing("Mutexes: operations counted on the host executor"),),
    },
    tables={"gpu": sync_tables.times, "gpus": sync_tables.times_across_gpus, "host": _host_tables,
            "gpu_traffic": sync_tables.traffic},
    chart=CHART,
    question=sync_sweeps.question("Locks", "one lock for all blocks", "µs per hand-off", CHART),
)
