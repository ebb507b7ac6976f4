"""Maximum flow: tables and figure, of made-up results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import synthetic
from finesync_results.claims import ABSENT
from finesync_results.loading import Results, load_results
from finesync_results.report import tables_of
from tables import claims_below, rows_below
from workloads.maxflow.report import WORKLOAD

FIGURE, SPEEDUP = WORKLOAD.figures["gpu"]


def ran(primitive: str, rows: int, milliseconds: float, columns: int | str = "auto",
        threads: int = 256, of: str = "mesh", ended: str = "ok",
        **numbers: float) -> list[dict[str, Any]]:
    """A point, without noise."""
    axes = {"input": of, "rows": rows, "columns": columns, "tbs_per_sm": 1,
            "threads_per_block": threads}
    return synthetic.exact_rows(primitive, axes, milliseconds, ended=ended, **numbers)


def flows(folder: Path) -> Results:
    """Two meshes, on the larger of which a version was too slow, and a file."""
    work = {"searches": 7.0, "levels": 4100.0, "rounds": 600.0, "first_phase_ms": 9.5}
    return load_results(synthetic.write_gpu_run(
        folder, "maxflow", ran("topological", 512, 30.0, **work), ran("spin", 512, 20.0),
        ran("persistent", 512, 12.0, threads=128), ran("persistent", 512, 10.0, **work),
        ran("persistent", 8192, 500.0, 4096, **work), ran("topological", 8192, 0.0, 4096,
                                                           ended="slow"),
        ran("persistent", 512, 2.0, of="roads", **work)))


def test_times_are_those_of_the_best_grid(tmp_path: Path) -> None:
    assert rows_below(tables_of(flows(tmp_path)), "ms for a flow") == {
        "network": ["mesh 512 x 512", "mesh 8,192 x 4,096", "roads"], "---": ["---"] * 3,
        "topological": ["30", "slow", "not run"], "spin": ["20", "not run", "not run"],
        "persistent": ["10", "500", "2"]}


def test_the_first_phase_is_that_of_the_fastest_point(tmp_path: Path) -> None:
    assert rows_below(tables_of(flows(tmp_path)), "ms of these for the first phase") == {
        "network": ["mesh 512 x 512", "mesh 8,192 x 4,096", "roads"], "---": ["---"] * 3,
        "topological": ["9.5", "", ""], "persistent": ["9.5"] * 3}


def test_speed_ups_are_over_each_version(tmp_path: Path) -> None:
    rows = rows_below(tables_of(flows(tmp_path)), "How many times as fast")
    assert rows["topological"] == ["3x", "-", "-"]
    assert rows["spin"] == ["2x", "-", "-"]


def test_work_is_that_of_the_fastest_point(tmp_path: Path) -> None:
    rows = rows_below(tables_of(flows(tmp_path)), "Global relabellings")
    assert rows["persistent: levels"] == ["4,100"] * 3
    assert rows["topological: searches"] == ["7", "", ""]


def test_the_figure_has_a_line_for_each_version(tmp_path: Path) -> None:
    drawn = FIGURE.draw(flows(tmp_path))
    assert drawn is not None
    labels = [text.get_text() for text in drawn.legends[0].get_texts()]
    assert labels == ["topological", "spin", "queues in shared memory"]
    plt.close(drawn)


def meshes(folder: Path, *others: list[dict[str, Any]]) -> Results:
    """The paper's meshes: the worklist is slower on the first two and faster on the last."""
    rows = []
    for sides, ms in (((2048, "auto"), 80.0), ((4096, "auto"), 110.0), ((8192, 4096), 50.0)):
        rows += [ran("topological", sides[0], 100.0, sides[1]),
                 ran("spin", sides[0], ms, sides[1], rounds=900.0),
                 ran("ticket", sides[0], ms / 2, sides[1]),
                 ran("server_flow", sides[0], ms / 4, sides[1], rounds=9.0),
                 ran("persistent", sides[0], ms / 10, sides[1])]
    return load_results(synthetic.write_gpu_run(folder, "maxflow", *rows, *others))


def test_section_4_1_stands_beside_the_published_ratios(tmp_path: Path) -> None:
    rows = rows_below(tables_of(meshes(tmp_path)), "Section 4.1")
    assert rows["mesh"] == ["2kx2k", "4kx4k", "8kx4k", "mean"]
    assert rows["worklist under Listing 1's locks"] == ["1.25x", "0.909x", "2x", "1.39x"]
    assert rows["worklist under the best lock"][0] == "2.5x"
    assert rows["servers"][0] == "5x" and rows["the best of all"][0] == "12.5x"
    assert rows["worklist under locks, published (GTX 1080 Ti)"] == [
        "0.78x", "0.98x", "2.05x", "1.27x"]


def test_a_mesh_that_is_missing_is_named_and_in_no_mean(tmp_path: Path) -> None:
    rows = rows_below(tables_of(load_results(synthetic.write_gpu_run(
        tmp_path, "maxflow", ran("topological", 2048, 10.0), ran("spin", 2048, 5.0),
        ran("topological", 4096, 0.0, ended="slow"), ran("spin", 4096, 5.0)))), "Section 4.1")
    assert rows["worklist under Listing 1's locks"] == ["2x", "slow", "not recorded", "1 of 3 meshes"]


def test_claims_have_a_verdict_for_the_worklist_and_for_servers(tmp_path: Path) -> None:
    found = claims_below("A different GPU: ASPLOS'19", meshes(tmp_path))
    worklist, servers, rounds = found.values()
    assert worklist == ["0.78x (2kx2k), 0.98x (4kx4k), 2.05x (8kx4k)",
                        "mixed: 1.25x (2kx2k), 0.909x (4kx4k), 2x (8kx4k)"]
    assert servers[1].startswith("holds: 4x over Listing 1 at its best grid, 2x over the best "
                                 "lock (MF-2kx2k); ")
    assert rounds[1] == "holds: 9 against 900 (2kx2k), 9 against 900 (4kx4k), 9 against 900 (8kx4k)"
    found = claims_below("A different GPU: ASPLOS'19", flows(tmp_path))
    assert {here for _, here in found.values()} == {ABSENT}


def test_speedups_are_over_the_worklist_under_locks(tmp_path: Path) -> None:
    rows = rows_below(tables_of(meshes(tmp_path)), "Speed-up over Listing 1 at its best grid")
    assert rows["server_flow"] == ["4x / 2x"] * 3
    assert "both_in_order" not in rows and "spin" not in rows
    drawn = SPEEDUP.draw(meshes(tmp_path))
    assert drawn is not None
    plt.close(drawn)


def test_without_points_there_is_nothing(tmp_path: Path) -> None:
    empty = load_results(synthetic.write_gpu_run(tmp_path, "maxflow"))
    assert FIGURE.draw(empty) is None
