"""`sgd`: matrix factorisation under two locks per rating (ASPLOS'19)."""

from __future__ import annotations

from finesync_results import speedups
from finesync_results.figures.speedup import SPEEDUP
from finesync_results.workload import Pairs, Workload

from .claims import claims_of
from .epochs import FAMILIES, single, tables
from .figure import EPOCHS

WORKLOAD = Workload(
    program="sgd",
    operation="rating",
    families=FAMILIES,
    kernels="rate_under_locks|rate_without_locks|rate_by_servers|play_tiles",
    small_run="--input movielens-10m-like/2000 --threads-per-block 64 --tbs-per-sm 1",
    racecheck=(),
    figures={"gpu": (EPOCHS, SPEEDUP)},
    tables={"gpu": lambda results: [*tables(results), *speedups.tables(results)]},
    pairs=Pairs("SGD", "Listing 3", single, inputs={
        "ML": {"input": "movielens-10m-like"}, "NF": {"input": "netflix-like"},
        "RT": {"input": "rcv1-like"}}),
    claims=claims_of,
    paper="asplos19",
)
