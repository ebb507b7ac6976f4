"""Needleman-Wunsch: tables, figure and plans, of made-up results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest
import synthetic
from conftest import ROOT
from finesync_results import published
from finesync_results.catalogue import primitives
from finesync_results.loading import Results, load_results
from finesync_results.plan import load_plan
from finesync_results.report import tables_of
from matplotlib.text import Text
from tables import claims_below, rows_below
from workloads.nw.report import WORKLOAD
from workloads.nw.report.times import BASELINE, PAPER, floor

(FIGURE,) = WORKLOAD.figures["gpu"]
PLANS = ROOT / "workloads" / "nw" / "plans"

# Nanoseconds of a row of a square matrix.
COSTS = {"data_parallel": 500.0, "data_parallel_graph": 400.0, "atomic_lock": 2000.0,
         "tiny_lock_shared": 600.0, "tiny_lock_private": 640.0, "dataflow": 100.0,
         "strips": 40.0}
LAUNCHES = {"data_parallel", "data_parallel_graph"}


def matrix(primitive: str, ended: str = "ok", **axes: Any) -> dict[str, Any]:
    """A row of as many columns as rows, with the tile left open, unless told."""
    full = {"input": "rodinia", "rows": 1984, "columns": "auto", "scores": "blosum62", "gap": 10,
            "pitch": "packed", "tile": "auto", **axes}
    if primitive in LAUNCHES:
        full.setdefault("similarities", "letters")
    slower = {"auto": 1.0, 32: 1.0, 64: 0.8}.get(full["tile"], 1.5)
    slower *= 0.9 if full["pitch"] == "lines" else 1.0
    columns = full["rows"] if full["columns"] == "auto" else full["columns"]
    row = synthetic.exact_rows(primitive, full,
                               COSTS[primitive] * slower * (full["rows"] + columns) / 2 / 1e6,
                               ended, count_rmw_block_shared=4.0 * full["rows"] * columns)[0]
    if "ran" in row:
        row["ran"] |= {"rows": full["rows"], "columns": columns}
    return row


def planned(name: str = "gpu") -> list[dict[str, Any]]:
    """A row for each combination of a plan."""
    made = []
    for point in load_plan(PLANS / f"{name}.json").points:
        for chosen in point.combinations():
            axes = {**point.options, **chosen}
            axes = {axis.replace("-", "_"): value for axis, value in axes.items()}
            axes.pop("watchdog_ms", None)
            primitive = str(axes.pop("primitive"))
            if primitive in COSTS:
                made.append(matrix(primitive, **axes))
    return made


def results_of(folder: Path, rows: list[dict[str, Any]], machine: str = "gpu") -> Results:
    """Results with these rows."""
    made = {"context": synthetic.context(machine, program="nw"), "benchmarks": rows}
    return load_results(synthetic.write(folder / "nw.json", made))


def test_table_3_stands_beside_what_was_published(tmp_path: Path) -> None:
    rows = rows_below(tables_of(results_of(tmp_path, planned())), "ICS'15, table 3")
    assert rows["n"] == ["31", "62", "124", "248", "496", "992", "1,984"]
    assert rows["atomic_lock"][-1] == "3,968"
    assert rows["atomic_lock, GTX 570"][-1] == "48,808"
    assert rows["tiny_lock, GTX 570"][0] == "49"


def test_times_are_of_the_best_tile_and_stand_above_a_floor(tmp_path: Path) -> None:
    rows = rows_below(tables_of(results_of(tmp_path, planned())), "ms for a matrix of n x n")
    assert rows["n"][-1] == "32,768"
    assert rows["data_parallel_graph"][-1] == f"{400 * .8 * 32768 / 1e6:.3g}"
    assert rows["dataflow"][-1] == "3.28"
    assert float(rows["floor"][-1]) == pytest.approx(4 * 32768**2 / 4.3e12 * 1e3, rel=0.01)


def test_the_floor_of_small_matrices_is_their_longest_path() -> None:
    assert floor(31, 31, 1e6) == pytest.approx(61 * 4e-9)
    assert floor(1 << 15, 1 << 15, 1e6) == pytest.approx(2**32 / 4.3e12)


def test_speed_ups_are_over_the_graph_with_its_best_tile(tmp_path: Path) -> None:
    rows = rows_below(tables_of(results_of(tmp_path, planned())), "How many times as fast as `data")
    assert BASELINE not in rows
    assert rows["dataflow"][0] == "3.2x"
    assert rows["data_parallel"][0] == "0.8x"


def test_lines_rectangles_tiles_and_clusters_have_their_tables(tmp_path: Path) -> None:
    tables = tables_of(results_of(tmp_path, planned()))
    lines = rows_below(tables, "How many times as fast with each row on lines")
    # Larger tiles, with which it is faster still, were tried with packed rows alone.
    assert set(lines["dataflow"]) == set(lines[BASELINE]) == {"1.11x"}
    rectangles = rows_below(tables, "ms for matrices that are no squares")
    assert rectangles["rows x columns"][0] == "100 x 30,011"
    assert rectangles["dataflow"][0] == "1.51"
    tiles = rows_below(tables, "ms of `data_parallel_graph` by the rows of its tiles")
    assert set(tiles) >= {"16, letters", "16, table", "64, letters"}
    clusters = rows_below(tables, "ms of `strips` by the blocks of its clusters")
    assert clusters["n"][0] == "992"
    assert clusters["16, 2"][1] == clusters["1, 1"][1] == "0.0819"


def test_counts_of_the_executor_are_per_cell(tmp_path: Path) -> None:
    rows = rows_below(tables_of(results_of(tmp_path, planned("host"), "host executor")),
                      "Synchronizing operations per cell of a tile of 15 rows")
    assert rows["atomic_lock"] == ["4", "0", "0", "0"]


def test_the_figure_names_every_version_and_crosses_out_what_failed(tmp_path: Path) -> None:
    rows = [matrix("dataflow"), matrix("dataflow", rows=31), matrix("atomic_lock", ended="stuck")]
    drawn = FIGURE.draw(results_of(tmp_path, rows))
    assert drawn is not None
    words = {text.get_text() for text in drawn.findobj(Text)}
    assert {"dataflow between tiles", "floor", "stuck"} <= words
    plt.close("all")


@pytest.mark.parametrize("rows", [[], [matrix("dataflow", ended="error")]])
def test_without_results_nothing_is_claimed(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    results = results_of(tmp_path, rows)
    assert FIGURE.draw(results) is None
    assert all("x |" not in line for table in tables_of(results) for line in table.lines)
    plt.close("all")


def test_what_the_paper_names_is_in_the_catalogue_and_published() -> None:
    assert set(PAPER) <= {entry["name"] for entry in primitives(["alignments"], "nw")}
    theirs = set(published.ics15()["table3_needleman_wunsch_us"])
    assert set(PAPER.values()) == theirs - {"grid"}


def test_claims_are_decided_by_the_sizes_of_table_3(tmp_path: Path) -> None:
    found = claims_below("A different GPU: ICS'15", results_of(tmp_path, planned()))
    spin, launches, private = found.values()
    assert spin[0] == "3.57x (31), 296x (1,984)"
    assert spin[1].startswith("mixed: 3.33x (31), 3.33x (62), ")
    assert launches[1].startswith("mixed: 0.667x (31), ")
    assert private[1].startswith("does not hold: 0.937x (31), ")
