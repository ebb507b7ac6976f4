"""ASPLOS'19's figures 7 to 9 and tables 3 and 4 over all programs, of made-up results."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import figures
import pytest
import synthetic
from conftest import ROOT
from finesync.figures.items.asplos19_figures import DRAWINGS
from finesync.papers import asplos19, paper_benchmarks
from finesync.query.points import Spread
from finesync.query.tables import DASH
from finesync.results.catalogue import primitives_of
from finesync.results.loading import Results
from finesync.results.registry import workloads
from tables import results_of, rows_below, words_of

SPEEDUPS, TRAFFIC, LONGER = DRAWINGS.values()
WITH_PAIRS = [program for program, workload in workloads().items() if workload.paper_benchmarks]
OURS, SERVERS, PAPERS = "our best of any kind", "our servers", "the paper's servers"


def insert(primitive: str, factor: int, milliseconds: float, ended: str = "ok", section_work: int = 0,
           padding: str = "packed", **numbers: float) -> list[dict[str, Any]]:
    axes = {"collision_factor": factor, "inserts": 1000, "section": "push", "section_work": section_work,
            "tbs_per_sm": 1, "lock_layout": padding}
    return synthetic.exact_rows(primitive, axes, milliseconds, ended=ended, **numbers)


def transfer(primitive: str, accounts: int, milliseconds: float, skew: str = "uniform",
             servers_percent: int = 75, **numbers: float) -> list[dict[str, Any]]:
    """A point of the bank."""
    axes = {"collision_factor": accounts, "transfers": 1000, "skew": skew, "section": "transfer",
            "section_work": 0, "tbs_per_sm": 1, "servers_percent": servers_percent}
    return synthetic.exact_rows(primitive, axes, milliseconds, **numbers)


def epoch(primitive: str, name: str, milliseconds: float, **numbers: float) -> list[dict[str, Any]]:
    """A point of gradient descent. Some of the numbers are axes."""
    axes = {"input": name, "ratings": "auto", "features": 16, "epochs": 1, "tbs_per_sm": 1}
    axes |= {axis: numbers.pop(axis) for axis in ("section_work", "servers_percent") if axis in numbers}
    return synthetic.exact_rows(primitive, axes, milliseconds, **numbers)


def both(folder: Path) -> list[Results]:
    """At 256 data all have run; at 1,024 the bank's locks have not, and a server of the table was slow."""
    return [
        results_of(folder, "ht", insert("spin", 256, 80.0, lock_transfer_cycles=2000.0),
                   insert("spin", 256, 160.0, section_work=4), insert("ttas", 256, 40.0),
                   insert("server_basic", 256, 0.1), insert("lockfree", 256, 4.0),
                   insert("server_paper", 256, 20.0, lock_transfer_cycles=200.0),
                   insert("server_fast", 256, 8.0), insert("spin", 1024, 10.0),
                   insert("server_paper", 1024, 0.0, ended="timed out"),
                   insert("server_fast", 1024, 5.0)),
        results_of(folder, "atm", transfer("spin_in_order", 256, 90.0),
                   transfer("all_or_nothing", 256, 30.0),
                   transfer("server_nested_printed", 256, 45.0, locks_lent_per_operation=0.5),
                   transfer("server_nested_printed", 256, 5.0, servers_percent=1,
                            locks_lent_per_operation=0.0),
                   transfer("server_nested", 256, 15.0), transfer("conflict_free", 256, 1.0),
                   transfer("lockfree", 256, 0.01), transfer("conflict_free", 1024, 1.0),
                   transfer("spin_in_order", 256, 0.001, skew="zipf-99"))]


def test_all_that_compete_have_a_role_and_each_program_a_lock_as_printed() -> None:
    assert len(WITH_PAIRS) == 5
    for program in WITH_PAIRS:
        roles = [entry["role"] for entry in primitives_of(program, workloads()[program].families)]
        assert roles.count("paper_lock") == 1, program
        assert "baseline_lock" in roles and "server" in roles and "other" in roles


def test_pairs_are_those_of_section_4_1() -> None:
    names = [pair.name for pair in paper_benchmarks.all_benchmarks([])]
    assert [sum(name.startswith(f"{program}-") for name in names)
            for program in ("HT", "ATM", "MST", "SGD", "MF")] == [4, 4, 3, 3, 3]
    assert len(set(names)) == len(names) == 17
    of_traffic = paper_benchmarks.all_benchmarks([], inputs_in=paper_benchmarks.of_figure_8)
    assert {pair.name for pair in of_traffic} == {*names, "HT-16M", "ATM-16M"}


