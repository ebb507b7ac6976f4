"""The papers' figures and tables under their numbers: the list, their rows, and how they look."""

from __future__ import annotations

import dataclasses
import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import synthetic
import synthetic_applications
import synthetic_sync
from conftest import ROOT
from finesync.claims import commands, ledger
from finesync.figures import shared
from finesync.figures.items import item_figures, stall_figures
from finesync.figures.legibility import findings
from finesync.items import listed, series, tables
from finesync.items.listed import BARS, CONTENTION, FIGURES, LINES, STALLS, Item, items
from finesync.query.numbers import Missing
from finesync.results import originals
from finesync.results.catalogue import all_in, looks
from finesync.results.json_files import read_json
from finesync.results.loading import Results
from finesync.results.registry import FOLDER
from matplotlib.figure import Figure
from tables import results_of, words_of

Rows = list[dict[str, Any]]
DRAWN = [name for name, item in items().items() if item.way in FIGURES]
GRIDS = (1, 2, 4, 8, 16, 32)


def barriers(*forms: str) -> Rows:
    """Barriers over thread blocks per SM and lengths of sections; each slower than the last."""
    return [row for place, form in enumerate(forms, 1) for blocks in GRIDS
            for ldst in (10, 100, 1000) for row in synthetic_sync.point(
                "barrier", form, (2.0 + place) * blocks + ldst * 0.3, tbs_per_sm=blocks, ldst=ldst,
                backoff="no", unsynchronized_ns_per_operation=ldst * 100.0)]


def semaphores(*forms: str, writer: str) -> Rows:
    """Semaphores with and without back-off; spin without it ends at 4 TBs/SM."""
    made: Rows = []
    for form, backoff, size, blocks, ldst in itertools.product(
            forms, ("no", "yes"), (1, 10, 120), GRIDS, (10, 100, 1000)):
        ended = "timed out" if form.startswith("spin") and backoff == "no" and blocks > 4 else "ok"
        time = (90.0 if backoff == "no" and form.startswith("spin") else 4.0) * blocks + ldst
        made += synthetic_sync.point(
            "semaphore", form, time, ended, tbs_per_sm=blocks, size=size, ldst=ldst,
            backoff=backoff, writer=writer, unsynchronized_ns_per_operation=9.0)
    return made


def chains() -> Rows:
    made = [row for place, name in enumerate(
        ("spin", "named_barrier", "warp_spin", "full_empty", "warp_vote", "mbarrier",
         "full_empty_unrolled"), 1) for row in synthetic.exact_rows(
        name, {"warps": 16, "distance": 32}, 1.0, **{
            f"chain_cycles_p{share}": 100.0 * place ** 2 + share for share in (5, 50, 95)})]
    for row in made:
        row["effective"] |= {"sync_bytes": 2048, "named_barriers": 0}
    return made


def applications(*programs: str) -> dict[str, list[Rows]]:
    """Applications at all levels of contention: each form slower than the last."""
    return {program: [row for place, form in enumerate(
        ("sense_reversing_printed", "atomic_tree_printed", "sense_reversing", "atomic_tree",
         "flat_counters", "autotuned")) for row in synthetic_applications.by_contention(
             program, {blocks: 0.8 + 0.1 * blocks ** 0.5 - 0.05 * place
                       for blocks in synthetic_applications.LEVELS}, srb=form)]
            for program in programs}


def stalled(*forms: str, writer: str = "grows", ended: str = "ok") -> Rows:
    """Why warps stall, by ncu: less at barriers with each form, and with more blocks."""
    return [row for place, form in enumerate(forms, 1) for blocks in (1, 2, 4)
            for row in synthetic.point(
                form, {"tbs_per_sm": blocks, "size": 1, "ldst": 10, "backoff": "no",
                       "writer": writer, "threads_per_block": 64}, 1.0, ended, operations=1.0,
                stalled_barrier_percent=60.0 / place / blocks, stalled_membar_percent=10.0,
                stalled_sleeping_percent=0.0, stalled_long_scoreboard_percent=20.0,
                stalled_wait_percent=5.0)]


