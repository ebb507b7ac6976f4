"""`nw`: Needleman-Wunsch, a matrix whose cells wait for three neighbours (ICS'15, section 6)."""

from __future__ import annotations

from finesync_results.workload import Workload

from .claims import claims_of
from .figure import TIMES
from .operations import counted
from .times import FAMILIES, tables

WORKLOAD = Workload(
    program="nw",
    operation="cell",
    families=FAMILIES,
    kernels="fill_.*",
    small_run="--rows 70 --columns 45",
    racecheck=("data_parallel", "data_parallel_graph"),
    figures={"gpu": (TIMES,)},
    tables={"gpu": tables, "host": counted},
    claims=claims_of,
    paper="ics15",
)
