"""`ht`: inserts into a hash table with lists protected by locks or servers (ASPLOS'19)."""

from __future__ import annotations

from finesync.figures.speedup import SPEEDUP
from finesync.papers import speedups
from finesync.query.tables import Table
from finesync.results.loading import Results
from finesync.results.workload import Question, Unit, Workload

from .curves import curve_tables, step_tables
from .figures import ACROSS_GPUS, CONTENTION, COUNTS, PADDING, SECTION_LENGTH, TRAFFIC
from .tables import (BATCH, BENCHMARKS, FAMILIES, GPUS_FAMILIES, VALUE_PASSING, gpus_tables, inserts, lock_tables,
                     overview_tables, server_tables, traffic_tables)

def _tables(results: Results) -> list[Table]:
    return [*lock_tables(results), *server_tables(results),
            *step_tables(results), *curve_tables(results), *overview_tables(results),
            *speedups.tables(results)]


WORKLOAD = Workload(
    program="ht",
    operation="insert",
    families=FAMILIES,
    gpus_families=GPUS_FAMILIES,
    small_run="--collision-factor 32 --inserts 4K --table-size 4K --threads-per-block 64 "
              "--tbs-per-sm 1",
    # Locks in global memory: servers and cohort locks keep theirs in shared memory.
    racecheck=("spin", "tas", "ttas", "ticket", "anderson", "array", "mcs", "warp_combining",
               "value_passing", "lockfree"),
    figures={"gpu": (SPEEDUP, CONTENTION, SECTION_LENGTH, PADDING), "gpus": (ACROSS_GPUS,),
             "host": (COUNTS,), "gpu_traffic": (TRAFFIC,)},
    tables={"gpu": _tables, "gpus": gpus_tables, "gpu_traffic": traffic_tables},
    paper_benchmarks=BENCHMARKS,
    question=Question(
        "many locks, one held at a time", Unit("billion inserts per second", 1e-9, rate=True),
        lambda results: {"hash table of lists, each at its best launch": inserts(results)},
        "collision_factor", "contention", "{:,} distinct keys".format, heaviest_first=True,
        library=("libcudacxx",),
        less={"lockfree": "one atomic exchange, no section", BATCH: "a whole batch at once"},
        limited={"one word of data": VALUE_PASSING}, group="Servers and tables"),
)
