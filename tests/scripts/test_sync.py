"""Barriers, mutexes and semaphores: what the tables, the winners and the figures say of rows."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
import synthetic_sync
from conftest import ROOT
from finesync.figures import fairness, fastest_chart, sweeps
from finesync.figures.styles import Styles
from finesync.report.folder_tables import tables_of
from finesync.results import fastest, sync_sweeps
from finesync.results.errors import UserError
from finesync.results.fastest import Winner
from finesync.results.loading import Results, load_results
from finesync.results.registry import workload_named
from finesync.sweep.plan import load_plan
from matplotlib.figure import Figure
from synthetic_sync import PROGRAMS, point
from tables import all_ended, results_of, rows_below, words_of

TREES = (("atomic_tree", 2.0), ("sense_reversing", 1.0), ("cooperative_groups", 0.8))


def barriers_at(folder: Path) -> Results:
    """Three barriers at two grids: CCG first ahead, then behind; the tree twice as slow as SRB."""
    return results_of(
        folder, "barrier",
        *(point("barrier", name, time * blocks ** (1.5 if name == "cooperative_groups" else 1),
                tbs_per_sm=blocks, unsynchronized_ns_per_operation=500.0)
          for name, time in TREES for blocks in (1, 4)),
        *(point("barrier", name, time + 9, tbs_per_sm=4, ldst=1000) for name, time in TREES))


def test_time_per_operation_is_that_of_the_program_and_not_of_the_launch(tmp_path: Path) -> None:
    rows = point("mutex", "spin", 0.25) + point("mutex", "ticket", 0.5)
    del rows[1]["items_per_second"]
    (spin,) = sync_sweeps.measured(results_of(tmp_path, "mutex", rows[:1]))
    assert spin.time.median == pytest.approx(0.25e-6)
    with pytest.raises(UserError, match="ticket: a row without its operations per second"):
        sync_sweeps.measured(results_of(tmp_path, "mutex", rows))


def test_back_off_makes_a_variant_of_the_thesis_s_semaphores_alone(tmp_path: Path) -> None:
    points = sync_sweeps.measured(results_of(
        tmp_path, "semaphore", *(point("semaphore", name, 1.0, backoff=backoff)
                                 for name in ("spin", "priority_printed", "ticket")
                                 for backoff in ("no", "yes"))))
    assert list(points["variant"]) == ["spin", "spin_backoff", "priority_printed",
                                       "priority_printed_backoff", "ticket", "ticket"]
    locks = sync_sweeps.measured(results_of(tmp_path, "mutex", point("mutex", "spin", 1.0, backoff="yes")))
    assert locks.variants() == ["spin"]


def test_back_off_makes_a_variant_of_the_barriers_as_printed(tmp_path: Path) -> None:
    points = sync_sweeps.measured(results_of(
        tmp_path, "barrier", *(point("barrier", name, 1.0, backoff=backoff)
                               for name in ("atomic_tree", "atomic_tree_printed")
                               for backoff in ("no", "yes"))))
    assert list(points["variant"]) == ["atomic_tree", "atomic_tree", "atomic_tree_printed",
                                       "atomic_tree_printed_backoff"]


def test_grids_for_fewer_sms_and_smaller_blocks_are_settings_beside_the_main_one(tmp_path: Path) -> None:
    rows = [point("barrier", "sense_reversing", 1.0, tbs_per_sm=blocks, threads_per_block=threads,
                  of_sms=of_sms)
            for blocks in (1, 2) for threads, of_sms in ((32, "all"), (64, 20), (64, "all"))]
    for (row,) in rows:
        row["axes"]["sms"] = row["axes"].pop("of_sms")
    points = sync_sweeps.measured(results_of(tmp_path, "barrier", *rows))
    assert [sync_sweeps.words(which) for which in sync_sweeps.sweeps(points)] == [
        "32 threads, 10 loads and stores", "64 threads, 10 loads and stores",
        "64 threads, 10 loads and stores, blocks of 20 SMs"]
    found = sync_sweeps.main_sweep(points)
    assert found is not None
    assert sync_sweeps.words(found[0]) == "64 threads, 10 loads and stores"


def test_the_main_sweep_is_the_thesis_s_of_those_over_most_grids(tmp_path: Path) -> None:
    points = sync_sweeps.measured(results_of(
        tmp_path, "semaphore",
        *(point("semaphore", "spin", 1.0, tbs_per_sm=blocks, ldst=ldst, size=size)
          for blocks in (1, 2, 4) for ldst in (0, 10) for size in (1, 10)),
        *(point("semaphore", "spin", 1.0, tbs_per_sm=blocks, ldst=1000) for blocks in (1, 2))))
    found = sync_sweeps.main_sweep(points)
    assert found is not None
    assert sync_sweeps.words(found[0]) == "size 1, 64 threads, 10 loads and stores"
    assert len(found[1]) == 3
    assert sync_sweeps.main_sweep(points.none()) is None


def test_a_writer_that_grows_is_another_setting_than_one_that_does_not(tmp_path: Path) -> None:
    points = sync_sweeps.measured(results_of(
        tmp_path, "semaphore",
        *(point("semaphore", "spin_printed", 1.0, tbs_per_sm=blocks, writer="grows")
          for blocks in (1, 2, 4)),
        *(point("semaphore", "spin", 1.0, tbs_per_sm=blocks) for blocks in (1, 2)),
        point("semaphore", "spin", 1.0, tbs_per_sm=4, writer="fixed")))
    assert [sync_sweeps.words(which) for which in sync_sweeps.sweeps(points)] == [
        "size 1, 64 threads, 10 loads and stores",
        "size 1, growing writer, 64 threads, 10 loads and stores"]
    found = sync_sweeps.main_sweep(points)
    assert found is not None and found[1].variants() == ["spin_backoff"]


def test_semaphores_for_fewer_sms_are_beside_the_main_sweep(tmp_path: Path) -> None:
    rows = [point("semaphore", "spin_printed", 1.0, tbs_per_sm=blocks, writer="grows", of_sms=sms)
            for blocks in (1, 2) for sms in (20, "all")]
    for (row,) in rows:
        row["axes"]["sms"] = row["axes"].pop("of_sms")
    points = sync_sweeps.measured(results_of(tmp_path, "semaphore", *rows))
    assert [sync_sweeps.words(which).endswith("blocks of 20 SMs")
            for which in sync_sweeps.sweeps(points)] == [False, True]


def test_reasons_of_stalls_are_tabled_where_they_were_counted(tmp_path: Path) -> None:
    stalls = {"stalled_barrier_percent": 12.0, "stalled_membar_percent": 5.0, "stalled_sleeping_percent": 0.0}
    lines = tables_of(results_of(
        tmp_path, "semaphore_traffic",
        *(point("semaphore", "spin_printed", 1.0, tbs_per_sm=blocks, operations=1.0, **stalls)
          for blocks in (1, 2)),
        *(point("semaphore", "ticket", 1.0, tbs_per_sm=blocks, operations=1.0)
          for blocks in (1, 2))))
    rows = rows_below(lines, "Percent of the stalls")
    assert rows["spin_printed_backoff"] == ["12 / 5 / 0 / -"] * 2 and "ticket" not in rows
    assert "ticket" in rows_below(lines, "L2 sectors")


def test_fairness_is_tabled_and_what_is_missing_is_not_invented(tmp_path: Path) -> None:
    lines = tables_of(results_of(
        tmp_path, "mutex",
        *(point("mutex", "spin", 1.0, tbs_per_sm=blocks, acquisitions_gini=0.25,
                acquisitions_min=3.0, acquisitions_max=1200.0, wait_p99_ns=4500.0)
          for blocks in (1, 2)),
        point("mutex", "array", 1.0, tbs_per_sm=1, acquisitions_gini=0.0),
        point("mutex", "array", None, "hung", tbs_per_sm=2)))
    assert rows_below(lines, "Acquisitions per thread block") == {
        "thread blocks per SM": ["1", "2"], "---": ["---", "---"],
        "spin": ["3 to 1,200, 0.25, 4.5 us"] * 2, "array": ["- to -, 0.00, -", "hung"]}


def test_counts_are_per_barrier_of_all_blocks_and_per_entry_of_one(tmp_path: Path) -> None:
    counts = {"count_rmw_device_global": 300.0, "count_rmw_block_shared": 20.0,
              "count_fence_device": 80.0, "count_poll_global": 40.0}
    for program, cell in (("barrier", "64 / 16 / 8"), ("mutex", "8 / 2 / 1")):
        lines = tables_of(results_of(
            tmp_path, program, *(point(program, "spin", None, sms=4, tbs_per_sm=blocks, rounds=5,
                                       **counts) for blocks in (2, 4)), machine="host executor"))
        rows = rows_below(lines, f"Per {workload_named(program).operation}, counted on")
        assert rows["spin"][0] == cell
    left_open = [row for blocks in (2, 4) for row in point(
        "barrier", "cluster", None, sms=4, tbs_per_sm=blocks, rounds="auto", **counts)]
    unknown = tables_of(results_of(tmp_path, "barrier", left_open, machine="host executor"))
    assert rows_below(unknown, "Per barrier, ")["cluster"] == ["- / - / -"] * 2
    for row in left_open:
        row["effective"]["rounds"] = 20
    lines = tables_of(results_of(tmp_path, "barrier", left_open, machine="host executor"))
    assert rows_below(lines, "Per barrier, ")["cluster"] == ["16 / 4 / 2"] * 2
    for row in left_open:
        del row["effective"]["rounds"], row["axes"]["rounds"]
    with pytest.raises(UserError, match="cluster: counts per operation need rounds, and rows have"):
        tables_of(results_of(tmp_path, "barrier", left_open, machine="host executor"))


def test_the_winner_is_the_fastest_and_the_library_is_measured_against_it(tmp_path: Path) -> None:
    (field,) = fastest.fields(barriers_at(tmp_path))
    assert field.label == "64 threads, 10 loads and stores"
    assert field.winners == {
        1: Winner("cooperative_groups", pytest.approx(0.8), pytest.approx(1.0)),
        4: Winner("sense_reversing", pytest.approx(4.0), pytest.approx(1.6))}


def test_others_that_take_at_most_3_percent_longer_tie_with_the_winner(tmp_path: Path) -> None:
    (field,) = fastest.fields(results_of(tmp_path, "mutex", *(
        point("mutex", name, time, tbs_per_sm=blocks) for blocks in (1, 2)
        for name, time in (("array", 1.0), ("mcs", 1.02), ("ticket", 1.04)))))
    winner = field.winners[1]
    assert isinstance(winner, Winner) and (winner.variant, winner.ties) == ("array", ("mcs",))


def test_a_lock_that_carries_its_data_wins_in_a_row_of_its_own(tmp_path: Path) -> None:
    rows = [point("mutex", name, time, tbs_per_sm=blocks) for blocks in (1, 2)
            for name, time in (("array", 0.5), ("value_passing", 0.25), ("libcudacxx", 1.0))]
    general, small = fastest.fields(results_of(tmp_path, "mutex", *rows))
    assert general.winners[2] == Winner("array", pytest.approx(0.5), pytest.approx(2.0))
    assert small.winners[2] == Winner("value_passing", pytest.approx(0.25), pytest.approx(4.0))
    assert small.label.startswith("12 bytes of data at most")


def test_a_printed_form_is_not_named_the_fastest_where_ours_did_not_run(tmp_path: Path) -> None:
    (alone, both) = fastest.fields(results_of(tmp_path, "semaphore", *(
        point("semaphore", name, time, tbs_per_sm=blocks, writer=writer, backoff="no") for blocks in (1, 2)
        for name, time, writer in (("spin_printed", 1.0, "grows"), ("spin_printed", 1.0, "fixed"),
                                   ("ticket", 2.0, "fixed")))))[::-1]
    assert set(alone.winners.values()) == {fastest.NOT_OURS} and "growing writer" in alone.label
    assert [getattr(winner, "variant", winner) for winner in both.winners.values()] == ["spin_printed"] * 2


def test_the_plans_measure_what_the_figures_need() -> None:
    for program in PROGRAMS:
        plan = load_plan(ROOT / "workloads" / program / "plans" / "gpu.json")
        run = [({**own.options, **chosen}, own) for own in plan.points for chosen in own.combinations()]
        assert plan.program == program
        grids = {chosen["tbs-per-sm"] for chosen, _ in run}
        assert grids == {1, 2, 4, 8, 16, 32}
        assert {10, 100} <= {chosen["ldst"] for chosen, _ in run}
        chart = workload_named(program).chart
        assert chart and chart.library in {chosen["primitive"] for chosen, _ in run}
        if program == "semaphore":
            assert {chosen["size"] for chosen, _ in run} == {1, 10, 120}
        if program == "barrier":
            assert {64, 256, 1024} <= {chosen["threads-per-block"] for chosen, _ in run}
            assert any(own.tune for _, own in run)
        host = load_plan(ROOT / "workloads" / program / "plans" / "host.json")
        assert all(int(own.options["rounds"]) > 0 for own in host.points)


def test_rows_without_a_grid_are_no_points(tmp_path: Path) -> None:
    rows = point("barrier", "cluster", None, "error")
    del rows[0]["axes"]["tbs_per_sm"]
    results = results_of(tmp_path, "barrier", rows)
    assert sync_sweeps.measured(results).empty and tables_of(results) == []


def drawn_of(results: Results, name: str) -> Figure:
    (drawing,) = (drawing for drawing in workload_named(results.program).figures[results.kind] if drawing.name == name)
    figure = drawing.draw(results)
    assert figure is not None
    return figure


def test_one_program_alone_has_a_page_too(tmp_path: Path) -> None:
    only = load_results(synthetic.write(tmp_path / "mutex.json", synthetic_sync.mutexes()))
    words = " ".join(words_of(fastest_chart.draw([only])))
    assert "Which lock? µs per" in words and "Which barrier?" not in words


@pytest.mark.parametrize("ended", ["livelock", "hung", "timed out", "skipped", "error"])
@pytest.mark.parametrize("name", ["time", "section_length", "operation_counts", "fastest"])
def test_without_one_good_point_every_gap_is_marked(name: str, ended: str, tmp_path: Path) -> None:
    made = synthetic_sync.counts("semaphore") if name == "operation_counts" else synthetic_sync.semaphores()
    results = all_ended(made, ended, tmp_path)
    figure = fastest_chart.draw([results]) if name == "fastest" else drawn_of(results, name)
    assert ended in words_of(figure)


def test_a_timeout_hangs_from_the_top_and_a_skipped_point_stands_at_the_foot(tmp_path: Path) -> None:
    results = results_of(tmp_path, "barrier", *(
        point("barrier", "cluster", 1.0, ended, tbs_per_sm=blocks)
        for blocks, ended in ((1, "ok"), (2, "hung"), (4, "timed out"), (8, "skipped"))))
    figure = drawn_of(results, "time")
    heights = {note.get_text(): note.xy[1] for note in figure.axes[0].texts}
    assert heights == {"hung": 1, "timed out": 1, "skipped": 0}


def test_the_split_is_of_the_best_run_and_never_negative(tmp_path: Path) -> None:
    points = sync_sweeps.measured(results_of(
        tmp_path, "barrier", point("barrier", "cluster", 4.0, unsynchronized_ns_per_operation=1000.0),
        point("barrier", "autotuned", 2.0, unsynchronized_ns_per_operation=2500.0),
        point("barrier", "flat_counters", 2.0)))
    cluster, autotuned, flat_counters = map(points.of_primitives, ("cluster", "autotuned", "flat_counters"))
    assert sweeps.parts(cluster) == (pytest.approx(1.0), pytest.approx(3.0))
    assert sweeps.parts(autotuned) == (pytest.approx(2.0), 0.0)
    assert sweeps.parts(flat_counters) is None and sweeps.parts(points.none()) is None


@pytest.mark.parametrize(("unsynchronized", "is_drawn"), [(4.0, False), (1500.0, True)])
def test_a_split_whose_bars_all_say_100_percent_is_dropped(
        unsynchronized: float, is_drawn: bool, tmp_path: Path) -> None:
    results = results_of(tmp_path, "barrier", *(
        point("barrier", "autotuned", 3.0, tbs_per_sm=blocks,
              unsynchronized_ns_per_operation=unsynchronized) for blocks in (1, 2)))
    (drawing,) = (drawing for drawing in workload_named("barrier").figures["gpu"] if drawing.name == "overhead")
    assert (drawing.draw(results) is not None) == is_drawn


def test_of_many_locks_the_baselines_and_the_fastest_have_a_line(tmp_path: Path) -> None:
    names = ("spin", "libcudacxx", "tas", "tas_backoff", "ttas", "ticket", "mcs", "array", "anderson", "warp_combining")
    results = results_of(tmp_path, "mutex", *(
        point("mutex", name, 20.0 - place, tbs_per_sm=blocks)
        for place, name in enumerate(names) for blocks in (1, 2)))
    figure = drawn_of(results, "time")
    shown = figure.axes[0].get_legend_handles_labels()[1]
    assert len(shown) == 8
    hidden = [Styles("locks", program="mutex")[name].label for name in ("tas", "tas_backoff")]
    said = " ".join(words_of(figure))
    assert not {*hidden} & {*shown} and f"Left out, where no more could be told apart: {'; '.join(hidden)}." in said


def test_longer_sections_are_drawn_over_the_fastest_which_is_named_below(tmp_path: Path) -> None:
    results = results_of(tmp_path, "mutex", *(
        point("mutex", name, times[ldst], ldst=ldst)
        for name, times in (("array", {10: 2.0, 100: 8.0}), ("spin", {10: 6.0, 100: 8.0}))
        for ldst in (10, 100)))
    (panel,) = drawn_of(results, "section_length").axes
    assert {tuple(line.get_ydata()) for line in panel.lines if len(line.get_xdata()) > 1
            and line.get_linestyle() != "None"} == {(1.0, 1.0), (3.0, 1.0)}
    assert [label.get_text() for label in panel.get_xticklabels()] == ["10\n2.0 us", "100\n8.0 us"]


def test_a_gini_coefficient_of_zero_is_drawn(tmp_path: Path) -> None:
    results = results_of(tmp_path, "mutex", *(
        point("mutex", "array", 1.0, tbs_per_sm=blocks, acquisitions_gini=0.0,
              acquisitions_min=7.0, acquisitions_max=8.0, wait_p99_ns=900.0) for blocks in (1, 2)))
    figure = drawn_of(results, "fairness")
    assert [list(line.get_ydata()) for line in figure.axes[1].lines][0] == [0.0, 0.0]
    assert fairness.shares_of(sync_sweeps.measured(results).first()) == (7.0, 8.0)


def test_long_sections_are_no_part_of_the_graph_over_grids(tmp_path: Path) -> None:
    results = results_of(tmp_path, "mutex", *(
        point("mutex", "array", 1.0, tbs_per_sm=blocks, ldst=ldst)
        for blocks in (1, 2) for ldst in (10, 100)))
    assert len(drawn_of(results, "time").axes) == 1
    assert list(sweeps.families(sync_sweeps.measured(results))) == ["1 TB/SM", "2 TBs/SM"]


def test_longer_sections_of_a_growing_writer_have_panels_of_their_own(tmp_path: Path) -> None:
    results = results_of(tmp_path, "semaphore", *(
        point("semaphore", name, 1.0, ldst=ldst, writer=writer)
        for name, writer in (("spin", "fixed"), ("spin_printed", "grows")) for ldst in (10, 100)))
    found = sweeps.families(sync_sweeps.measured(results))
    assert [(title, points.variants()) for title, points in found.items()] == [
        ("1 TB/SM", ["spin_backoff"]), ("growing writer, 1 TB/SM", ["spin_printed_backoff"])]