@pytest.fixture(name="measured", scope="module")
def fixture_measured(tmp_path_factory: pytest.TempPathFactory) -> list[Results]:
    """The rows of all forms that items with lines and bars show."""
    folder = tmp_path_factory.mktemp("measured")
    return [
        results_of(folder, "barrier", barriers(
            "atomic_tree_printed", "sense_reversing_printed", "cooperative_groups", "atomic_tree",
            "sense_reversing", "flat_counters", "sm_counters", "gather_broadcast", "autotuned")),
        results_of(folder, "semaphore",
                   semaphores("spin_printed", "priority_printed", writer="grows"),
                   semaphores("spin", "priority", "cas", "ticket", writer="fixed")),
        results_of(folder, "chain", chains()),
        results_of(folder, "semaphore_traffic", stalled("spin_printed", "priority_printed"),
                   stalled("spin", "priority", writer="fixed")),
        *(results_of(folder, program, *points)
          for program, points in applications("bfs", "sssp", "reduce").items())]


def drawn(name: str, loaded: list[Results]) -> Figure:
    item = items()[name]
    draw = {LINES: item_figures.draw_lines, BARS: item_figures.draw_bars,
            CONTENTION: item_figures.draw_contention, STALLS: stall_figures.draw}[item.way]
    return draw(item, tables.recorded_of(loaded))


def forms_of(item: Item) -> list[list[str]]:
    """The forms of each group of a figure."""
    return [group.get("forms") or [group["form"]] for group in item.spec["groups"]]


def test_the_list_has_all_figures_and_tables_that_a_reader_would_look_for() -> None:
    assert sorted(items()) == sorted(
        [f"asplos19-{number}" for number in (
            "figure7", "figure8", "figure9", "table1", "table2", "table3", "table4", "section4.1")]
        + [f"ics15-{number}" for number in ("figure4", "table1", "table2", "table3")]
        + [f"thesis-figure5.{number}" for number in (4, 5, 9, 13, 17, 21, 25, 29, 30, 31, 32)]
        + [f"thesis-table4.{number}" for number in (1, 2, 3)])


@pytest.mark.parametrize("item", [item for item in items().values() if item.way], ids=lambda item: item.name)
def test_what_the_list_names_exists(item: Item) -> None:
    for program, kind in (file.split("/") for file in item.files):
        assert (FOLDER / program).is_dir() and kind in ("gpu", "gpu_traffic")
    known = {own["name"] for program in {file.split("/")[0] for file in item.files}
             for entry in all_in(program) for own in looks(entry)}
    named = [form for forms in forms_of(item) for form in forms] if item.way in FIGURES else []
    assert [form for form in named if form not in known] == []


@pytest.mark.parametrize("item", [item for item in items().values()
                                  if item.way in (LINES, CONTENTION, STALLS)],
                         ids=lambda item: item.name)
def test_the_commands_of_an_item_measure_what_the_paper_compares(item: Item) -> None:
    """The last run of a fresh checkout would lack rows otherwise."""
    measure = tables.measure_of(item)
    planned = {name for _, points in commands.points(measure) for point in points for name in point.axes["primitive"]}
    forms = {form.removesuffix("_backoff") for form in forms_of(item)[0]}
    assert forms <= planned
    values = {value for _, points in commands.points(measure) for point in points
              for axis, own in (*point.axes.items(), *((axis, [one]) for axis, one
                                                       in point.options.items()))
              if axis.replace("-", "_") == (item.spec.get("over") or "tbs_per_sm")
              for value in own}
    assert len(values) > 1


