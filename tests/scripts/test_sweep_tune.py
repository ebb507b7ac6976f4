"""Entries of a plan that the program tunes: what is asked for, kept, and when it is done."""

from __future__ import annotations

import pytest
from finesync.results.loading import load_results
from finesync.sweep.plan import load_plan
from sweep_bench import Bench, one_line


def tuning_bench(bench: Bench, *primitives: str, tune: bool = True) -> Bench:
    """A bench with a GPU and a plan whose only entry is tuned."""
    bench.has_gpu()
    bench.plan(machine="gpu", tune=tune, together=["collision-factor"],
               axes={"primitive": list(primitives), "collision-factor": [32, 256]})
    return bench


def test_the_program_is_told_to_tune_and_not_given_the_axes(bench: Bench) -> None:
    tuning_bench(bench, "spin").run()
    assert bench.starts() == ["--primitive spin --collision-factor 32,256 --inserts 64 --tune "
                              "--benchmark_repetitions=2"]
    assert bench.ran() == [("spin", 32, 4), ("spin", 256, 4)]
    assert [run["command"][-2] for run in bench.merged()["context"]["sweep"]["runs"]] == ["--tune"]


@pytest.mark.parametrize("tune", [False, True])
def test_tuned_rows_can_be_told_from_others(bench: Bench, tune: bool) -> None:
    tuning_bench(bench, "spin", tune=tune).run()
    points = load_results(bench.out / "ht_small.json").points
    assert list(points["tuned"]) == [{"tbs_per_sm": 4} if tune else None] * 2
    assert not points["excluded"].any()


def test_tuned_points_are_kept_until_the_plan_says_otherwise(bench: Bench) -> None:
    tuning_bench(bench, "spin", "ticket").run()
    assert "2 of 2 points are done and kept" in bench.run().stdout
    assert len(bench.starts()) == 2
    tuning_bench(bench, "spin", "ticket", tune=False)
    assert "2 points run again: kept results were made by another command" in bench.run().stdout
    assert {row["axes"]["tbs_per_sm"] for row in bench.merged()["benchmarks"]} == {1}


def test_an_excluded_candidate_is_a_failure_beside_the_chosen_point(bench: Bench) -> None:
    tuning_bench(bench, "flaky").run(code=1)
    points = load_results(bench.out / "ht_small.json").points
    assert list(zip(points["status"], points["excluded"], points["tuned"])) == [
        ("wrong", True, None), ("ok", False, {"tbs_per_sm": 4})] * 2


def test_a_combination_with_nothing_but_excluded_candidates_is_an_error_row(bench: Bench) -> None:
    tuning_bench(bench, "stops").run(code=1)
    errors = [row for row in bench.merged()["benchmarks"] if row["status"] == "error"]
    assert [(row["axes"], row["tuned"]) for row in errors] == [
        ({"inserts": 64, "collision_factor": factor}, {"axes": {}, "candidates_tried": 0})
        for factor in (32, 256)]


def test_tune_on_the_host_is_one_clear_line(bench: Bench) -> None:
    bench.plan(tune=True)
    one_line(bench.run(code=2), "'tune' needs a GPU: the host executor measures no time")
    bench.plan(tune=False)
    assert not any(point.tune for point in load_plan(bench.plan_file).points)
