"""`taskgraph`: graphs of tasks, by what their tasks wait for (docs/persistent_kernels.md)."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync.figures import by_input
from finesync.results.loading import COUNTED, Results
from finesync.results.markdown import Table, counts_table, table_by, time_cell
from finesync.results.point_table import PointTable, Spread
from finesync.results.workload import Drawing, Question, Unit, Workload
from workloads.taskgraph.model import model_tables

_REPLAY = "seconds_per_operation"
_COUNTS = dict(zip(("atomics", "fences", "polls"), COUNTED))
_US = 1e6
_USUAL_THREADS = 128  # of a block
# What only seems to be right.
_UNORDERED = {"static_hazy": "nothing orders the outputs"}


def measured(results: Results) -> PointTable:
    """All points, each with its graph in words, compared by a replay."""
    points = results.points.with_columns("layers", "tasks_per_layer", "payload_bytes", "task_us", "lengths",
                                         "tbs_per_sm", "threads_per_block", "rounds", _REPLAY).compared_by(_REPLAY)
    return points.assign(
        graph=[f"{layers} layers of {tasks} tasks"
               for layers, tasks in zip(points["layers"], points["tasks_per_layer"])])


def by_graph(results: Results) -> dict[str, PointTable]:
    """The points with outputs of one access, by their graph and whether their tasks are equal."""
    points = measured(results).select(payload_bytes=0)
    return {f"{graph}, {lengths}": equal for graph, own in points.by("graph").items()
            for lengths, equal in own.by("lengths").items()}


def gpu_tables(results: Results) -> list[Table]:
    """Microseconds per replay, by the tasks' length, and by their outputs' size; and a model of them."""
    tables: list[Table] = []
    for number, (graph, own) in enumerate(by_graph(results).items(), 1):
        tables += table_by("task_us", own.by_primitive(), time_cell(_US), f"lengths-{number}",
                           f"Microseconds per replay of {graph}, by the length of a task:", "us")
    for number, (graph, own) in enumerate(measured(results).select(task_us=0).by("graph").items(), 1):
        tables += table_by("payload_bytes", own.by_primitive(), time_cell(_US), f"outputs-{number}",
                           f"Microseconds per replay of {graph} without work, by bytes of a task's output:",
                           "bytes", least=2)
    points = measured(results).select(threads_per_block=_USUAL_THREADS)
    return tables + model_tables(points.where(~points["primitive"].isin(_UNORDERED)))


def host_tables(results: Results) -> list[Table]:
    """Operations per replay."""
    points = measured(results).with_columns(*_COUNTS.values())
    return counts_table(points, _COUNTS, "schedule", lambda point: int(point["axes"]["rounds"]),
                        "Operations per replay of a small graph, counted on the host executor:")


def _words(length: int) -> str:
    return f"{length} us" if length else "empty"


def draw(results: Results) -> Figure | None:
    """A panel for each graph and length of tasks."""
    bars: dict[str, dict[str, Spread | str]] = {}
    for graph, points in by_graph(results).items():
        for length, own in points.by("task_us").items():
            bars[f"{graph}, {_words(length)}"] = {
                name: (found.scaled(_US) if (found := each.fastest_time()) else each.failure_word())
                for name, each in own.by_primitive().items()}
    names = list(dict.fromkeys(name for own in bars.values() for name in own))
    return by_input.draw(results, bars, names, "us per replay", "Task graphs: time of a replay",
                         "Each task reads the outputs that its event waits for, and writes one of one access.")


WORKLOAD = Workload(
    program="taskgraph",
    operation="replay",
    families={"schedules": "schedule"},
    small_run="--layers 4 --tasks-per-layer 6 --events-per-layer 2 --most-inputs 3 "
              "--payload-bytes 40 --threads-per-block 64 --rounds 2",
    figures={"gpu": (Drawing("task-graphs", "replays of task graphs", draw),)},
    tables={"gpu": gpu_tables, "host": host_tables},
    question=Question(
        "tasks that wait for tasks", Unit("us per replay", _US), by_graph, "task_us", "length of a task",
        _words, less=_UNORDERED),
)