def test_each_is_compared_with_the_printed_lock_and_with_the_best(tmp_path: Path) -> None:
    rows = rows_below(asplos19.tables(both(tmp_path)), "Figure 7")
    assert rows["pair"] == [PAPERS, SERVERS, OURS, "published (GTX 1080 Ti)", "the best lock", "our best"]
    assert rows["HT-256"] == ["4x / 2x", "10x / 5x", "20x / 10x", "7.7x", "`ttas` (1 x 256)", "`lockfree` (1 x 256)"]
    assert rows["ATM-256"] == ["2x / 0.667x", "6x / 2x", "90x / 30x", "3.2x",
                               "`all_or_nothing` (1 x 256)", "`conflict_free` (1 x 256)"]


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    rows = rows_below(asplos19.tables(both(tmp_path)), "Figure 7")
    assert rows["HT-1K"][:3] == ["timed out", "2x", "2x"]
    assert rows["ATM-1K"][:3] == ["server_nested_printed not recorded", "none recorded",
                                  "spin_in_order not recorded / none recorded"]
    assert rows["MST-r4"] == ["not recorded"] * 3 + ["7.7x"] + ["not recorded"] * 2
    assert rows["SGD-NF"][:3] == ["not recorded"] * 3
    said = words_of(SPEEDUPS(both(tmp_path)))
    assert {"MST-r4", "not recorded", "timed out", "server_nested_printed not recorded"} <= set(said)
    assert "MF-8kx4k" not in said and any(
        "Not drawn:" in word and "MF-2kx2k, MF-4kx4k, MF-8kx4k" in word for word in said)
    assert any(word.endswith("(Test GPU 9000)") for word in said)


def test_published_servers_of_two_locks_must_lend_some(tmp_path: Path) -> None:
    """A single server is the fastest, but does nothing of what is published of two locks."""
    for number, word in ((0.0, paper_benchmarks.LENDS_NONE), (None, paper_benchmarks.LENT_UNKNOWN)):
        lent = {} if number is None else {"locks_lent_per_operation": number}
        results = [both(tmp_path)[0], results_of(
            tmp_path, "atm", transfer("spin_in_order", 256, 90.0),
            transfer("server_nested_printed", 256, 5.0, **lent),
            transfer("server_nested", 256, 15.0))]
        rows = rows_below(asplos19.tables(results), "Figure 7")
        assert rows["ATM-256"][:2] == [word, "6x"]
        assert word in words_of(SPEEDUPS(results))
        assert "geometric mean" in rows and rows[asplos19.MEAN][0].endswith("(1) / 2x (1)")


def test_means_are_over_the_pairs_that_have_a_number(tmp_path: Path) -> None:
    rows = rows_below(asplos19.tables(both(tmp_path)), "Figure 7")
    assert rows[asplos19.MEAN] == [
        "2.83x (2) / 1.15x (2)", f"{(10 * 6 * 2) ** (1 / 3):.3g}x (3) / {20 ** (1 / 3):.3g}x (3)",
        f"{(20 * 90 * 2) ** (1 / 3):.3g}x (3) / {600 ** (1 / 3):.3g}x (3)", "3.6x", DASH, DASH]
    assert any("of 17: 2 (the paper's servers), 3 (our servers), 3 (our best of any kind)" in word
               for word in words_of(SPEEDUPS(both(tmp_path))))
    numbers = [Spread(1, 2, 3), "timed out", Spread(7, 8, 9)]
    assert paper_benchmarks.geometric_mean(numbers) == (pytest.approx(4), 2)
    assert paper_benchmarks.geometric_mean(["timed out"]) == (0.0, 0)


def test_a_wrong_baseline_would_be_noticed(tmp_path: Path) -> None:
    """Neither padded locks nor other sections are as printed, and no bound is a lock or ours."""
    rows = rows_below(asplos19.tables([
        results_of(tmp_path, "ht", insert("spin", 256, 80.0),
                   insert("spin", 256, 1.0, padding="padded"),
                   insert("value_passing", 256, 2.0), insert("server_fast", 256, 8.0)),
        results_of(tmp_path, "atm", transfer("spin_in_order", 256, 90.0),
                   transfer("full_empty_pair", 256, 30.0),
                   transfer("lockfree", 256, 0.01))]), "Figure 7")
    assert rows["HT-256"][1:3] == ["10x", "40x"]
    assert rows["ATM-256"][1:3] == ["none recorded", "3x"]
    assert rows["ATM-256"][4:] == ["`spin_in_order` (1 x 256)", "`full_empty_pair` (1 x 256)"]


