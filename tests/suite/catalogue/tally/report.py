"""`tally`: threads that count under locks."""

from finesync.figures import operation_counts, sweeps
from finesync.results import sync_sweeps, sync_tables
from finesync.results.workload import Workload

WORKLOAD = Workload(
    program="tally", operation="addition", families={"locks": "many"}, without=("passes_value",),
    small_run="--rounds 2", racecheck=("spin",),
    settings=(sync_sweeps.THREADS,),
    figures={"gpu": (sweeps.time("Locks, time per addition"),),
             "host": (operation_counts.drawing("Locks, counted"),)},
    tables={"gpu": sync_tables.times, "host": sync_tables.counts})
