"""Figures and report of made-up results."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import synthetic
from conftest import ROOT
from finesync.figures import speedup
from finesync.papers import contention, paper_benchmarks, published, speedups
from finesync.query.points import Spread
from tables import all_ended, draw, results_of, rows_below, words_of
from workloads.ht.report import WORKLOAD
from workloads.ht.report.figures import per_insert
from workloads.ht.report.tables import (block_sizes, grid_sweep, inserts, lock_tables, measured)

DRAWINGS = {kind: WORKLOAD.figures[kind] for kind in ("gpu", "host", "gpu_traffic")}


@pytest.fixture(name="drawn", scope="module")
def fixture_drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with figures of a GPU's and of the host executor's results, and the report."""
    folder = tmp_path_factory.mktemp("results")
    gpu = synthetic.write(folder / "test-gpu" / "gpu.json", synthetic.gpu_document())
    moved = synthetic.write(folder / "test-gpu" / "moved.json", synthetic.traffic_document())
    host = synthetic.write(folder / "host" / "host.json", synthetic.host_document())
    printed = draw(str(gpu), str(moved), str(host), "--report", str(folder / "report.md")).stdout
    for path in folder.rglob("figures/*.[ps][nv]g"):
        assert str(path) in printed.splitlines()
    return folder


def test_a_gpu_has_all_figures_but_the_counts(drawn: Path) -> None:
    assert {path.stem for path in (drawn / "test-gpu" / "figures").glob("*.?[nv]g")} == {
        "moved-traffic", *(f"gpu-{drawing.name}" for drawing in DRAWINGS["gpu"])}
    assert {path.stem for path in (drawn / "host" / "figures").glob("*.?[nv]g")} == {"host-counts"}


def test_the_same_results_give_the_same_svg(drawn: Path, tmp_path: Path) -> None:
    """One figure tells; what each draws, in which order, is in its accepted digest."""
    again = synthetic.write(tmp_path / "moved.json", synthetic.traffic_document())
    # A process with hashes of its own.
    subprocess.run([sys.executable, str(ROOT / "scripts" / "figures.py"), "--only", str(again)], check=True)
    (path,) = (tmp_path / "figures").glob("*.svg")
    assert path.read_bytes() == (drawn / "test-gpu" / "figures" / path.name).read_bytes()


def test_the_report_links_every_figure_and_tells_failures(drawn: Path) -> None:
    report = (drawn / "report.md").read_text(encoding="utf-8")
    links = [drawn / link for link in re.findall(r"\[[^]]*\]\(([^)]*)\)", report)]
    assert set(links) >= set(drawn.glob("*/figures/*.svg"))
    assert "timed out: tas at" in report and "hung: tas at" in report
    assert "waiting for lock 7" in report
    assert "262 ok, 5 hung, 4 skipped, 1 timed out\n" in report


def exact(primitive: str, milliseconds: float | None, ended: str = "ok", **axes: Any) -> list[dict[str, Any]]:
    """One repetition without noise, at 256 elements by default."""
    made = synthetic.rows(primitive, {"collision_factor": 256, **axes}, milliseconds, 1, ended)[:1]
    return [row | {"real_time": milliseconds or 0.0} for row in made]


def test_speedup_compares_each_primitive_at_its_own_best_grid(tmp_path: Path) -> None:
    points = inserts(results_of(
        tmp_path, "ht", exact("spin", 8.0, tbs_per_sm=1), exact("spin", 80.0, tbs_per_sm=8),
        exact("anderson", 40.0, tbs_per_sm=1), exact("anderson", 2.0, tbs_per_sm=8),
        exact("ticket", None, "hung", tbs_per_sm=8)))
    found = points.of_primitives("anderson").speedup_over(points.of_primitives("spin"))
    assert isinstance(found, Spread) and found.median == 4.0
    assert points.of_primitives("ticket").speedup_over(points.of_primitives("spin")) == "hung"