def test_one_program_is_not_all(tmp_path: Path) -> None:
    results = both(tmp_path)[0]
    assert asplos19.tables([results]) == []
    assert all(draw([results]) is None for draw in DRAWINGS.values())


def test_longer_sections_are_of_locks_as_printed(tmp_path: Path) -> None:
    rows = rows_below(asplos19.tables(both(tmp_path)), "Figure 9")
    assert rows["pair"] == ["4"]
    assert (rows["HT-256"], rows["ATM-256"], rows["MF-2kx2k"]) == (["2"], ["not recorded"], ["not recorded"])
    said = words_of(LONGER(both(tmp_path)))
    assert {"HT", "256"} <= set(said)
    assert any("Not recorded: ATM-256, ATM-1K" in word for word in said)


def test_traffic_is_per_operation_and_in_percent_of_locks_as_printed(tmp_path: Path) -> None:
    rows = [row | {"axes": {**row["axes"], "inserts": inserts}}
            for name, inserts, moved in (("spin", 1000, 100.0), ("server_fast", 500, 25.0))
            for row in insert(name, 256, 1.0, l2_bytes=moved, dram_bytes=moved / 2)]
    moved = results_of(tmp_path, "ht_traffic", rows)
    found = rows_below(asplos19.tables([*both(tmp_path), moved]), "Figure 8")
    assert found["HT-256"] == ["server_paper not recorded", "50.0 %", DASH]
    assert found["ATM-256"] == ["not recorded", "not recorded", DASH]
    said = words_of(TRAFFIC([*both(tmp_path), moved]))
    assert {"50", "server_paper not recorded", "HT-256"} <= set(said)
    assert TRAFFIC(both(tmp_path)) is None


def test_traffic_says_if_its_launch_is_not_that_of_figure_7(tmp_path: Path) -> None:
    def row(primitive: str, grid: int, milliseconds: float) -> list[dict[str, Any]]:
        axes = {"collision_factor": 256, "inserts": 1000, "section": "push", "tbs_per_sm": grid}
        return synthetic.exact_rows(primitive, axes, milliseconds, l2_bytes=8.0, dram_bytes=8.0)
    times = [*row("spin", 1, 10.0), *row("spin", 2, 10.2), *row("spin", 4, 25.0),
             *row("server_paper", 1, 4.0), *row("server_fast", 2, 1.0)]

    def said(*counted: list[dict[str, Any]]) -> str:
        found = rows_below(asplos19.tables([
            results_of(tmp_path, "ht", times), *both(tmp_path)[1:],
            results_of(tmp_path, "ht_traffic", *counted)]), "Figure 8")
        return found["HT-256"][-1]
    assert said(row("spin", 1, 7.0), row("server_paper", 1, 7.0)) == DASH
    assert said(row("spin", 2, 7.0), row("server_paper", 1, 7.0)) == DASH
    assert said(row("spin", 4, 7.0), row("server_paper", 8, 7.0), row("server_fast", 2, 7.0)) == \
        "locks at 4 x 256, 2.5 times the least time; the paper's servers at 8 x 256, not timed"


def test_what_ran_out_of_time_bounds_the_times_of_table_3(tmp_path: Path) -> None:
    def cells(lock: str, server: str) -> list[str]:
        """The locks' and the servers', of runs of 1 ms, or of a limit of 2 s."""
        ended = [synthetic.exact_rows(primitive, {"input": "r4-cycle", "tbs_per_sm": 1}, 1.0,
                                      ended=word, **(
                                          {"lock_transfer_cycles": 500.0} if word == "ok" else {}))
                 for primitive, word in (("per_vertex_printed", lock),
                                         ("server_per_vertex_printed", server))]
        found = rows_below(asplos19.tables([results_of(tmp_path, "mst", *ended), *both(tmp_path)]), "Table 3")
        place = found["pair"].index("MST-r4")
        return [found["published locks"][place], found[PAPERS][place]]
    assert cells("ok", "ok") == ["500 / 1", "500 / 1"]
    assert cells("timed out", "ok") == ["not timed / 1, at least 2 s", "500 / at most 0.0005"]
    assert cells("ok", "hung") == ["500 / 1", "not timed / at least 2,000"]
    assert cells("ok", "error") == ["500 / 1", "error"]


