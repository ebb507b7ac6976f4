"""`ht`: inserts into a hash table whose lists are behind locks or servers (ASPLOS'19)."""

from __future__ import annotations

from finesync_results.workload import Workload

WORKLOAD = Workload(
    program="ht",
    operation="insert",
    # One launch of a server kernel is clients and servers together.
    kernels="insert|insert_lockfree|server_grid",
    small_run="--collision-factor 32 --inserts 4K --table-size 4K --threads-per-block 64 "
              "--tbs-per-sm 1",
    # Locks in global memory: servers and cohorts keep theirs in shared memory.
    racecheck=("spin", "spin_ordered", "backoff", "ticket", "ring", "array", "mcs", "combining",
               "carrying", "lockfree"),
)
