"""What replays of task graphs take: by the length of tasks, and by the size of their outputs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import synthetic
from finesync.figures.legibility import findings
from finesync.report.markdown_page import tables_of
from finesync.results.markdown import Table
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
            replay("dependent_launch", 80.0, **wide), replay("dependent_launch", 300.0, task_us=5, **wide),
            replay("dependent_launch", 290.0, task_us=5, tbs_per_sm=2, **wide),
            replay("static_words", 140.0, layers=182)]


def test_replays_are_by_length_and_by_output(tmp_path: Path) -> None:
    tables = tables_of(results_of(tmp_path, "taskgraph", *points()))
    equal = rows_below(tables, "Microseconds per replay of 91 layers of 132 tasks, equal, by the length")
    assert equal["static_words"] == ["60", "490"]
    assert equal["static_counts"] == ["100", "530"]
    uneven = rows_below(tables, "Microseconds per replay of 91 layers of 132 tasks, uneven, by the length")
    assert uneven["static_words"] == ["790"]
    assert uneven["static_counts"] == ["hung"]
    wide = rows_below(tables, "Microseconds per replay of 48 layers of 250 tasks, equal, by the length")
    assert wide["dependent_launch"] == ["80", "300"]
    in_pairs = rows_below(tables, "Microseconds per replay of 48 layers of 250 tasks by 2 blocks per SM, equal")
    assert in_pairs["dependent_launch"] == ["290"]
    outputs = rows_below(tables, "Microseconds per replay of 91 layers of 132 tasks without work")
    assert outputs["static_counts"] == ["100", "110"]


def test_the_figure_has_panels_of_graphs_with_both_lengths(tmp_path: Path) -> None:
    figure = FIGURE.draw(results_of(tmp_path, "taskgraph", *points()))
    said = words_of(figure)
    assert {"91 layers of 132 tasks, empty", "91 layers of 132 tasks, equal, 5 us",
            "91 layers of 132 tasks, uneven, 5 us"} <= set(said)
    assert not any("182 layers" in each or "48 layers" in each for each in said)
    assert figure is not None and findings(figure) == []


def test_without_replays_there_is_no_figure(tmp_path: Path) -> None:
    assert FIGURE.draw(results_of(tmp_path, "taskgraph", replay("static_counts", 0.0, ended="hung"))) is None


# Of each schedule: start, layer, task, kilobyte, stretch.
MODEL = {"static_words": (5.0, 0.6, 0.1, 0.4, 0.5), "dependent_launch": (3.0, 0.9, 0.2, 0.1, 0.8)}
SHAPES = [{"layers": layers, "tasks_per_layer": tasks, "payload_bytes": payload, "task_us": length, "lengths": lengths}
          for layers, tasks in ((91, 132), (48, 250), (24, 132))
          for payload, length, lengths in ((0, 0, "equal"), (1024, 0, "equal"), (4096, 0, "equal"), (0, 5, "equal"),
                                           (0, 1, "uneven"), (0, 20, "uneven"))]


def of_model(name: str, **shape: Any) -> list[dict[str, Any]]:
    """A point that is as the model says."""
    start, layer, task, kilobyte, stretch = MODEL[name]
    waves = -(-shape["tasks_per_layer"] // 132)
    work = shape["task_us"] * (waves + waves ** 0.5 * stretch * (shape["lengths"] == "uneven"))
    us = start + shape["layers"] * (layer + (waves - 1) * task + waves * shape["payload_bytes"] / 1024 * kilobyte + work)
    return replay(name, us, **shape)


def model_of(folder: Path, *made: list[dict[str, Any]]) -> Table:
    (table,) = (each for each in tables_of(results_of(folder, "taskgraph", *made)) if each.id == "model")
    return table


def test_the_model_finds_what_made_the_points(tmp_path: Path) -> None:
    table = model_of(tmp_path, *(of_model(name, **shape) for name in MODEL for shape in SHAPES))
    for name, numbers in MODEL.items():
        *found, points, median, largest = table.rows[name]
        assert [float(each) for each in found] == list(numbers)
        assert (points, median, largest) == ("18", "0.0%", "0.0%")
    pairs, named = re.findall(r"[0-9]+", table.title.split("Of")[1])[0], table.title.split("one of ")[1].rstrip(":")
    assert pairs == named != "0"


def test_a_point_that_the_model_does_not_explain_is_its_largest_error(tmp_path: Path) -> None:
    first, *others = [of_model("static_words", **shape) for shape in SHAPES]
    slow = replay("static_words", 2 * 1e6 / first[0]["items_per_second"], **SHAPES[0])
    largest = model_of(tmp_path, slow, *others).rows["static_words"][-1]
    assert 49 < float(largest.rstrip("%")) < 51


def test_a_point_more_than_numbers_is_needed(tmp_path: Path) -> None:
    few = [of_model("static_words", **shape) for shape in SHAPES[:5]]
    assert not [each for each in tables_of(results_of(tmp_path, "taskgraph", *few)) if each.id == "model"]


def test_the_work_of_a_task_is_what_was_measured(tmp_path: Path) -> None:
    made = [row for shape in SHAPES for row in of_model("static_words", **shape)]
    for row in made:
        row["effective"]["task_ns"] = 1000 * row["axes"]["task_us"]
        row["axes"]["task_us"] *= 3
    assert model_of(tmp_path, made).rows["static_words"][-1] == "0.0%"