def test_gradient_descent_has_servers_as_printed_and_longer_sections(tmp_path: Path) -> None:
    """Also beside rows of before, which know of no longer sections."""
    like = "netflix-like"
    timed = results_of(
        tmp_path, "sgd", epoch("spin_in_order", like, 40.0),
        *(epoch("spin_in_order", like, 40.0 + 10 * work, section_work=work) for work in (0, 1, 32)),
        epoch("server_edges_printed", like, 80.0, servers_percent=75, locks_lent_per_operation=0.9),
        epoch("server_edges_printed", like, 1.0, servers_percent=1, locks_lent_per_operation=0.0),
        epoch("server_movies", like, 10.0))
    moved = results_of(
        tmp_path, "sgd_traffic", epoch("spin_in_order", like, 1.0, l2_bytes=100.0, dram_bytes=10.0),
        epoch("server_edges_printed", like, 1.0, l2_bytes=50.0, dram_bytes=20.0,
              locks_lent_per_operation=0.9))
    tables = asplos19.tables([both(tmp_path)[0], timed, moved])
    assert rows_below(tables, "Figure 7")["SGD-NF"][:2] == ["0.5x", "4x"]
    assert rows_below(tables, "Figure 8")["SGD-NF"][:2] == ["50.0 % / 200.0 %", "server_movies not recorded"]
    longer = rows_below(tables, "Figure 9")
    assert dict(zip(longer["pair"], longer["SGD-NF"])) == {"1": "1.25", "4": "not run: 1.25 to 9", "32": "9"}


def test_they_are_written_beside_the_results(tmp_path: Path) -> None:
    paths = [str(results.path) for results in both(tmp_path)]
    assert figures.main([*paths, "--only", "--report", str(tmp_path / "report.md")]) == 0
    assert {path.stem for path in tmp_path.glob("figures/asplos19-*.svg")} == {"asplos19-figure7", "asplos19-figure9"}
    assert {path.stem for path in tmp_path.glob("tables/asplos19-*.md")} == {
        f"asplos19-{name}" for name in ("figure7", "figure9", "table1", "table3", "table4")}
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "figures/asplos19-figure7.svg" in report and "tables/asplos19-figure7.md" in report


def test_a_baseline_that_ran_out_of_time_gives_the_least_speed_up(tmp_path: Path) -> None:
    """2 s a wait against 1 ms; where one grid ended otherwise, nothing is known."""
    def pair(*ended: str) -> str | Spread:
        locks = [synthetic.exact_rows("per_vertex_printed", {"input": "r4-cycle", "tbs_per_sm": grid},
                                      0.0, ended=word) for grid, word in enumerate(ended, 1)]
        servers = synthetic.exact_rows("server_fast", {"input": "r4-cycle", "tbs_per_sm": 1}, 1.0)
        (found,) = (own for own in paper_benchmarks.benchmarks_of(
            "mst", results_of(tmp_path, "mst", servers, *locks)) if own.name == "MST-r4")
        return found.speedup(paper_benchmarks.SERVER, paper_benchmarks.PRINTED)
    assert pair("timed out", "hung") == "at least 2,000x"
    assert pair("timed out", "error") == "locks timed out"


def test_maximum_flow_is_in_figures_7_to_9(tmp_path: Path) -> None:
    """By its published forms, each pair at its own mesh, the loop at one grid."""
    def flow(primitive: str, rows: int, milliseconds: float, **axes: int) -> list[dict[str, Any]]:
        return synthetic.exact_rows(primitive, {"input": "mesh", "rows": rows, "columns": "auto",
                                                **axes}, milliseconds,
                                    l2_bytes=100 * milliseconds, dram_bytes=10.0)
    made = [flow("worklist_lock_printed", 2048, 20.0, section_work=0, tbs_per_sm=1),
            flow("worklist_lock_printed", 2048, 30.0, section_work=1, tbs_per_sm=1),
            flow("worklist_lock_printed", 2048, 40.0, section_work=0, tbs_per_sm=4),
            flow("worklist_lock_printed", 4096, 50.0, section_work=0, tbs_per_sm=4),
            flow("server_flow_printed", 2048, 5.0, section_work=0, tbs_per_sm=1),
            flow("spin", 2048, 10.0, tbs_per_sm=1), flow("block_queues", 2048, 2.0, tbs_per_sm=1)]
    own = {pair.name: pair for pair in paper_benchmarks.benchmarks_of(
        "maxflow", results_of(tmp_path, "maxflow", *made))}
    rows = rows_below(asplos19.tables([results_of(tmp_path, "maxflow", *made), both(tmp_path)[0]]), "Figure 7")
    assert rows["MF-2kx2k"][:3] == ["4x / 2x", "server_worklist not recorded", "10x / 5x"]
    lines = asplos19.figure_9(list(own.values()))
    assert lines["MF-2kx2k"][1].median == pytest.approx(1.5)
    assert not lines["MF-4kx4k"] or 1 not in lines["MF-4kx4k"]
    counted = [results_of(tmp_path, "maxflow_traffic", *made[:1], made[4]), results_of(
        tmp_path, "ht_traffic", synthetic.exact_rows("spin", {"collision_factor": 256}, 1.0))]
    assert rows_below(asplos19.tables(counted), "Figure 8")["MF-2kx2k"][:2] == [
        "25.0 % / 100.0 %", "server_worklist not recorded"]


