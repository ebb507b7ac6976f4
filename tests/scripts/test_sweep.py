"""The sweep runner against a fake program: what it runs, keeps, and reports."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import synthetic
from finesync.results.loading import load_results
from finesync.sweep.plan import load_plan
from sweep_bench import FAKE, Bench, is_alive, one_line, wait_until


def rows_with(bench: Bench, status: str) -> list[dict[str, Any]]:
    return [row for row in bench.merged()["benchmarks"] if row["status"] == status]


def test_all_points_run_and_merge_in_the_order_of_the_plan(bench: Bench) -> None:
    bench.run()
    assert bench.ran() == [(primitive, factor, grid) for factor in (32, 256)
                           for primitive in ("spin", "ticket") for grid in (2, 4)]
    context = bench.merged()["context"]
    assert context["sweep"]["points_done"] == context["sweep"]["points_planned"] == 4
    assert context["sweep"]["runs"][0]["command"][:3] == ["ht", "--collision-factor", "32"]
    assert len(load_results(bench.out / "ht_small.json").rows) == 16


def test_finished_points_do_not_run_again(bench: Bench) -> None:
    bench.run()
    before = bench.starts()
    assert "4 of 4 points are done and kept" in bench.run().stdout
    assert bench.starts() == before
    bench.run("--fresh")
    assert len(bench.starts()) == 8


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_keeps_what_is_finished(bench: Bench, number: int, code: int) -> None:
    running = bench.start_and_hold_in_second_point()
    running.send_signal(number)
    _, errors = running.communicate(timeout=15)
    assert running.returncode == code
    assert errors.splitlines() == [f"stopped by {signal.Signals(number).name}: 1 of 4 points are "
                                   "finished and kept; run it again to go on"]
    assert not is_alive(bench.last_pid())
    assert bench.merged()["context"]["sweep"]["points_done"] == 1
    assert [path.suffix for path in bench.kept.iterdir()] == [".json"]

    bench.hold.unlink()
    bench.run()
    assert len(bench.starts()) == 5
    assert bench.merged()["context"]["sweep"]["points_done"] == 4


def test_kill_loses_only_the_running_point(bench: Bench) -> None:
    running = bench.start_and_hold_in_second_point()
    running.kill()
    running.communicate(timeout=15)
    wait_until(lambda: not is_alive(bench.last_pid()))
    # As if it had been killed in the midst of a write.
    for place in (bench.kept / ".entry.json.x_1", bench.out / ".ht_small.json.x_1"):
        place.write_text("{", encoding="utf-8")
    (bench.out / ".ht_other.json.x_1").touch()
    assert len(load_results(bench.out / "ht_small.json").rows) == 4

    bench.hold.unlink()
    assert "1 of 4 points are done and kept" in bench.run().stdout
    assert len(bench.starts()) == 5
    assert len(bench.ran()) == 8
    assert {path.suffix for path in bench.kept.iterdir()} == {".json"}
    assert {path.name for path in bench.out.iterdir() if path.is_file()} == {
        "ht_small.json", ".ht_other.json.x_1"}, "what another plan writes is its own"


def test_a_timeout_is_an_error_row_and_keeps_the_finished_combinations(bench: Bench) -> None:
    bench.plan(("hangs", "spin"), timeout_s=4)
    bench.run(code=1)
    assert len(bench.ran()) == 8
    assert [(row["axes"]["tbs_per_sm"], row["reason"]) for row in rows_with(bench, "error")] == [
        (4, "timed out after 4 s")] * 2
    assert not is_alive(bench.last_pid())


def test_a_crash_is_an_error_row_and_stops_nothing(bench: Bench) -> None:
    bench.plan(("crashes", "silent", "cut", "spin"))
    bench.run(code=1)
    reasons = {(row["primitive"], row["reason"]) for row in rows_with(bench, "error")}
    assert reasons == {
        ("crashes", "killed by SIGSEGV"),
        ("silent", "no row in its results (exit status 2: fake: out of luck)"),
        ("cut", "not valid JSON (ends too early: Expecting value) (exit status 2: fake: out of luck)")}
    assert len(bench.ran()) == 16
    assert len(load_results(bench.out / "ht_small.json").rows) == 2 * (2 + 1 + 2 + 2 + 4)


def test_after_an_error_that_loses_the_gpu_another_process_goes_on(bench: Bench) -> None:
    bench.plan(("poisons", "spin"))
    bench.run(code=1)
    assert [(row["primitive"], row["axes"]["tbs_per_sm"], row["reason"])
            for row in rows_with(bench, "error")] == [("poisons", 2, "a error")] * 2
    assert len(rows_with(bench, "ok")) == 2 * (1 + 2) * 3
    assert sum("poisons" in start and "--benchmark_filter=-^(ht/poisons/" in start for start in bench.starts()) == 2
    bench.run(code=1)
    assert len(bench.starts()) == 6


def test_rows_that_are_declared_to_be_wrong_are_no_failures(bench: Bench) -> None:
    bench.plan(("unsound", "spin"))
    assert "2 declared_wrong" in bench.run().stdout
    assert list(load_results(bench.out / "ht_small.json").points.select(
        primitive="unsound")["ended"]) == ["wrong, as declared"] * 4


def test_a_program_killed_inside_a_write_keeps_the_combinations_before(bench: Bench) -> None:
    bench.plan(("torn", "spin"))
    bench.run(code=1)
    assert len(bench.ran()) == 8
    assert [(row["axes"]["tbs_per_sm"], row["reason"]) for row in rows_with(bench, "error")] == [
        (4, "killed by SIGKILL")] * 2
    assert len(rows_with(bench, "ok")) == 2 * (1 + 2) * 3


def test_results_of_another_form_are_error_rows_that_say_what_is_wrong(bench: Bench) -> None:
    bench.plan(("garbled", "spin"))
    bench.run(code=1)
    assert {row["reason"] for row in rows_with(bench, "error")} == {
        "not a finesync results file at benchmarks[0].effective.padded: True is not of type 'integer', "
        "'string'"}
    assert len(rows_with(bench, "ok")) == 12


def test_errors_run_again_only_when_asked(bench: Bench) -> None:
    bench.plan(("crashes", "spin"))  # one combination of two is an error
    bench.run(code=1)
    bench.run(code=1)
    assert len(bench.starts()) == 4
    bench.run("--retry-errors", code=1)
    assert len(bench.starts()) == 6


def test_an_axis_that_a_primitive_has_not_got_is_missing_from_its_rows(bench: Bench) -> None:
    bench.plan(("plain", "spin"), together=["backoff", "tbs-per-sm"],
               axes={"primitive": ["plain", "spin"], "backoff": ["no", "yes"], "tbs-per-sm": [2, 4]})
    bench.run()
    assert [(row["primitive"], row["axes"]["tbs_per_sm"], row["axes"].get("backoff"))
            for row in bench.merged()["benchmarks"] if row.get("repetition_index") == 0] == [
        ("plain", 2, None), ("plain", 4, None),
        *(("spin", grid, backoff) for backoff in ("no", "yes") for grid in (2, 4))]


def test_what_the_program_s_watchdog_ended_is_a_result(bench: Bench) -> None:
    bench.plan(("hung",))
    assert "4 timeout" in bench.run().stdout
    assert "2 of 2 points are done and kept" in bench.run("--retry-errors").stdout


def test_livelocks_are_results_and_wrong_rows_are_failures(bench: Bench) -> None:
    bench.plan(("livelocks",))
    assert "rows: 4 livelock" in bench.run().stdout
    bench.plan(("livelocks", "wrong"))
    assert "4 wrong" in bench.run(code=1).stdout


def test_a_program_of_the_other_machine_is_an_error(bench: Bench) -> None:
    bench.plan(("elsewhere",))
    bench.run(code=1)
    assert {row["reason"] for row in rows_with(bench, "error")} == {
        "it ran on the gpu, the plan wants the host executor"}


def test_the_time_budget_ends_the_sweep_and_is_resumable(bench: Bench) -> None:
    bench.plan(("slow", "spin"))
    done = bench.run("--time-budget", "0.3s", code=3)
    assert "3 of 4 points left" in done.stdout
    assert len(list(bench.kept.glob("*.json"))) == 1
    bench.run()
    assert len(bench.starts()) == 4


def test_the_time_budget_holds_for_parallel_points(bench: Bench) -> None:
    bench.plan(("slow", "slower"))
    done = bench.run("--time-budget", "0.3s", "--jobs", "2", code=3)
    assert "2 of 4 points left" in done.stdout


def test_shards_are_a_partition_and_merge(bench: Bench) -> None:
    names: list[str] = []
    for index in (1, 2, 3):
        listed = bench.run("--shard", f"{index}/3", "--list").stdout.splitlines()
        names += [line.split("\t")[0] for line in listed]
    assert sorted(names) == sorted(point.name for point in load_plan(bench.plan_file).points)
    assert not bench.starts()

    bench.run("--shard", "1/2")
    bench.kept.joinpath("entry,collision-factor=32,primitive=spin.json").write_text("{", encoding="utf-8")
    left = bench.run("--merge-only", code=3).stdout.splitlines()
    assert left[:3] == [f"{bench.out}: entry,collision-factor={where} is missing: {why}" for where, why in (
        ("32,primitive=spin", "kept results cannot be used: not valid JSON (ends too early: Expecting "
                              "property name enclosed in double quotes)"),
        ("32,primitive=ticket", "not run yet"), ("256,primitive=ticket", "not run yet"))]
    assert left[-1] == "1 of 4 points merged"
    bench.run("--shard", "1/2")
    elsewhere = Path(str(bench.out) + "2")
    subprocess.run([*bench.command("--shard", "2/2"), "--out", str(elsewhere)], check=True, stdout=subprocess.DEVNULL)
    for path in (elsewhere / "points" / "ht_small").iterdir():
        shutil.copy(path, bench.kept)
    bench.run("--merge-only")
    assert len(bench.ran()) == 8
    assert len(bench.starts()) == 5
    bench.plan(repetitions=3)
    one_line(bench.run("--merge-only", code=2), "no finished points to merge; "
             "entry,collision-factor=32,primitive=spin: kept results were made by another command")


def test_only_the_points_that_are_named_run(bench: Bench) -> None:
    assert len(bench.run("--only", "entry", "--list").stdout.splitlines()) == 4
    bench.run("--only", "entry,primitive=spin,collision-factor=256", "--only",
              "entry,primitive=ticket,tbs-per-sm=4,collision-factor=32")
    # An axis that one process runs together is run whole.
    assert bench.ran() == [("ticket", 32, 2), ("ticket", 32, 4), ("spin", 256, 2), ("spin", 256, 4)]
    one_line(bench.run("--only", "entry,primitive=none", code=2),
             f"{bench.plan_file}: no point matches 'entry,primitive=none'")
    assert len(bench.starts()) == 2


def test_jobs_do_not_change_the_results(bench: Bench) -> None:
    bench.plan(("slow", "spin"))
    bench.run("--jobs", "3")
    parallel = bench.merged()["benchmarks"]
    bench.run("--fresh")
    assert bench.merged()["benchmarks"] == parallel


def test_a_changed_plan_or_program_runs_again_and_says_so(bench: Bench) -> None:
    bench.run()
    bench.plan(repetitions=3)
    done = bench.run("--time-budget", "0s", code=3)
    assert "4 points run again: kept results were made by another command" in done.stdout
    bench.run()
    assert len(bench.starts()) == 8
    assert {row["repetitions"] for row in bench.merged()["benchmarks"]} == {3}

    bench.program.unlink()
    bench.program.write_text(FAKE.read_text(encoding="utf-8").replace(
        "Path(os.path.realpath(__file__)).parent", repr(str(FAKE.parent))), encoding="utf-8")
    bench.program.chmod(0o755)
    assert "another build of ht" in bench.run().stdout
    assert len(bench.starts()) == 12


def test_an_interrupted_second_run_keeps_the_first_one_whole(bench: Bench) -> None:
    bench.plan(("slow", "spin"))
    bench.run()
    whole = bench.ran()
    running = subprocess.Popen(bench.command("--fresh"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(bench.starts()) == 7)
    running.terminate()
    running.wait(timeout=15)
    assert bench.ran() == whole


def test_points_of_two_gpus_are_not_merged(bench: Bench) -> None:
    bench.run()
    with synthetic.changed(next(bench.kept.glob("*.json"))) as document:
        document["context"]["finesync"]["gpu"]["name"] = "Another GPU"
    before = bench.merged()
    one_line(bench.run("--merge-only", code=2), "points of different GPUs (Another GPU, host executor (small))")
    assert bench.merged() == before


def test_a_second_sweep_of_one_plan_in_one_folder_is_refused(bench: Bench) -> None:
    running = bench.start_and_hold_in_second_point()
    for option in ((), ("--merge-only",)):
        one_line(bench.run(*option, code=2), f"{bench.kept}: another run is under way there")
    assert "held" in bench.run("--list").stdout
    bench.hold.unlink()
    assert running.wait(timeout=15) == 0
    running.communicate()
    bench.run()
    assert len(bench.starts()) == 4
    assert len(bench.ran()) == 8


def test_a_killed_sweep_keeps_nobody_out(bench: Bench) -> None:
    """Random moments and signals: nothing is lost, doubled, or left locked."""
    moments = random.Random(20)
    bench.plan(("spin", "ticket", "slow"))
    bench.run()
    undisturbed = bench.merged()["benchmarks"]
    bench.run("--fresh", "--time-budget", "0s", code=3)
    shutil.rmtree(bench.out)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL) * 2:
        running = subprocess.Popen(bench.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0.2, 1.5))
        running.send_signal(number)
        running.wait(timeout=15)
    bench.run()
    assert bench.merged()["benchmarks"] == undisturbed
    assert {path.suffix for path in bench.kept.iterdir()} == {".json"}


def test_kept_results_of_another_schema_run_again_and_that_is_said(bench: Bench) -> None:
    bench.run()
    with synthetic.changed(next(bench.kept.glob("*.json"))) as document:
        document["context"]["finesync"]["schema_version"] = 4
    assert "3 of 4 points merged" in bench.run("--merge-only", code=3).stdout
    assert "1 points run again: kept results cannot be used: results of schema 4" in bench.run().stdout
    assert len(bench.starts()) == 5


def test_a_merge_of_wrong_rows_is_a_failure(bench: Bench) -> None:
    bench.plan(("wrong", "spin"))
    bench.run(code=1)
    assert "4 of 4 points merged" in bench.run("--merge-only", code=1).stdout
