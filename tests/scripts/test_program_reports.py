"""What the reports of programs say of made-up rows: their tables, panels and answers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import accepted
import pytest
import synthetic
from finesync.query.tables import Table
from finesync.report.folder_tables import tables_of
from finesync.report.needs import needs
from synthetic import Rows
from tables import results_of, rows_below, words_of
from test_legibility import drawn, faults_of
from workloads.instructions.report.fences import CYCLES as FENCES
from workloads.queue.report import WORKLOAD as QUEUE

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
(QUEUES,) = QUEUE.figures["gpu"]
BY_ACCESS = "Cycles per fence by the memory that the SM has accessed since its last one, by "
# Of each schedule: start, layer, task, kilobyte, stretch.
MODEL = {"static_words": (5.0, 0.6, 0.1, 0.4, 0.5), "dependent_launch": (3.0, 0.9, 0.2, 0.1, 0.8)}
SHAPES = [{"layers": layers, "tasks_per_layer": tasks, "payload_bytes": payload, "task_us": length, "lengths": lengths}
          for layers, tasks in ((91, 132), (48, 250), (24, 132))
          for payload, length, lengths in ((0, 0, "equal"), (1024, 0, "equal"), (4096, 0, "equal"), (0, 5, "equal"),
                                           (0, 1, "uneven"), (0, 20, "uneven"))]


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
    assert set(panels) <= {words.split(" 1 is ")[0] for words in said}
    assert program != "taskgraph" or not any("182 layers" in one or "48 layers" in one for one in said)
    assert faults_of(iter([(name, figure)]), seen) == []
    accepted.compare(accept, program, seen)


@pytest.mark.parametrize("program", [*DEFAULTS][:-1])
def test_without_times_there_is_no_figure(tmp_path: Path, program: str) -> None:
    assert not list(drawn(results_of(tmp_path, program, at(program, "hung"))))


def of_model(name: str, **shape: Any) -> Rows:
    """A point that is as the model says."""
    start, layer, task, kilobyte, stretch = MODEL[name]
    waves = -(-shape["tasks_per_layer"] // 132)
    work = shape["task_us"] * (waves + waves ** 0.5 * stretch * (shape["lengths"] == "uneven"))
    us = start + shape["layers"] * (layer + (waves - 1) * task + waves * shape["payload_bytes"] / 1024 * kilobyte + work)
    return at("taskgraph", name, us, **shape)


def model_of(folder: Path, *made: Rows) -> Table:
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


def fence(primitive: str, *cycles: float, ended: str = "ok", **axes: Any) -> Rows:
    """A repetition for each median; by default after a thread's own store 2,000 cycles ago."""
    full = {"accessed": "near-l2", "access": "store", "accessor": "same-thread", "fenced_before": "no",
            "delay": 2000, **axes}
    return [synthetic.rows(primitive, full, 1.0, 1, ended, fence_cycles_p5=own * 0.9,
                           fence_cycles_p50=own, fence_cycles_p95=own * 1.5)[0]
            for own in cycles or (0.0,)]


def test_what_failed_or_was_not_run_is_said_in_words(tmp_path: Path) -> None:
    rows = rows_below(tables_of(results_of(
        tmp_path, "instructions", fence("release", 7.0, accessed="none"),
        fence("release", 600.0, access="load"),
        fence("release", ended="error"),
        fence("release", 9.0, accessed="shared-memory", access="load"),
        fence("release", 8.0, accessed="shared-memory"),
        *(fence("release_cluster", ended="skipped", access=access)
          for access in ("load", "store", "addition")))),
                      BY_ACCESS)
    assert rows["release"] == ["7", "9 / 8 / not run", "600 / error / not run"]
    assert rows["release_cluster"] == ["not run", "not run", "skipped"]


def test_a_process_that_left_no_rows_fails_in_the_cells_it_was_to_fill(tmp_path: Path) -> None:
    lost = fence("acquire", ended="error", accessed="far-l2")
    for axis in ("accessor", "fenced_before", "delay"):
        del lost[0]["axes"][axis]
    tables = tables_of(results_of(tmp_path, "instructions", fence("release", 700.0), lost))
    assert rows_below(tables, BY_ACCESS) == {
        "accessed": ["own side of the L2", "other side"], "---": ["---"] * 2,
        "release": ["700", "not run"], "acquire": ["not run", "error"]}


