"""What replays of task graphs take: by the length of tasks, and by the size of their outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import synthetic
from finesync.figures.legibility import findings
from finesync.report.markdown_page import tables_of
from tables import results_of, rows_below, words_of
from workloads.taskgraph.report import WORKLOAD

(FIGURE,) = WORKLOAD.figures["gpu"]


def replay(primitive: str, us: float, ended: str = "ok", **axes: Any) -> list[dict[str, Any]]:
    """A point of empty tasks, unless told; a run is ten replays."""
    full = {"layers": 91, "tasks_per_layer": 132, "payload_bytes": 0, "task_us": 0, "lengths": "equal",
            "tbs_per_sm": 1, "rounds": 10, **axes}
    return synthetic.point(primitive, full, us, ended)


def points() -> list[list[dict[str, Any]]]:
    wide = {"layers": 48, "tasks_per_layer": 250}
    return [replay("static_words", 60.0), replay("static_counts", 100.0),
            replay("static_words", 70.0, payload_bytes=128), replay("static_counts", 110.0, payload_bytes=128),
            replay("static_words", 490.0, task_us=5), replay("static_counts", 530.0, task_us=5),
            replay("static_words", 790.0, task_us=5, lengths="uneven"),
            replay("static_counts", 0.0, ended="hung", task_us=5, lengths="uneven"),
            replay("dependent_launch", 80.0, **wide)]


def test_replays_are_by_length_and_by_output(tmp_path: Path) -> None:
    tables = tables_of(results_of(tmp_path, "taskgraph", *points()))
    equal = rows_below(tables, "Microseconds per replay of 91 layers of 132 tasks, equal, by the length")
    assert equal["static_words"] == ["60", "490"]
    assert equal["static_counts"] == ["100", "530"]
    uneven = rows_below(tables, "Microseconds per replay of 91 layers of 132 tasks, uneven, by the length")
    assert uneven["static_words"] == ["790"]
    assert uneven["static_counts"] == ["hung"]
    wide = rows_below(tables, "Microseconds per replay of 48 layers of 250 tasks, equal, by the length")
    assert wide["dependent_launch"] == ["80"]
    outputs = rows_below(tables, "Microseconds per replay of 91 layers of 132 tasks without work")
    assert outputs["static_counts"] == ["100", "110"]


def test_the_figure_has_a_panel_for_each_graph_and_length(tmp_path: Path) -> None:
    figure = FIGURE.draw(results_of(tmp_path, "taskgraph", *points()))
    said = words_of(figure)
    assert {"91 layers of 132 tasks, equal, empty", "91 layers of 132 tasks, uneven, 5 us",
            "48 layers of 250 tasks, equal, empty"} <= set(said)
    assert figure is not None and findings(figure) == []


def test_without_replays_there_is_no_figure(tmp_path: Path) -> None:
    assert FIGURE.draw(results_of(tmp_path, "taskgraph", replay("static_counts", 0.0, ended="hung"))) is None
