"""`maxflow`: maximum flow by push-relabel (ASPLOS'19, section 4.1)."""

from __future__ import annotations

from finesync_results.workload import Workload

from .figure import TIMES
from .times import FAMILIES, tables

WORKLOAD = Workload(
    program="maxflow",
    operation="arc",
    families=FAMILIES,
    kernels="find_flow",
    small_run="--rows 12 --columns 9 --threads-per-block 64 --tbs-per-sm 1",
    racecheck=(),
    figures={"gpu": (TIMES,)},
    tables={"gpu": tables},
)
