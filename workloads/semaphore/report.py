"""`semaphore`: readers and writers of one table (thesis, chapters 3.2 and 5.2)."""

from __future__ import annotations

from finesync.figures import fairness, operation_counts, sweeps
from finesync.results import sync_sweeps, sync_tables
from finesync.results.workload import Axes, Chart, Part, Workload

# The thesis ran these with and without back-off; the others have only one way to wait.
_WITH_AND_WITHOUT_BACKOFF = ("spin", "priority", "spin_printed", "priority_printed")


def _variant(primitive: str, axes: Axes) -> str:
    backs_off = primitive in _WITH_AND_WITHOUT_BACKOFF and axes.get("backoff") == "yes"
    return f"{primitive}_backoff" if backs_off else primitive


def _readers_only(axes: Axes) -> bool:
    return axes.get("writers") == "no"


def _grows(axes: Axes) -> bool:
    return axes.get("writer") == "grows"


CHART = Chart("Which semaphore?", library="libcudacxx", label="libcu++",
              note="CUDA's own semaphore: that of libcu++, for readers only.",
              has_library=_readers_only)

WORKLOAD = Workload(
    program="semaphore",
    operation="operation",
    families={"semaphores": "one"},
    small_run="--tbs-per-sm 2 --size 1,10 --ldst 0,2 --rounds 4",
    settings=(Part(lambda axes: (_readers_only(axes), axes.get("size", 0)),
                   lambda axes: f"size {axes.get('size', 0)}"
                   + (", readers only" if _readers_only(axes) else "")),
              Part(_grows, lambda axes: "growing writer" if _grows(axes) else ""),
              sync_sweeps.THREADS, sync_sweeps.section("two words"), sync_sweeps.SMS),
    variant=_variant,
    figures={
        "gpu": (
            sweeps.time("Semaphores: time per operation by thread blocks per SM",
                                   "As in the thesis's figures 5.17, 5.21 and 5.25. "),
            sweeps.time_by_section("Semaphores: time per operation by length of the critical section",
                                      "As in the thesis's figure 5.29. "),
            sweeps.overhead("Semaphores: synchronization overhead by thread blocks per SM",
                          ("spin", "spin_backoff", "priority", "priority_backoff", "ticket"),
                          "As in the thesis's figure 5.32. "),
            fairness.drawing("Semaphores: fairness among thread blocks")),
        "host": (operation_counts.drawing("Semaphores: operations counted on the host executor"),),
    },
    tables={"gpu": sync_tables.times, "host": sync_tables.counts,
            "gpu_traffic": sync_tables.traffic},
    chart=CHART,
    question=sync_sweeps.question("Semaphores", "readers and writers of one table", "µs per operation", CHART),
)
