"""`mst`: minimum spanning forests, a record per component (ASPLOS'19)."""

from __future__ import annotations

from finesync_results.workload import Workload

from .claims import claims_of
from .figure import TIMES
from .times import FAMILIES, tables

WORKLOAD = Workload(
    program="mst",
    operation="edge",
    families=FAMILIES,
    kernels="run_by_vertices|choose_.*|number_.*|settle_.*|list_.*|find_.*|run_rounds|join_level|"
            "keep_level|server_grid",
    small_run="--input r4/8 --threads-per-block 64 --tbs-per-sm 1",
    racecheck=(),
    figures={"gpu": (TIMES,)},
    tables={"gpu": tables},
    claims=claims_of,
    paper="asplos19",
)
