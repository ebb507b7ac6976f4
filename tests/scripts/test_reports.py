"""What the programs of ASPLOS'19 and ICS'15 report, as far as no recorded run pins it.
test_documents.py compares their tables with those of the recorded runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import synthetic
from conftest import ROOT
from finesync.report.folder_tables import tables_of
from finesync.items import tables as items
from finesync.papers import published
from finesync.results.catalogue import primitives
from finesync.results.registry import workloads
from tables import results_of, rows_below
from workloads.chain.report import tables as chains
from workloads.nw.report import tables as matrices

Rows = list[dict[str, Any]]


def chain(primitive: str, cycles: float, **changes: Any) -> Rows:
    """A chain of 16 warps, by default from warp to warp, and its cost per hop."""
    axes = {"warps": 16, "distance": 32, "rounds": 200, **changes}
    links = (32 * axes["warps"] - 1) // axes["distance"]
    rows = synthetic.exact_rows(primitive, axes, 1.0, **{
        f"chain_cycles_p{share}": cycles * links for share in (5, 50, 95)},
                                count_named_barrier=64.0 * links * axes["rounds"])
    for row in rows:
        row["effective"] |= {"sync_bytes": 2048 if primitive == "spin" else 0, "hops": links}
    return rows


def test_schemes_are_summed_up_as_in_table_2_of_ics15(tmp_path: Path) -> None:
    made = [chain("spin", 200.0), chain("spin", 300.0, distance=1), chain("named_barrier", 100.0),
            chain("full_empty", 50.0), chain("full_empty_early_wake", 40.0)]
    for row in (row for rows in made for row in rows):
        row["effective"]["named_barriers"] = 15 if row["primitive"] == "named_barrier" else 0
    results = results_of(tmp_path, "chain", *made)
    results.gpu["shared_bytes_per_block"] = 4000
    (table,) = chains.table_2(results)
    found = table.rows
    assert found["spin (atom_lock)"] == [
        "fine", "fine", "1.00x", "1.0", "128", "128", "1,000 locks per block",
        "4,096 or 12,288 words per SM", "CUDA", "CUDA"]
    assert found["named_barrier (warp_barr)"] == [
        "not run", "medium", "2.00x", "2.6", "0", "0", "16 barriers per block",
        "16 barriers per block", "PTX", "PTX"]
    assert found["full_empty (tiny_lock)"][2:] == [
        "4.00x", "4.0", "0", "0", "none", "1,024 lock bits per SM", "CUDA", "assembly"]
    assert found["ours: full_empty_early_wake"] == ["not run", "-", "5.00x", "-", "0", "-", "none", "-", "PTX", "-"]


def test_schemes_in_ptx_are_those_whose_headers_include_it() -> None:
    """But for plain full/empty words, whose header has the unrolled polls too."""
    found = {entry["name"] for entry in primitives(["channels"], "chain")
             if "/ptx/" in "".join((ROOT / "src" / header).read_text(encoding="utf-8")
                                   for header in _with_included(entry["headers"]))}
    assert found - {"full_empty"} == set(chains.IN_PTX)


def _with_included(headers: list[str]) -> list[str]:
    """Headers, and those of their folder that they include."""
    text = "".join((ROOT / "src" / one).read_text(encoding="utf-8") for one in headers)
    return [*headers, *re.findall(r'#include "(finesync/dataflow/\w+_channels.cuh)"', text)]


def flow(primitive: str, rows: int, milliseconds: float, columns: int | str = "auto",
         ended: str = "ok", **numbers: float) -> Rows:
    return synthetic.exact_rows(primitive, {
        "input": "mesh", "rows": rows, "columns": columns, "tbs_per_sm": 1,
        "threads_per_block": 256}, milliseconds, ended=ended, **numbers)


def matrix(primitive: str, rows: int, milliseconds: float, **numbers: float) -> Rows:
    made = synthetic.exact_rows(primitive, {
        "input": "rodinia", "rows": rows, "columns": "auto", "row_pitch": "packed", "tile_size": "auto"},
                                milliseconds, **numbers)
    for row in made:
        row["effective"] |= {"rows": rows, "columns": rows}
    return made


def test_a_mesh_that_is_missing_is_named_and_in_no_mean(tmp_path: Path) -> None:
    made = items.tables([results_of(
        tmp_path, "maxflow", flow("topological", 2048, 10.0), flow("spin", 2048, 5.0),
        flow("topological", 4096, 0.0, ended="timed out"), flow("spin", 4096, 5.0))])
    rows = rows_below([made["asplos19-section4.1"]], "Section 4.1")
    assert rows["worklist under the best lock"] == ["2x", "at least 400x", "not recorded", "1 of 3 meshes"]
    assert rows["worklist under locks, as published"][:2] == [
        "worklist_lock_printed not recorded", "worklist_lock_printed not recorded"]


def test_published_forms_of_maximum_flow_are_compared_with_each_other(tmp_path: Path) -> None:
    """And a run that was ended at its limit is a bound."""
    made = items.tables([results_of(
        tmp_path, "maxflow", flow("topological_printed", 2048, 10.0),
        flow("topological", 2048, 1.0), flow("worklist_lock_printed", 2048, 20.0), flow("spin", 2048, 5.0),
        flow("topological_printed", 4096, 0.0, ended="timed out"),
        flow("worklist_lock_printed", 4096, 200.0), flow("server_flow_printed", 4096, 400.0))])
    rows = rows_below([made["asplos19-section4.1"]], "Section 4.1")
    assert rows["worklist under locks, as published"][:2] == ["0.5x", "at least 10x"]
    assert rows["servers, as published"][:2] == ["server_flow_printed not recorded", "at least 5x"]
    assert rows["worklist under the best lock"][0] == "0.2x"


@pytest.mark.parametrize("program", workloads())
@pytest.mark.parametrize("machine", ["gpu", "host executor"])
def test_without_rows_nothing_is_drawn_or_tabled(program: str, machine: str, tmp_path: Path) -> None:
    results = results_of(tmp_path, program, machine=machine)
    assert all(drawing.draw(results) is None for drawing in workloads()[program].figures.get(results.kind, ()))
    assert tables_of(results) == []


@pytest.mark.parametrize(("program", "row", "cell"), [
    ("chain", chain("named_barrier", 70.0, rounds=10), "64"),
    ("nw", matrix("atomic_lock", 15, 1.0, count_rmw_block_shared=4.0 * 15 * 15), "4")])
def test_counts_of_the_executor_are_per_operation(tmp_path: Path, program: str, row: Rows, cell: str) -> None:
    (table,) = tables_of(results_of(tmp_path, program, row, machine="host executor"))
    assert f" {cell} |" in table.lines[-1]


def test_the_floor_of_small_matrices_is_their_longest_path() -> None:
    assert matrices.floor(31, 31, 1e6) == pytest.approx(61 * 4e-9)
    assert matrices.floor(1 << 15, 1 << 15, 1e6) == pytest.approx(2**32 / 4.3e12)


def test_table_3_has_the_widest_launch_in_the_paper_s_tiles(tmp_path: Path) -> None:
    made = [matrix("data_parallel", 31, 0.010, widest_launch_ns=9000.0),
            matrix("data_parallel", 62, 0.020, widest_launch_ns=9500.0),
            matrix("data_parallel", 62, 0.015, widest_launch_ns=4000.0),
            matrix("atomic_lock", 31, 0.030), matrix("tiny_lock_shared", 31, 0.020)]
    for row in made[2]:
        row["axes"]["tile_size"] = 16
    (table,) = matrices.table_3(results_of(tmp_path, "nw", *made))
    found = table.rows
    assert found["data_parallel"] == ["10", "15"]
    assert found["data_parallel, widest launch"] == ["9", "9.5"]
    assert "atomic_lock" in found and "atomic_lock, widest launch" not in found


@pytest.mark.parametrize(("program", "family", "names", "theirs"), [
    ("chain", "channels", chains.PAPER, lambda: published.at("ics15.table2_speedup_over_atom_lock")),
    ("nw", "alignments", matrices.PAPER,
     lambda: published.at("ics15.table3_needleman_wunsch_us"))])
def test_what_the_paper_names_is_in_the_catalogue_and_published(
        program: str, family: str, names: dict[str, str],
        theirs: Callable[[], dict[str, Any]]) -> None:
    assert set(names) <= {entry["name"] for entry in primitives([family], program)}
    assert set(names.values()) == set(theirs()) - {"grid"}