def test_listing_1_at_full_occupancy_fills_an_sm_and_the_tuned_lock_is_the_best(tmp_path: Path) -> None:
    results = results_of(
        tmp_path, "ht", exact("spin", 8.0, tbs_per_sm=1), exact("spin", 90.0, tbs_per_sm=8),
        exact("spin", 70.0, tbs_per_sm=8, lock_layout="padded"),
        exact("ticket", 5.0, tbs_per_sm=1),
        exact("ticket", 4.0, tbs_per_sm=8, lock_layout="padded"),
        exact("ticket", 1.0, tbs_per_sm=1, section="empty"),
        exact("anderson", 1.0, tbs_per_sm=1, section_work=1),
        exact("warp_combining", 2.0, "wrong", tbs_per_sm=1),
        exact("server_fast", 0.5, tbs_per_sm="auto"),
        exact("lockfree", 0.1, tbs_per_sm=8))
    (pair,) = speedups.recorded(results)
    full, best_grid, best_lock = pair.baselines().values()
    assert list(full["seconds"]) == [pytest.approx(0.09)]
    assert sorted(best_grid["seconds"]) == [pytest.approx(0.008), pytest.approx(0.09)]
    tuned = best_lock.fastest_point()
    assert tuned is not None
    assert (tuned["primitive"], tuned.grid_label(results.gpu)) == ("ticket", "8 x 256")
    assert dataclasses.replace(pair, gpu={}).baselines()[f"{pair.printed} at full occupancy"].empty


def test_what_ran_says_the_grid_and_whether_it_is_full(tmp_path: Path) -> None:
    ran = ({"blocks": 8 * 132, "threads_per_block": 256},  # all threads of each SM
           {"blocks": 32 * 132, "threads_per_block": 32},  # all blocks of each SM
           {"blocks": 8 * 132 - 1, "threads_per_block": 256},
           {"blocks": 198, "threads_per_block": 64})
    rows = [row | {"effective": own} for number, own in enumerate(ran) for row in
            exact("spin", 8.0, tbs_per_sm="auto", threads_per_block="auto", number=number)]
    results = results_of(tmp_path, "ht", rows, exact("spin", 8.0, "skipped", tbs_per_sm=32))
    points = inserts(results)
    assert [point.grid_label(results.gpu) for point in points.ok()] == ["8 x 256", "32 x 32", "8.0 x 256", "1.5 x 64"]
    assert points.where(points["number"] == 3).grid_labels(results.gpu) == ["1.5 x 64"]
    assert block_sizes(points) == "32 and 64 and 256"
    assert block_sizes(points.where(~points["ok"])) == "256"  # none ran: as asked for
    (pair,) = speedups.recorded(results)
    assert list(pair.baselines()["Listing 1 at full occupancy"]["number"]) == [0, 1]


def test_a_panel_over_the_paper_s_lock_is_left_out_where_it_is_the_best(tmp_path: Path) -> None:
    def panels(ticket: float) -> list[str]:
        results = results_of(tmp_path, "ht", exact("spin", 8.0, tbs_per_sm=1),
                             exact("ticket", ticket, tbs_per_sm=1),
                             exact("server_fast", 1.0, tbs_per_sm=1))
        figure = speedup.draw(results)
        assert figure is not None
        return [axes.get_ylabel().replace("\n", " ") for axes in figure.axes]
    assert panels(9.0) == ["over the best lock (x)"]
    assert panels(7.0) == ["over Listing 1 at its best grid (x)", "over the best lock (x)"]


def test_what_tuning_chose_or_excluded_is_no_point_of_a_sweep(tmp_path: Path) -> None:
    tuned = [row | {"tuned": {"axes": {"tbs_per_sm": 3}, "candidates_tried": 9}}
             for row in exact("spin", 1.0, tbs_per_sm=3)]
    excluded = [row | {"excluded_candidate": True} for row in exact("spin", None, "hung", tbs_per_sm=5)]
    results = results_of(tmp_path, "ht", exact("spin", 8.0, tbs_per_sm=1),
                         exact("spin", 9.0, tbs_per_sm=2), tuned, excluded)
    points = inserts(results)
    assert list(grid_sweep(points)["tbs_per_sm"]) == [1, 2]
    best = points.fastest_point()
    assert best is not None and best["tbs_per_sm"] == 3
    assert points["ok"].all()


def test_a_grid_for_fewer_sms_is_no_point_of_a_sweep_over_grids(tmp_path: Path) -> None:
    few = [row | {"axes": {**row["axes"], "sms": 28}} for row in exact("spin", 1.0, tbs_per_sm=4)]
    points = inserts(results_of(tmp_path, "ht", exact("spin", 8.0, tbs_per_sm=1),
                                exact("spin", 9.0, tbs_per_sm=2), few))
    assert list(grid_sweep(points)["tbs_per_sm"]) == [1, 2]
    best = points.fastest_point()
    assert best is not None and best["tbs_per_sm"] == 4


def test_sections_without_memory_accesses_are_no_inserts(tmp_path: Path) -> None:
    empty = [row for name in synthetic.LOCKS for grid in (1, 2, 4)
             for row in exact(name, 1.0, tbs_per_sm=grid, section="empty", section_work=grid - 1)]
    results = results_of(tmp_path, "ht", empty)
    assert all(drawing.draw(results) is None for drawing in DRAWINGS["gpu"])
    assert WORKLOAD.tables["gpu"](results) == []


