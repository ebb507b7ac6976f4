"""`taskgraph`: graphs of tasks, by what their tasks wait for (docs/library/persistent_kernels.md)."""

from __future__ import annotations

from finesync.figures import by_input
from finesync.query.points import PointTable
from finesync.query.tables import Table, counts_per_round, tables_by, time_cell
from finesync.results.catalogue import primitives
from finesync.results.loading import Results
from finesync.results.workload import Question, Unit, Workload
from workloads.taskgraph.model import model_tables

_REPLAY = "seconds_per_operation"
_US = 1e6
_USUAL_THREADS = 128  # of a block
_USUAL_LENGTH = 5  # of a task in us
# What only seems to be right.
_UNORDERED = {entry["name"]: entry["may_be_wrong"] for entry in primitives(["schedules"], "taskgraph")
              if "may_be_wrong" in entry}


def measured(results: Results) -> PointTable:
    """All points, each with its graph and its blocks per SM in words, compared by a replay."""
    points = results.points.with_columns("layers", "tasks_per_layer", "payload_bytes", "task_us", "lengths",
                                         "tbs_per_sm", "threads_per_block", "rounds", _REPLAY).compared_by(_REPLAY)
    return points.assign(
        graph=[f"{layers} layers of {tasks} tasks" + (f" by {blocks} blocks per SM" if blocks > 1 else "")
               for layers, tasks, blocks in zip(points["layers"], points["tasks_per_layer"], points["tbs_per_sm"])])


def by_graph(results: Results) -> dict[str, PointTable]:
    """The points with outputs of one access, by their graph and whether their tasks are equal."""
    points = measured(results).select(payload_bytes=0)
    return {f"{graph}, {lengths}": equal for graph, own in points.by("graph").items()
            for lengths, equal in own.by("lengths").items()}


def _id(graph: str) -> str:
    """A graph's words as part of a table's name: 91x132-equal."""
    return graph.replace(" layers of ", "x").replace(" tasks", "").replace(" blocks per SM", "") \
                .replace(" by ", "-").replace(", ", "-")


def gpu_tables(results: Results) -> list[Table]:
    """Microseconds per replay, by the tasks' length, and by their outputs' size; and a model of them."""
    tables: list[Table] = []
    for groups, axis, name, said, heading, least in (
            (by_graph(results), "task_us", "lengths", ", by the length of a task:", "us", 1),
            (measured(results).select(task_us=0).by("graph"), "payload_bytes", "outputs",
             " without work, by bytes of a task's output:", "bytes", 2)):
        for graph, own in groups.items():
            tables += tables_by({graph: own}, axis, time_cell(_US), f"{name}-{_id(graph)}",
                                f"Microseconds per replay of {{group}}{said}", heading, least)
    points = measured(results).select(threads_per_block=_USUAL_THREADS)
    return tables + model_tables(points.where(~points["primitive"].isin(_UNORDERED)))


def _words(length: int) -> str:
    return f"{length} us" if length else "empty"


def _panels(results: Results) -> dict[str, PointTable]:
    """Each graph without work, and with tasks of the usual length, equal and uneven. Graphs of equal
    tasks alone are measured for the model."""
    return {f"{graph}, {f'{lengths}, ' if length else ''}{_words(length)}":
            points.select(lengths=lengths, task_us=length)
            for graph, points in measured(results).select(payload_bytes=0).by("graph").items()
            if len(points.values("lengths")) > 1
            for lengths, length in (("equal", 0), ("equal", _USUAL_LENGTH), ("uneven", _USUAL_LENGTH))}


WORKLOAD = Workload(
    program="taskgraph",
    operation="replay",
    families={"schedules": "schedule"},
    small_run="--layers 4 --tasks-per-layer 6 --events-per-layer 2 --most-inputs 3 "
              "--payload-bytes 40 --threads-per-block 64 --rounds 2",
    figures={"gpu": (by_input.of_points(
        "task-graphs", "replays of task graphs", _panels, lambda own: own.best_time(_US), "us per replay",
        "Task graphs: time of a replay",
        "Each task reads the outputs that its event waits for, and writes one of one access.",
        relative=True),)},
    tables={"gpu": gpu_tables, "host": lambda results: counts_per_round(
        measured(results), "schedule", "Operations per replay of a small graph, counted on the host executor:")},
    question=Question(
        "tasks that wait for tasks", Unit("µs per replay", _US), by_graph, "task_us", "length of a task",
        _words, less=_UNORDERED),
)
