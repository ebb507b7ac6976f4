"""`atm`: bank transfers under two locks each (ASPLOS'19)."""

from __future__ import annotations

from finesync_results import speedups
from finesync_results.figures.speedup import SPEEDUP
from finesync_results.workload import Workload

from .claims import claims_of
from .rates import RATES
from .section_length import SECTION_LENGTH
from .traffic import TRAFFIC, traffic_tables
from .transfers import FAMILIES, PAIRS, rate_tables

WORKLOAD = Workload(
    program="atm",
    operation="transfer",
    families=FAMILIES,
    kernels="transfer_under_locks|transfer_words|transfer_in_two_steps|play_accounts|"
            "play_groups|nested_server_grid|delegate_grid",
    small_run="--collision-factor 32 --transfers 4K --threads-per-block 64 --tbs-per-sm 1",
    racecheck=("listing3", "ttas_in_order", "ticket_in_order", "all_or_none", "busy_words",
               "escrow_words", "lockfree"),
    figures={"gpu": (RATES, SPEEDUP, SECTION_LENGTH), "gpu_traffic": (TRAFFIC,)},
    tables={"gpu": lambda results: [*rate_tables(results), *speedups.tables(results)],
            "gpu_traffic": traffic_tables},
    pairs=PAIRS,
    claims=claims_of,
    paper="asplos19",
)
