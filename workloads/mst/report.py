"""`mst`: minimum spanning forests, a record per component (ASPLOS'19)."""

from __future__ import annotations

from finesync.figures import by_input
from finesync.figures.speedup import SPEEDUP
from finesync.papers import contention, speedups
from finesync.papers.sync_traffic import MEMORIES
from finesync.query.points import PointTable
from finesync.query.tables import Table, best_cell, table_by, time_cell
from finesync.results.loading import Results
from finesync.results.workload import PaperBenchmarks, Question, Unit, Workload

FAMILIES = {"minima": "lock"}
BOUND = "atomic_min"


def measured(results: Results) -> PointTable:
    """All points, each of one forest."""
    points = results.points.with_columns("input", "light_edges", "seconds").assign(forests=1)
    return contention.with_time_per_operation(points, "forests")


def tables(results: Results) -> list[Table]:
    """Times by graph and by the number of light edges, and speed-ups over locks."""
    points = measured(results)
    bound = points.of_primitives(BOUND)
    return [*table_by("input", points.by_primitive(), time_cell(1e3), "times",
                      "ms for the forest of a graph in the GPU's memory, each version with its "
                      "best grid or number of light edges:", "graph"),
            *table_by("light_edges", bound.by("input"), time_cell(1e3), "light",
                      f"ms of `{BOUND}`, by the lightest edges that are processed first, per "
                      "100 vertices; 0: all edges in one phase:", "light edges", least=2),
            *speedups.tables(results)]


def traffic_tables(results: Results) -> list[Table]:
    """Traffic by graph."""
    cell = best_cell(lambda best: " / ".join(
        f"{(best.median(counter) or 0) / 1e6:,.0f}" for counter in MEMORIES.values()))
    return table_by("input", measured(results).by_primitive(), cell, "traffic",
                    "MB that the forest of a graph moves, L2 / DRAM, counted by ncu, all launches:",
                    "graph")


TIMES = by_input.of_points(
    "times", "forests of graphs", lambda results: measured(results).by("input"),
    lambda own: own.best_time(1e3), "ms", "Minimum spanning forests: run time by graph",
    "Each version with its best grid or number of light edges.")


WORKLOAD = Workload(
    program="mst",
    operation="edge",
    families=FAMILIES,
    small_run="--input r4/8 --threads-per-block 64 --tbs-per-sm 1",
    racecheck=(),
    figures={"gpu": (TIMES, SPEEDUP)},
    tables={"gpu": tables, "gpu_traffic": traffic_tables},
    paper_benchmarks=PaperBenchmarks("MST", "Listing 1", measured, inputs={
        "rmat": {"input": "rmat"}, "r4": {"input": "r4-cycle"}, "USA": {"input": "road"}}),
    question=Question(
        "a record per component of a graph", Unit("ms per spanning forest", 1e3),
        lambda results: {"minimum spanning forests, each at its best launch": measured(results)},
        "input", "graph"),
)