def test_sources_of_claims_name_items() -> None:
    assert listed.numbers_in("abstract; section 5.1; figures 5.17, 5.21; tables 3, 4; chapter 7") \
        == ["section5.1", "figure5.17", "figure5.21", "table3", "table4"]
    assert items()["thesis-figure5.4"].claims[:2] == ["T02", "T03"]
    claimed = {number for item in items().values() for number in item.claims}
    of_figures = {claim.id for claim in ledger.claims().values()
                  if any(number.startswith(("figure", "table"))
                         for number in listed.numbers_in(claim.source))}
    # Figures that explain an algorithm, without numbers.
    assert of_figures - claimed == {"A27", "A28", "I13"}


@pytest.mark.parametrize("name", DRAWN)
def test_each_figure_can_be_read(name: str, measured: list[Results]) -> None:
    figure = drawn(name, measured)
    assert findings(figure) == []
    assert items()[name].said in " ".join(words_of(figure))


@pytest.mark.parametrize("name", ["thesis-figure5.17", "thesis-figure5.13"])
def test_a_long_name_of_a_gpu_is_not_cut_off(name: str, measured: list[Results]) -> None:
    gpu = {**measured[0].gpu, "name": "NVIDIA Test GPU 9000 with 80GB of HBM3"}
    assert findings(drawn(name, [dataclasses.replace(own, gpu=gpu) for own in measured])) == []


def test_printed_forms_stand_alone_and_ours_beside_them(measured: list[Results]) -> None:
    item = items()["thesis-figure5.17"]
    printed, ours = series.lines(item, tables.recorded_of(measured))
    assert [one.form for one in printed.panels[0].series] == [
        "spin_printed", "spin_printed_backoff", "priority_printed", "priority_printed_backoff"]
    assert not any("printed" in one.form for one in ours.panels[0].series)
    spin = printed.panels[0].series[0]
    assert list(spin.values) == [1, 2, 4] and set(spin.failed.values()) == {"timed out"}
    assert "timed out at 8, 16, 32" in " ".join(words_of(drawn(item.name, measured)))


def test_what_the_paper_prints_is_marked_from_its_numbers(measured: list[Results]) -> None:
    """SRB saved 14 to 41 % there: of a tree of 3 us a block and 3 us, 59 to 86 % are left."""
    (panel,) = series.lines(items()["thesis-figure5.4"], tables.recorded_of(measured))[0].panels
    assert panel.published[2] == (pytest.approx(9 * 0.59), pytest.approx(9 * 0.86))
    bars = series.bars(items()["ics15-figure4"], tables.recorded_of(measured))[0].panels[0]
    assert bars.published["full_empty"][0] == pytest.approx(150 / 4.0)
    assert "published" in words_of(drawn("ics15-figure4", measured))


def test_without_a_printed_form_an_item_is_not_drawn_and_says_why(tmp_path: Path) -> None:
    loaded = [results_of(tmp_path, "barrier", barriers("atomic_tree_printed", "cooperative_groups", "sense_reversing"))]
    item = items()["thesis-figure5.4"]
    with pytest.raises(Missing, match="^sense_reversing_printed is not recorded$"):
        series.lines(item, tables.recorded_of(loaded))
    reasons = {one.name: one.reason for one in shared.draw(loaded) if one.figure is None}
    assert reasons[item.name] == "sense_reversing_printed is not recorded"
    rows = tables.listed(loaded, tables.tables(loaded))[0].rows
    assert rows["the thesis, figure 5.4: Time per barrier as contention grows"][0] \
        == "not shown: sense_reversing_printed is not recorded"
    assert rows["the thesis, figure 5.9: " + items()["thesis-figure5.9"].title][0] \
        == "not shown: bfs, sssp, pagerank, reduce are not recorded"


