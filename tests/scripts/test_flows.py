"""Maximum flow: tables and figure, of made-up results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import synthetic
from finesync_results.loading import Results, load_results
from finesync_results.report import tables_of
from tables import rows_below
from workloads.maxflow.report import WORKLOAD

(FIGURE,) = WORKLOAD.figures["gpu"]


def ran(primitive: str, rows: int, milliseconds: float, columns: int | str = "auto",
        threads: int = 256, of: str = "mesh", ended: str = "ok",
        **numbers: float) -> list[dict[str, Any]]:
    """A point, without noise."""
    axes = {"input": of, "rows": rows, "columns": columns, "tbs_per_sm": 1,
            "threads_per_block": threads}
    return synthetic.exact_rows(primitive, axes, milliseconds, ended=ended, **numbers)


def flows(folder: Path) -> Results:
    """Two meshes, on the larger of which a version was too slow, and a file."""
    work = {"searches": 7.0, "levels": 4100.0, "rounds": 600.0}
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


def test_without_points_there_is_nothing(tmp_path: Path) -> None:
    empty = load_results(synthetic.write_gpu_run(tmp_path, "maxflow"))
    assert FIGURE.draw(empty) is None