def test_longer_sections_are_compared_at_one_launch(tmp_path: Path) -> None:
    points = contention.with_section_work(measured(results_of(
        tmp_path, "ht", exact("server_fast", 2.0, tbs_per_sm=1, servers_percent=50),
        exact("server_fast", 6.0, tbs_per_sm=1, servers_percent=50, section_work=4),
        exact("server_fast", 9.0, tbs_per_sm=1, servers_percent=33, section_work=4))))
    ratios = contention.slowdown(points)
    assert {size: ratio.median for size, ratio in ratios.items()} == {0: 1.0, 4: 3.0}


def test_published_numbers_belong_to_pairs_that_are_compared() -> None:
    named = {pair.name for pair in paper_benchmarks.all_benchmarks([], inputs_in=paper_benchmarks.of_all_tables)}
    assert {*published.latencies(), *published.server_speedups()} <= named
    assert published.gpu() == "GTX 1080 Ti"


def test_a_lock_whose_transfers_are_not_timed_has_no_latency(tmp_path: Path) -> None:
    def at_grids(name: str, **counters: float) -> list[dict[str, Any]]:
        return [row | counters for grid in (1, 8) for row in exact(name, 8.0, tbs_per_sm=grid)]

    lines = lock_tables(results_of(
        tmp_path, "ht", at_grids("ticket", lock_transfer_cycles=1500.0), at_grids("value_passing"),
        at_grids("lockfree"), [row for grid in (1, 8)
                               for row in exact("spin", None, "hung", tbs_per_sm=grid)]))
    assert set(rows_below(lines, "M inserts/s")) >= {"ticket", "value_passing", "lockfree", "spin"}
    latencies = rows_below(lines, "Lock transfer latency")
    assert latencies["ticket"] == ["1,500 / 1,500"]
    assert latencies["spin"] == ["hung / hung"]
    assert not {"value_passing", "lockfree"} & set(latencies)


def test_a_figure_without_rows_is_left_out_with_one_line(tmp_path: Path) -> None:
    document = synthetic.traffic_document()
    document["benchmarks"] = [row for row in document["benchmarks"] if row["primitive"] == "spin"]
    synthetic.write(tmp_path / "moved.json", document)
    only = [row for row in synthetic.server_document()["benchmarks"] if row["primitive"] == "server_fast"]
    results_of(tmp_path, "ht", only)
    printed = draw(str(tmp_path / "moved.json"), str(tmp_path / "ht_gpu.json"), "--report",
                   str(tmp_path / "report.md")).stdout.splitlines()
    left_out = {line.split(":")[-1].split(",")[0].strip() for line in printed
                if line.startswith(str(tmp_path)) and "which needs" in line}
    assert left_out == {"no figure traffic", "no figure speedup", "no figure contention", "no figure padding"}
    assert sum(" no figure asplos19-figure" in line and ": it needs " in line for line in printed) == 3
    assert (tmp_path / "figures" / "ht_gpu-section_length.svg").exists()
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert any(f"tables/{path.name}" in report for path in (tmp_path / "tables").iterdir()
               if "| best general-purpose lock | not run |" in path.read_text(encoding="utf-8"))


def test_counts_are_per_insert_and_sum_all_scopes(tmp_path: Path) -> None:
    axes = {"collision_factor": 32, "tbs_per_sm": 1, "inserts": 100}
    rows = synthetic.rows("spin", axes, None, 1, count_rmw_device_global=250.0,
                          count_rmw_block_shared=50.0, count_poll_global=10.0)
    (point,) = results_of(tmp_path, "ht", rows, machine="host executor").points
    assert per_insert(point, "count_rmw").median == 3.0
    assert per_insert(point, "count_poll").median == 0.1


@pytest.mark.parametrize("kind", DRAWINGS)
@pytest.mark.parametrize("ended", ["hung", "skipped", *(
    pytest.param(word, marks=pytest.mark.long)  # other words at the same marks
    for word in ("livelock", "timed out", "error"))])
def test_without_one_good_point_every_gap_is_marked(kind: str, ended: str, tmp_path: Path) -> None:
    document = {"host": synthetic.host_document, "gpu": synthetic.gpu_document,
                "gpu_traffic": synthetic.traffic_document}[kind]()
    results = all_ended(document, ended, tmp_path)
    for drawing in DRAWINGS[kind]:
        assert ended in words_of(drawing.draw(results)), drawing.name
