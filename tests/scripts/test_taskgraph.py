"""The model of what replays of task graphs take."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from finesync.query.tables import Table
from finesync.report.markdown_page import tables_of
from tables import results_of
from test_program_reports import at

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
    return at("taskgraph", name, us, **shape)


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
    slow = at("taskgraph", "static_words", 2 * 1e6 / first[0]["items_per_second"], **SHAPES[0])
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
