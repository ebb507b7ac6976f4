"""`sgd`: matrix factorisation under two locks per rating (ASPLOS'19)."""

from __future__ import annotations

from finesync_results.workload import Workload

from .epochs import FAMILIES, tables
from .figure import EPOCHS
from .speedups import SPEEDUP, claims_of, speedup_tables

WORKLOAD = Workload(
    program="sgd",
    operation="rating",
    families=FAMILIES,
    kernels="rate_under_locks|rate_without_locks|rate_by_servers|play_tiles",
    small_run="--input movielens-10m-like/2000 --threads-per-block 64 --tbs-per-sm 1",
    racecheck=(),
    figures={"gpu": (EPOCHS, SPEEDUP)},
    tables={"gpu": lambda results: [*tables(results), *speedup_tables(results)]},
    claims=claims_of,
    paper="asplos19",
)