def test_a_loop_that_was_not_run_has_what_lies_beside_it_and_what_a_run_costs(tmp_path: Path) -> None:
    def flow(rows: int, work: int, milliseconds: float) -> list[dict[str, Any]]:
        return synthetic.exact_rows("worklist_lock_printed", {
            "input": "mesh", "rows": rows, "columns": "auto", "section_work": work, "tbs_per_sm": 1}, milliseconds)
    made = [flow(rows, work, milliseconds * scale) for rows, scale in ((2048, 1.0), (4096, 1000.0))
            for work, milliseconds in ((0, 2.0), (1, 3.0), (4, 4.0), (32, 9.0))]
    found = rows_below(asplos19.tables([results_of(tmp_path, "maxflow", *made), both(tmp_path)[0]]), "Figure 9")
    assert found["MF-2kx2k"] == ["1.5", "2", "4.5"]
    made = made[:4] + made[4:6] + made[7:]
    found = rows_below(asplos19.tables([results_of(tmp_path, "maxflow", *made), both(tmp_path)[0]]), "Figure 9")
    assert found["MF-4kx4k"] == ["1.5", "not run: 1.5 to 4.5, 3 to 9 s", "4.5"]
    assert found["MF-2kx2k"][1] == "2" and set(found["MF-8kx4k"]) == {"not recorded"}
    cheap = rows_below(asplos19.tables([results_of(tmp_path, "maxflow", *made[:2], *made[3:4], flow(4096, 0, 2.0),
                                                   flow(4096, 4, 4.0)), both(tmp_path)[0]]), "Figure 9")
    assert cheap["MF-2kx2k"] == ["1.5", "not run: 1.5 to 4.5", "4.5"]
    assert cheap["MF-4kx4k"] == ["not recorded", "2", "not recorded"]  # nothing is known on both sides


def test_the_original_program_is_a_bar_where_it_was_measured(tmp_path: Path) -> None:
    """A made-up 40 s of LonestarGPU's own program, where servers take 2 s."""
    results = [results_of(tmp_path / "gpu", "mst", *(
        synthetic.exact_rows(name, {"input": "r4-cycle", "tbs_per_sm": 1}, milliseconds)
        for name, milliseconds in (("per_vertex_printed", 4000.0),
                                   ("server_per_vertex_printed", 2000.0)))),
               results_of(tmp_path / "gpu", "ht", insert("spin", 256, 80.0),
                          insert("server_paper", 256, 20.0))]
    assert asplos19.ORIGINALS not in asplos19.tables(results)[0].columns
    kept = ROOT / "results" / "originals"
    (tmp_path / "originals" / "gpu").mkdir(parents=True)
    shutil.copy(kept / "forms.json", tmp_path / "originals")
    suite = json.loads((kept / "nvidia-h200" / "lonestargpu.json").read_text(encoding="utf-8"))
    suite["rows"] = [{**row, "axes": {"input": "r4-cycle"}, "us": 40e6} for row in suite["rows"] if "us" in row][:1]
    (tmp_path / "originals" / "gpu" / "lonestargpu.json").write_text(json.dumps(suite), encoding="utf-8")
    table = asplos19.tables(results)[0]
    assert table.columns[-1] == asplos19.ORIGINALS
    assert (table.rows["MST-r4"][0], table.rows["MST-r4"][-1]) == ("2x", "20x")
    assert table.rows["HT-256"][-1] == ""
    assert asplos19.ORIGINALS in words_of(SPEEDUPS(results))