def test_applications_are_compared_by_the_load_of_each_level(measured: list[Results], tmp_path: Path) -> None:
    item = items()["thesis-figure5.9"]
    printed, ours = series.by_contention(item, tables.recorded_of(measured))
    assert [panel.name for panel in printed.panels] == ["BFS", "SSSP", "reduce"]
    ccg, srb, tree = printed.panels[0].series
    assert {one.median for one in ccg.values.values()} == {1.0}
    assert srb.values[16].median == pytest.approx(1.2)
    assert tree.values[16].median == pytest.approx(1.15)
    assert printed.panels[0].published == {1: (pytest.approx(0.89),) * 2, 16: (pytest.approx(1 / 0.76),) * 2}
    assert list(printed.panels[2].published) == [16] and not ours.panels[0].published
    words = " ".join(words_of(drawn(item.name, measured)))
    assert "Not recorded: pagerank." in words and "road-264346 for USA-road-d.NY at 2" in words
    roads = synthetic_applications.by_contention("bfs", {1: 0.9, 2: 0.5, 16: 0.7}, levels="roads")
    (_, _, own) = series.by_contention(item, tables.recorded_of([results_of(
        tmp_path, "bfs", *applications("bfs")["bfs"], *roads)]))
    assert {level: round(one.median, 3) for level, one in own.panels[0].series[1].values.items()} == {2: 0.5, 16: 0.7}


def test_an_application_that_failed_is_a_cross_and_one_level_is_no_figure(tmp_path: Path) -> None:
    made = applications("bfs")["bfs"]
    for row in made[-1]:
        row |= synthetic.ending("timed out")
    item = items()["thesis-figure5.9"]
    recorded = tables.recorded_of([results_of(tmp_path, "bfs", *made)])
    last = series.by_contention(item, recorded)[1].panels[0].series[-1]
    assert last.form == "autotuned" and last.failed == {16: "timed out"}
    assert "timed out at 16 (BFS)" in " ".join(words_of(item_figures.draw_contention(item, recorded)))
    one = [row for row in made if row[0]["axes"]["tbs_per_sm"] == 1]
    with pytest.raises(Missing, match="^only one level of contention is recorded$"):
        series.by_contention(item, tables.recorded_of([results_of(tmp_path, "bfs", *one)]))


def test_profiles_are_shares_of_all_stalls(measured: list[Results], tmp_path: Path) -> None:
    item = items()["thesis-figure5.31"]
    printed, ours = series.profiles(item, tables.recorded_of(measured))
    assert (printed.form, ours.form) == ("priority_printed", "priority")
    assert printed.shares[2] == {"block barriers": 15.0, "fences": 10.0, "back-off": 0.0,
                                 "global memory": 20.0, series.OTHERS: 55.0}
    assert "published: synchronization" in words_of(drawn(item.name, measured))
    alone = tables.recorded_of([results_of(tmp_path, "semaphore_traffic", stalled("priority_printed"))])
    assert series.profiles(item, alone)[1].without == "the stalls of priority are not recorded"
    assert "the stalls of priority are" in " ".join(words_of(stall_figures.draw(item, alone)))
    for rows in ([], stalled("priority"), stalled("priority_printed", ended="timed out")):
        with pytest.raises(Missing, match="^the stalls of priority_printed are not recorded$"):
            series.profiles(item, tables.recorded_of([results_of(tmp_path, "semaphore_traffic", rows)]))


def test_the_papers_own_programs_are_a_third_group(measured: list[Results], tmp_path: Path) -> None:
    folder = tmp_path / "originals" / "gpu"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "results" / "originals" / "forms.json", folder.parent)
    suite = read_json(ROOT / "results" / "originals" / "nvidia-h200" / "heterosync.json")
    (folder / "heterosync.json").write_text(json.dumps(suite), encoding="utf-8")
    theirs = dataclasses.replace(tables.recorded_of(measured), originals=originals.of_folder(folder))
    groups = series.lines(items()["thesis-figure5.17"], theirs)
    assert [group.title for group in groups][2:] == [f"{series.ORIGINALS}, 32 threads"]
    (row,) = (row for row in suite["rows"] if row["original"] == "spinSemEBO" and {
        "tbs_per_sm": 1, "size": 1, "ldst": 10}.items() <= row["axes"].items()
        and set(row["changed"]) == {"device_struct", "own_maximum"})
    spin = groups[2].panels[0].series[1]
    assert spin.form == "spin_printed_backoff" and spin.values[1].median == row["us_per_operation"]
    figure = item_figures.draw_lines(items()["thesis-figure5.17"], theirs)
    assert findings(figure) == []
    assert len(series.lines(items()["thesis-figure5.32"], theirs)) == 2  # they tell no parts


