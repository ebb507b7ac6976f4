"""`chain`: sums handed from thread to thread of a block (ICS'15, sections 4 and 5)."""

from __future__ import annotations

from finesync_results.workload import Workload

from .claims import claims_of
from .cycles import tables
from .figure import CYCLES
from .operations import counted

WORKLOAD = Workload(
    program="chain",
    operation="hand-over",
    families={"channels": "one_token"},
    kernels="time_chains",
    small_run="--warps 4 --distance 32 --rounds 4",
    figures={"gpu": (CYCLES,)},
    tables={"gpu": tables, "host": counted},
    claims=claims_of,
    paper="ics15",
)