def test_a_row_without_cycles_is_not_taken_for_a_fence_that_costs_none(tmp_path: Path) -> None:
    rows = fence("release", 7.0)
    del rows[0]["fence_cycles_p95"]
    results = results_of(tmp_path, "instructions", rows)
    assert rows_below(tables_of(results), BY_ACCESS)["release"] == ["not run"]


def test_bars_show_stores_and_reach_from_the_5th_to_the_95th_percentile(tmp_path: Path) -> None:
    drawn = FENCES.draw(results_of(
        tmp_path, "instructions", fence("release", 1.0, access="load"),
        fence("release", 600.0, 500.0, 700.0), fence("release", 4.0, accessed="none", delay=300),
        fence("release", 2.0, accessor="other-warp"), fence("release", 3.0, fenced_before="yes"),
        fence("acquire", 400.0)))
    assert drawn is not None
    (panel,) = drawn.axes
    assert [bar.get_height() for bar in panel.patches] == [600.0, 400.0]
    whiskers = [bar.get_segments()[0][:, 1].tolist() for bar in panel.collections]
    assert whiskers == [pytest.approx([540.0, 900.0]), pytest.approx([360.0, 600.0])]


def instruction(primitive: str, cycles: float, rate: float, **axes: Any) -> Rows:
    """Both measures; by default of one warp per SM on words of device memory, each on its line."""
    full = {"space": "global", "scope": "device", "order": "relaxed", "bits": 32, "result": "used", "stride": 128,
            "tbs_per_sm": 1, "sms": "all", "threads_per_block": 32, "rounds": 16, **axes}
    numbers = {"latency_cycles_p25": cycles - 1, "latency_cycles_p50": cycles, "latency_cycles_p75": cycles + 1}
    return [*synthetic.rows(primitive, {**full, "measure": "latency"}, 1.0, 1, **numbers),
            *synthetic.rows(primitive, {**full, "measure": "throughput"}, 1.0, 1, operations_per_cycle_and_sm=rate)]


def test_a_price_list_has_cycles_and_rates_of_every_form(tmp_path: Path) -> None:
    tables = tables_of(results_of(
        tmp_path, "instructions", instruction("add", 700.0, 0.5), instruction("add", 90.0, 2.0, bits=64),
        instruction("add", 9.0, 8.0, result="unused"), instruction("add", 800.0, 0.4, order="acquire"),
        instruction("add", 650.0, 0.6, scope="block"),
        instruction("add", 30.0, 1.5, space="shared", scope="block", stride=8),
        instruction("add", 7.0, 1.0, threads_per_block=64), fence("release", 600.0)))
    assert rows_below(tables, "Instructions on words of device memory") == {
        "instruction": ["cycles of one", "per cycle and SM"], "---": ["---"] * 2,
        "atomic add": ["700", "0.5"], "atomic add, 64 bits": ["90", "2"], "atomic add, no result": ["9", "8"],
        "atomic add, acquire": ["800", "0.4"]}
    assert rows_below(tables, "Instructions on words of shared memory")["atomic add"] == ["30", "1.5"]
    assert rows_below(tables, "Cycles of one in device memory, by order")["atomic add"] == ["650", "700"]
    assert rows_below(tables, BY_ACCESS)["release"] == ["600"]


def queue(primitive: str, milliseconds: float, **axes: Any) -> Rows:
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
    assert QUEUES.draw(results) is None
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


def test_traffic_of_forests_is_by_graph_and_all_launches(tmp_path: Path) -> None:
    rows = [row for graph, moved in (("rmat", 3e6), ("road", 5e6))
            for row in synthetic.exact_rows("per_vertex_printed", {"input": graph}, 1.0,
                                            l2_bytes=moved, dram_bytes=moved / 2)]
    (table,) = tables_of(results_of(tmp_path, "mst_traffic", rows))
    assert table.lines[0] == "| graph | rmat | road |"
    assert table.rows == {"per_vertex_printed": ["3 / 2", "5 / 2"]}
