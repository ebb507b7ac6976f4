"""Tables and the figure of queues: each form of a primitive has a row of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import accepted
import synthetic
from finesync.report.markdown_page import tables_of
from finesync.report.needs import needs
from tables import results_of, rows_below
from test_legibility import drawn, faults_of
from workloads.queue.report import WORKLOAD

(FIGURE,) = WORKLOAD.figures["gpu"]


def queue(primitive: str, milliseconds: float, **axes: Any) -> list[dict[str, Any]]:
    """A million items in so many milliseconds; by default all blocks push and pop."""
    full = {"traffic": "both", "tbs_per_sm": 1, "threads_per_block": 256, "tickets": "warp",
            "items": 1, "item_bytes": 8, "capacity": "auto", "rounds": 800, **axes}
    return [{**row, "items_per_second": 1e9 / milliseconds}
            for row in synthetic.exact_rows(primitive, full, milliseconds)]


def test_forms_of_a_queue_have_rows_of_their_own(tmp_path: Path, accept: bool) -> None:
    results = results_of(
        tmp_path, "queue", queue("slot", 0.04), queue("slot", 0.02, tickets="block"),
        queue("slot", 0.01, threads_per_block=1024, items=4),
        queue("slot", 0.08, traffic="halves"), queue("slot", 5.0, item_bytes=16))
    rows = rows_below(tables_of(results), "Billions of items of 8 bytes per second, all blocks push")
    assert list(rows) == ["threads per block", "---", "lap in the word, by slot",
                          "by slot, a ticket per block", "by slot, 4 items per thread"]
    assert rows["threads per block"] == ["256", "1,024"]
    assert rows["by slot, a ticket per block"][1] == "not run"
    seen = accepted.of_results(results)
    faults_of(drawn(results), seen)  # panels of one point have room to spare
    accepted.compare(accept, "queue", seen)


def test_without_rates_there_is_no_figure(tmp_path: Path) -> None:
    results = results_of(tmp_path, "queue", queue("slot", 1.0, traffic="ping"))
    assert FIGURE.draw(results) is None
    rows = rows_below(tables_of(results), "Microseconds of one item of 8 bytes")
    assert rows["the pusher's"] == ["place taken when the item is there"]


def test_the_question_compares_single_items_and_no_array_wins(tmp_path: Path) -> None:
    results = results_of(
        tmp_path, "queue", queue("slot", 0.04), queue("segment", 0.05), queue("array", 0.01),
        queue("slot", 0.02, items=4))
    (need,) = needs(results)
    answer = need.answers["all blocks push and pop"]["256 threads per block"]
    assert answer.best is not None and answer.best.name == "slot"
    assert {entry.name for entry in answer.entries} == {"slot", "segment", "array"}
