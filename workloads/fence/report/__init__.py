"""`fence`: what a memory fence costs, by what its SM has touched (docs/fences.md)."""

from __future__ import annotations

from finesync_results.workload import Workload

from .cycles import tables
from .figure import CYCLES

WORKLOAD = Workload(
    program="fence",
    operation="fence",
    families={"fences": "fence"},
    kernels="time_fences",
    small_run="--access load,store,addition --toucher same-thread,other-warp --rounds 4",
    figures={"gpu": (CYCLES,)},
    tables={"gpu": tables},
)
