"""`maxflow`: maximum flow by push-relabel (ASPLOS'19, section 4.1)."""

from __future__ import annotations

from finesync_results import speedups
from finesync_results.figures.speedup import SPEEDUP
from finesync_results.workload import Pairs, Workload

from .claims import claims_of, section_4_1
from .figure import TIMES
from .times import FAMILIES, PROGRAM, measured, tables

WORKLOAD = Workload(
    program=PROGRAM,
    operation="arc",
    families=FAMILIES,
    kernels="find_flow",
    small_run="--rows 12 --columns 9 --threads-per-block 64 --tbs-per-sm 1",
    racecheck=(),
    figures={"gpu": (TIMES, SPEEDUP)},
    tables={"gpu": lambda results: [*tables(results), *section_4_1(results),
                                    *speedups.tables(results)]},
    pairs=Pairs("MF", "Listing 1", measured, inputs={
        "2kx2k": {"input": "mesh", "size": 2048 * 2048},
        "4kx4k": {"input": "mesh", "size": 4096 * 4096},
        "8kx4k": {"input": "mesh", "size": 8192 * 4096}}),
    claims=claims_of,
    paper="asplos19",
)