def test_ours_may_be_missing_and_the_panel_says_so(tmp_path: Path) -> None:
    loaded = [results_of(tmp_path, "semaphore", semaphores("spin_printed", "priority_printed", writer="grows"))]
    figure = drawn("thesis-figure5.21", loaded)
    said = " ".join(words_of(figure))
    assert "spin, spin_backoff, priority, priority_backoff, cas, ticket are not recorded" in said
    assert findings(figure) == []


def test_a_writer_of_another_length_is_another_load(tmp_path: Path) -> None:
    """The paper's load is the growing writer; rows of the other do not stand for it."""
    loaded = [results_of(tmp_path, "semaphore", semaphores("spin_printed", "priority_printed", writer="fixed"))]
    with pytest.raises(Missing, match="are not recorded"):
        series.lines(items()["thesis-figure5.17"], tables.recorded_of(loaded))


def test_tables_of_gpus_and_of_names(measured: list[Results]) -> None:
    made = tables.tables(measured)
    assert made["thesis-table4.1"].rows["SMs"] == ["20", "80", "68", "132"]
    assert made["thesis-table4.1"].columns[-1] == "Test GPU 9000"
    names = made["thesis-table4.2"].rows
    assert len(names) == 14
    assert names["SpinSem10"][:2] == ["`spin_printed`", "100 us at 1; 370 us at 4; timed out at 8, 16, 32"]
    applications_of = made["thesis-table4.3"].rows
    assert applications_of["BFS"][:2] == ["`sense_reversing_printed`", "111 us at 1; 1,333 us at 16"]
    assert applications_of["PageRank"][1] == "pagerank is not recorded"
    assert list(made["ics15-table2"].rows)[0] == "spin (atom_lock)"
    assert list(made["ics15-table2"].rows)[-1].startswith("ours: ")
    assert made["ics15-table2"].rows["spin (atom_lock)"][2:4] == ["1.00x", "1.0"]


def test_the_page_has_a_row_for_each_item_with_its_commands(measured: list[Results]) -> None:
    (found,) = tables.listed(measured, tables.tables(measured))
    assert len(found.rows) == len(items())
    row = found.rows["ICS'15, figure 4: Cycles of a chain of 16 warps by scheme"]
    assert row[0] == "`figures/ics15-figure4.svg`" and row[1].startswith("I01")
    assert row[2] == "`scripts/sweep.py workloads/chain/plans/gpu.json --out " \
        "results/runs/claims --only schemes,warps=16`"


def test_memory_is_the_most_of_the_rows_that_a_command_makes(tmp_path: Path) -> None:
    made = chains()
    for row in made:
        row["gpu_memory_bytes"] = (2 if row["primitive"] == "spin" else 3) * 2.0 ** 30
    recorded = tables.recorded_of([results_of(tmp_path, "chain", made)])
    assert commands.memory({"chain/gpu": ["schemes,primitive=spin"]}, recorded) == "2.0"
    assert commands.memory({"chain/gpu": []}, recorded) == "3.0"
    assert commands.memory({"barrier/gpu": []}, recorded) == ""


def test_a_bar_of_a_form_that_failed_is_a_cross(tmp_path: Path) -> None:
    made = [row | synthetic.ending("error") if row["primitive"] == "warp_vote" else row for row in chains()]
    figure = item_figures.draw_bars(items()["ics15-figure4"], tables.recorded_of([results_of(tmp_path, "chain", made)]))
    assert "error" in words_of(figure)
