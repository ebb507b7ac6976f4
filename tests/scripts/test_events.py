"""What hand-offs between blocks take: half a round trip of pairs, the last waiter of crowds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import synthetic
from finesync.figures.legibility import findings
from finesync.report.markdown_page import tables_of
from tables import results_of, rows_below, words_of
from workloads.event.report import WORKLOAD

(FIGURE,) = WORKLOAD.figures["gpu"]


def event(primitive: str, ns: float, ended: str = "ok", **axes: Any) -> list[dict[str, Any]]:
    """A point from one block to one, of 128 bytes, unless told."""
    full = {"producers": 1, "consumers": 1, "payload_bytes": 128, "threads_per_block": 256, "rounds": 10,
            **axes}
    counters = {} if ended != "ok" else {"last_waiter_ns": ns, "mean_waiter_ns": ns - 50}
    return synthetic.point(primitive, full, ns / 1e3, ended, **counters)


def points() -> list[list[dict[str, Any]]]:
    crowd = {"producers": 16, "consumers": "all", "payload_bytes": 12, "threads_per_block": 128}
    return [event("event_words", 400.0, whole_block="no"),
            event("event_words", 450.0, whole_block="yes"), event("event_counts", 900.0),
            event("event_words", 2500.0, whole_block="no", payload_bytes=32768),
            event("event_counts", 1900.0, payload_bytes=32768),
            event("event_words", 750.0, whole_block="no", **crowd),
            event("event_counts", 850.0, **crowd), event("mpk_events", 0.0, ended="hung", **crowd)]


def test_pairs_are_by_payload_and_crowds_by_their_last_waiter(tmp_path: Path) -> None:
    tables = tables_of(results_of(tmp_path, "event", *points()))
    pairs = rows_below(tables, "Nanoseconds per hand-off from one block to one other")
    assert pairs["event_words"] == ["400", "2,500"]
    assert pairs["event_words_of_block"] == ["450", "not run"]
    assert pairs["event_counts"] == ["900", "1,900"]
    crowds = rows_below(tables, "Nanoseconds from the last arrival to the last waiter")
    assert crowds["event_words"] == ["750"]
    assert crowds["event_counts"] == ["850"]
    assert crowds["mpk_events"] == ["hung"]


def test_the_figure_has_a_panel_for_each_payload_and_each_crowd(tmp_path: Path) -> None:
    figure = FIGURE.draw(results_of(tmp_path, "event", *points()))
    said = words_of(figure)
    assert {"1 to 1, 128 bytes", "1 to 1, 32,768 bytes", "16 to all, 12 bytes"} <= set(said)
    assert figure is not None and findings(figure) == []


def test_without_rows_of_hand_offs_there_is_no_figure(tmp_path: Path) -> None:
    assert FIGURE.draw(results_of(tmp_path, "event", event("event_counts", 0.0, ended="hung"))) is None
