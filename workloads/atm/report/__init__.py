"""`atm`: bank transfers under two locks each (ASPLOS'19)."""

from __future__ import annotations

from finesync.figures.speedup import SPEEDUP
from finesync.papers import speedups
from finesync.results.workload import Question, Unit, Workload

from .figures import RATES, RATES_ACROSS_GPUS, SECTION_LENGTH, TRAFFIC
from .tables import BENCHMARKS, FAMILIES, PICKS, gpus_tables, rate_tables, traffic_tables, transfers

WORKLOAD = Workload(
    program="atm",
    operation="transfer",
    families=FAMILIES,
    gpus_families={"gpus_nested": "lock"},
    small_run="--collision-factor 32 --transfers 4K --threads-per-block 64 --tbs-per-sm 1",
    racecheck=("spin_in_order", "ttas_in_order", "ticket_in_order", "all_or_nothing", "full_empty_pair",
               "escrow", "lockfree"),
    figures={"gpu": (RATES, SPEEDUP, SECTION_LENGTH), "gpus": (RATES_ACROSS_GPUS,),
             "gpu_traffic": (TRAFFIC,)},
    tables={"gpu": lambda results: [*rate_tables(results), *speedups.tables(results)],
            "gpus": gpus_tables, "gpu_traffic": traffic_tables},
    paper_benchmarks=BENCHMARKS,
    question=Question(
        "two objects at once", Unit("million transfers per second", 1e-6, rate=True),
        lambda results: {
            f"bank transfers, {PICKS[skew]} choice of accounts, each at its best launch": own
            for skew, own in transfers(results).by("skew").items()},
        "collision_factor", "contention", "{:,} accounts".format, heaviest_first=True,
        less={"lockfree": "two steps, not one"},
        limited={"words that are their own locks": ("full_empty_pair", "escrow"),
                 "batches known beforehand": ("conflict_free", "conflict_free_groups")},
        group="Servers and tables"),
)
