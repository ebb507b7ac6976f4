"""What the reports of programs say of made-up rows: their tables, panels and answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import accepted
import pytest
import synthetic
from finesync.report.markdown_page import tables_of
from synthetic import Rows
from tables import results_of, rows_below, words_of
from test_legibility import drawn, faults_of

Expected = dict[str, dict[str, list[str]]]
DEFAULTS: dict[str, dict[str, Any]] = {
    "stream_k": {"tiles": 100, "depth": 128, "tbs_per_sm": 1, "rounds": 10},
    "team": {"team_size": 16, "crossing": "no", "threads_per_block": 128, "words": 0, "rounds": 1000},
    "event": {"producers": 1, "consumers": 1, "payload_bytes": 128, "threads_per_block": 256, "rounds": 10},
    "taskgraph": {"layers": 91, "tasks_per_layer": 132, "payload_bytes": 0, "task_us": 0, "lengths": "equal",
                  "tbs_per_sm": 1, "rounds": 10},
    "barrier": {"gpus": 2, "tbs_per_sm": 1, "threads_per_block": 256, "ldst": 0}}
CROWD = {"producers": 16, "consumers": "all", "payload_bytes": 12, "threads_per_block": 128}
WIDE = {"layers": 48, "tasks_per_layer": 250}


def at(program: str, primitive: str, us: float = 0.0, **axes: Any) -> Rows:
    """A point of a program; it hung if it took no time."""
    waits = {"last_waiter_ns": us * 1e3, "mean_waiter_ns": us * 1e3 - 50} if program == "event" and us else {}
    return synthetic.point(primitive, {**DEFAULTS[program], **axes}, us, "ok" if us else "hung", **waits)


@pytest.mark.parametrize(("program", "points", "tables", "panels"), [
    ("stream_k", [
        ("turns", 9.0), ("sums_in_words", 6.0), ("turns", 7.0, {"tiles": 33}), ("turns", 40.0, {"depth": 1024}),
        ("sums_in_words", 5.0, {"tiles": 33}), ("sums_in_words", 0.0, {"depth": 1024})], {
        "Microseconds per product, tiles of 128 steps": {"turns": ["7", "9"], "sums_in_words": ["5", "6"]},
        "Microseconds per product, tiles of 1024 steps": {"turns": ["40"], "sums_in_words": ["hung"]}},
     ["33 tiles of 128 steps", "100 tiles of 128 steps", "100 tiles of 1024 steps"]),
    ("team", [
        ("team_barrier", 0.8), ("cutlass_teams", 0.94), ("team_barrier", 0.66, {"team_size": 2}),
        ("cutlass_teams", 0.0, {"team_size": 2}), ("team_barrier", 0.9, {"crossing": "yes", "team_size": 11})], {
        "Microseconds per barrier, teams apart, nothing in between": {
            "team_barrier": ["0.66", "0.8"], "cutlass_teams": ["hung", "0.94"]},
        "Microseconds per barrier, rows and columns in turn": {"team_barrier": ["0.9"]}},
     ["teams of 2", "teams of 16"]),
    ("event", [
        ("event_words", 0.4, {"whole_block": "no"}), ("event_words", 0.45, {"whole_block": "yes"}),
        ("event_counts", 0.9), ("event_words", 2.5, {"whole_block": "no", "payload_bytes": 32768}),
        ("event_counts", 1.9, {"payload_bytes": 32768}), ("event_words", 0.75, {"whole_block": "no", **CROWD}),
        ("event_counts", 0.85, CROWD), ("mpk_events", 0.0, CROWD)], {
        "Nanoseconds per hand-off from one block to one other": {
            "event_words": ["400", "2,500"], "event_words_of_block": ["450", "not run"],
            "event_counts": ["900", "1,900"]},
        "Nanoseconds from the last arrival to the last waiter": {
            "event_words": ["750"], "event_counts": ["850"], "mpk_events": ["hung"]}},
     ["1 to 1, 128 bytes", "1 to 1, 32,768 bytes", "16 to all, 12 bytes"]),
    ("taskgraph", [
        ("static_words", 60.0), ("static_counts", 100.0), ("static_words", 70.0, {"payload_bytes": 128}),
        ("static_counts", 110.0, {"payload_bytes": 128}), ("static_words", 490.0, {"task_us": 5}),
        ("static_counts", 530.0, {"task_us": 5}), ("static_words", 790.0, {"task_us": 5, "lengths": "uneven"}),
        ("static_counts", 0.0, {"task_us": 5, "lengths": "uneven"}), ("dependent_launch", 80.0, WIDE),
        ("dependent_launch", 300.0, {"task_us": 5, **WIDE}), ("static_words", 140.0, {"layers": 182}),
        ("dependent_launch", 290.0, {"task_us": 5, "tbs_per_sm": 2, **WIDE})], {
        "Microseconds per replay of 91 layers of 132 tasks, equal, by the length": {
            "static_words": ["60", "490"], "static_counts": ["100", "530"]},
        "Microseconds per replay of 91 layers of 132 tasks, uneven, by the length": {
            "static_words": ["790"], "static_counts": ["hung"]},
        "Microseconds per replay of 48 layers of 250 tasks, equal, by the length": {"dependent_launch": ["80", "300"]},
        "Microseconds per replay of 48 layers of 250 tasks by 2 blocks per SM, equal": {"dependent_launch": ["290"]},
        "Microseconds per replay of 91 layers of 132 tasks without work": {"static_counts": ["100", "110"]}},
     ["91 layers of 132 tasks, empty", "91 layers of 132 tasks, equal, 5 us", "91 layers of 132 tasks, uneven, 5 us"]),
    ("barrier", [
        ("gpus_barrier", 5.0), ("gpus_barrier", 7.0, {"tbs_per_sm": 2}), ("gpus_barrier", 6.0, {"gpus": 4}),
        ("grid_cross_grid", 8.0), ("grid_cross_grid", 0.0, {"gpus": 4})], {
        "Microseconds per barrier, GPUs: 2": {"gpus_barrier": ["5", "7"], "grid_cross_grid": ["8", "not run"]},
        "Microseconds per barrier, GPUs: 4": {"gpus_barrier": ["6"], "grid_cross_grid": ["hung"]}},
     ["GPUs: 2", "GPUs: 4"])])
def test_a_report_says_what_its_rows_say(
        tmp_path: Path, accept: bool, program: str, points: list[tuple[Any, ...]], tables: Expected,
        panels: list[str]) -> None:
    results = results_of(tmp_path, program, *(
        at(program, primitive, us, **(axes[0] if axes else {})) for primitive, us, *axes in points))
    for title, cells in tables.items():
        assert cells.items() <= rows_below(tables_of(results), title).items()
    ((name, figure),) = drawn(results)
    said, seen = words_of(figure), accepted.of_results(results)
    assert set(panels) <= set(said)
    assert program != "taskgraph" or not any("182 layers" in one or "48 layers" in one for one in said)
    assert faults_of(iter([(name, figure)]), seen) == []
    accepted.compare(accept, program, seen)


@pytest.mark.parametrize("program", [*DEFAULTS][:-1])
def test_without_times_there_is_no_figure(tmp_path: Path, program: str) -> None:
    assert not list(drawn(results_of(tmp_path, program, at(program, "hung"))))
