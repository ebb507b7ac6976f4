"""Barriers, mutexes and semaphores: what the tables, the winners and the claims say of rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import synthetic
from conftest import ROOT
from finesync.figures.report import tables_of
from finesync.papers.claims import ABSENT, claims_of
from finesync.results import fastest, sync_sweeps
from finesync.results.errors import UserError
from finesync.results.fastest import Winner
from finesync.results.loading import Results
from finesync.results.registry import workload_named
from finesync.sweep.plan import load_plan
from synthetic_sync import PROGRAMS, point
from tables import results_of, rows_below

TREES = (("atomic_tree", 2.0), ("sense_reversing", 1.0), ("cooperative_groups", 0.8))


def claims(*all_results: Results) -> dict[str, str]:
    tables = [table for own in claims_of(list(all_results)).values() for _, table in own]
    rows = rows_below(tables, "A different GPU: the thesis")
    return {claim: cells[1] for claim, cells in rows.items()}


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
    locks = sync_sweeps.measured(results_of(tmp_path, "mutex",
                                            point("mutex", "spin", 1.0, backoff="yes")))
    assert locks.variants() == ["spin"]


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


def test_a_lock_that_carries_its_data_wins_in_a_row_of_its_own(tmp_path: Path) -> None:
    rows = [point("mutex", name, time, tbs_per_sm=blocks) for blocks in (1, 2)
            for name, time in (("array", 0.5), ("value_passing", 0.25), ("libcudacxx", 1.0))]
    general, small = fastest.fields(results_of(tmp_path, "mutex", *rows))
    assert general.winners[2] == Winner("array", pytest.approx(0.5), pytest.approx(2.0))
    assert small.winners[2] == Winner("value_passing", pytest.approx(0.25), pytest.approx(4.0))
    assert small.label.startswith("12 bytes of data at most")


def test_claims_about_barriers_are_answered_from_the_rows(tmp_path: Path) -> None:
    counts = results_of(
        tmp_path, "barrier",
        *(point("barrier", name, None, tbs_per_sm=blocks, ldst=0, count_rmw_device_global=atomics)
          for name, atomics in (("atomic_tree", 400.0), ("sense_reversing", 120.0))
          for blocks in (1, 2)), machine="host executor")
    sectors = results_of(
        tmp_path, "barrier_traffic",
        *(point("barrier", name, 1.0, tbs_per_sm=blocks, operations=10.0,
                l2_sectors_atomic=atomics, l2_sectors_reduction=10.0)
          for name, atomics in (("atomic_tree", 990.0), ("sense_reversing", 90.0))
          for blocks in (1, 2)))
    found = claims(barriers_at(tmp_path), counts, sectors)
    assert found["SRB faster than the atomic tree"] == "50 % less time, 2.00x (at 1, 4 TBs/SM)"
    assert found["SRB slower than CCG with few blocks, faster with many (not on the GTX 1080)"] \
        == "0.80x as fast at 1 TB/SM, 1.60x as fast at 4 TBs/SM"
    # Of 2 and 1 us 0.5 are not synchronization; of 8 and 4 us neither.
    assert found["SRB spends less time in synchronization than the atomic tree"].startswith(
        f"{100 * ((1 - 0.5 / 1.5) + (1 - 3.5 / 7.5)) / 2:.0f} % less")
    assert found["SRB gains less over the atomic tree with longer sections"] == \
        "2.00x with 10, 1.10x with 1,000 (at 4 TBs/SM)"
    assert found["SRB needs fewer atomics per barrier than the atomic tree"] == \
        "90 % less (at 1, 2 TBs/SM), L2 sectors counted by ncu; " \
        "70 % less (at 1, 2 TBs/SM), operations counted on the host executor"
    assert claims_of([sectors]) == {}
    assert found["SRB faster than CCG at full occupancy in four applications"].startswith(
        "not measured")


def test_claims_about_semaphores_are_answered_where_both_finished(tmp_path: Path) -> None:
    def semaphore(name: str, time: float | None, blocks: int, **extra: Any) -> list[dict[str, Any]]:
        return point("semaphore", name, time, tbs_per_sm=blocks, unsynchronized_ns_per_operation=1000.0,
                     **extra)

    found = claims(results_of(
        tmp_path, "semaphore",
        semaphore("spin", 5.0, 1, backoff="no"), semaphore("priority", 2.0, 1, backoff="no"),
        semaphore("priority", 9.0, 2, backoff="no"), semaphore("spin", 2.5, 1, backoff="yes"),
        semaphore("priority", None, 4, ended="timed out", backoff="no"),
        semaphore("spin", None, 4, ended="hung", backoff="no"),
        semaphore("spin", None, 4, ended="livelock", backoff="yes"),
        semaphore("spin", None, 2, ended="timed out", backoff="yes"),
        semaphore("spin", None, 8, ended="timed out", backoff="yes", size=10)))
    assert found["priority faster than spin, size 1"] == "60 % less time, 2.50x (at 1 TB/SM)"
    assert found["priority faster than spin with back-off, size 1"] == \
        "20 % less time, 1.25x (at 1 TB/SM)"
    assert found["priority faster than spin, size 10"] == ABSENT
    assert found["spin livelocks above this number of TBs/SM"] == "size 1: at 4 TBs/SM"
    assert found["with back-off at the same points"] == \
        "size 1: at 4 TBs/SM; timed out, size 1: at 2 TBs/SM; timed out, size 10: at 8 TBs/SM"
    assert found["priority never livelocks"] == \
        "none in 2 points, up to 2 TBs/SM; timed out, size 1: at 4 TBs/SM"
    assert found["priority spends less time in synchronization than spin"] == \
        "75 % less (at 1 TB/SM)"
    assert next(cell for claim, cell in found.items() if claim.startswith("share of")) == \
        "80 % and 50 to 89 %"
    assert found["SRB faster than the atomic tree"] == ABSENT


def test_what_takes_longer_is_said_to_take_more(tmp_path: Path) -> None:
    found = claims(results_of(
        tmp_path, "semaphore", point("semaphore", "spin", 2.0, backoff="yes"),
        point("semaphore", "priority", 2.5, backoff="no"),
        *(point("semaphore", name, None, "hung", tbs_per_sm=2) for name in ("spin", "cas"))))
    assert found["priority faster than spin with back-off, size 1"] == \
        "25 % more time, 0.80x (at 1 TB/SM)"


def test_a_baseline_that_never_finishes_gives_its_word_and_no_number(tmp_path: Path) -> None:
    found = claims(results_of(
        tmp_path, "semaphore",
        *(point("semaphore", "spin", None, "hung", tbs_per_sm=blocks, backoff="no")
          for blocks in (1, 2)),
        *(point("semaphore", "priority", 1.0, tbs_per_sm=blocks, backoff="no")
          for blocks in (1, 2))))
    assert found["priority faster than spin, size 1"] == "spin: hung at all points"
    assert found["spin livelocks above this number of TBs/SM"] == "size 1: at 1, 2 TBs/SM"


def test_claims_name_both_gpus_and_what_was_not_measured(tmp_path: Path) -> None:
    (((_, table),),) = claims_of([barriers_at(tmp_path)]).values()
    text = "\n".join(table.lines)
    assert "A different GPU" in table.title and "Test GPU 9000" in table.title
    assert text.count(ABSENT) >= 10  # no semaphores, no counts: no numbers
    assert claims_of([]) == {}


def test_the_plans_measure_what_the_figures_need() -> None:
    for program in PROGRAMS:
        plan = load_plan(ROOT / "workloads" / program / "plans" / "gpu.json")
        run = [({**own.options, **chosen}, own) for own in plan.points
               for chosen in own.combinations()]
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
