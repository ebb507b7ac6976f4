"""`mst`: minimum spanning forests, a record per component (ASPLOS'19)."""

from __future__ import annotations

from finesync_results.figures.speedup import SPEEDUP
from finesync_results.workload import Pairs, Workload

from .claims import claims_of
from .figure import TIMES
from .times import FAMILIES, measured, tables

WORKLOAD = Workload(
    program="mst",
    operation="edge",
    families=FAMILIES,
    kernels="run_by_vertices|choose_.*|number_.*|settle_.*|list_.*|find_.*|run_rounds|join_level|"
            "keep_level|server_grid",
    small_run="--input r4/8 --threads-per-block 64 --tbs-per-sm 1",
    racecheck=(),
    figures={"gpu": (TIMES, SPEEDUP)},
    tables={"gpu": tables},
    pairs=Pairs("MST", "Listing 1", measured, inputs={
        "rmat": {"input": "rmat"}, "r4": {"input": "r4"}, "USA": {"input": "road"}}),
    claims=claims_of,
    paper="asplos19",
)
