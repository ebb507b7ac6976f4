"""`ht`: inserts into a hash table whose lists are behind locks or servers (ASPLOS'19)."""

from __future__ import annotations

from finesync_results import speedups
from finesync_results.figures.speedup import SPEEDUP
from finesync_results.loading import Results
from finesync_results.markdown import Table
from finesync_results.workload import Workload

from . import inserts
from .contention import CONTENTION
from .counts import COUNTS
from .lock_tables import lock_tables
from .padding import PADDING
from .section_length import SECTION_LENGTH
from .server_tables import server_tables
from .traffic import TRAFFIC, traffic_tables


def _tables(results: Results) -> list[Table]:
    return [*lock_tables(results), *server_tables(results), *speedups.tables(results)]


WORKLOAD = Workload(
    program="ht",
    operation="insert",
    families=inserts.FAMILIES,
    # One launch of a server kernel is clients and servers together.
    kernels="insert|insert_lockfree|server_grid",
    small_run="--collision-factor 32 --inserts 4K --table-size 4K --threads-per-block 64 "
              "--tbs-per-sm 1",
    # Locks in global memory: servers and cohorts keep theirs in shared memory.
    racecheck=("spin", "spin_ordered", "ttas", "ticket", "ring", "array", "mcs", "combining",
               "carrying", "lockfree"),
    figures={"gpu": (SPEEDUP, CONTENTION, SECTION_LENGTH, PADDING), "host": (COUNTS,),
             "gpu_traffic": (TRAFFIC,)},
    tables={"gpu": _tables, "gpu_traffic": traffic_tables},
    pairs=inserts.PAIRS,
)
