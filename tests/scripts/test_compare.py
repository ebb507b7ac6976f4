"""Whether two runs differ: what chance does is no change, and what is no chance is one."""

from __future__ import annotations

import copy
import itertools
import re
from pathlib import Path
from typing import Any

import compare
import export
import numpy as np
import pandas as pd
import pytest
import synthetic
from finesync.compare import circumstances, significance
from finesync.compare.significance import (discoveries, own_deviation, p_values, p_values_of_pairs)
from finesync.results.errors import UserError
from tables import results_of

LOCKS = [f"lock_{number}" for number in range(30)]
GRIDS = range(1, 11)
Document = dict[str, Any]
POINT = synthetic.point("spin", {"tbs_per_sm": 1}, [10.0, 11.0, 12.0])


def run(seed: int, scale: float = 1.0, repetitions: int = 10,
        scaled: tuple[str, ...] = tuple(LOCKS), **changes: Any) -> Document:
    """A run of 300 points, as of `mutex`: noise of half to two percent, and some outliers."""
    random = np.random.default_rng(seed)
    rows: synthetic.Rows = []
    for number, (lock, grid) in enumerate(itertools.product(LOCKS, GRIDS)):
        times = 5.0 * (1 + number) * (1 + random.normal(0, 0.005 + 0.00005 * number, repetitions))
        times *= np.where(random.random(repetitions) < 0.03, 1.3, 1)
        times *= scale if lock in scaled else 1
        rows += synthetic.point(lock, {"tbs_per_sm": grid}, times.tolist())
    return {"context": synthetic.context(program="mutex", **changes), "benchmarks": rows}


def few(seed: int = 1, scale: float = 1.0, **changes: Any) -> Document:
    """The first 4 points of such a run."""
    whole = run(seed, scale, **changes)
    return {**whole, "benchmarks": whole["benchmarks"][:40]}


def compared(folder: Path, a: Document, b: Document, *options: str) -> tuple[int, pd.DataFrame]:
    """The exit status and the exported table."""
    synthetic.write(folder / "a.json", a)
    synthetic.write(folder / "b.json", b)
    status = compare.main([str(folder / "a.json"), str(folder / "b.json"), "--csv", str(folder / "t.csv"), *options])
    return status, pd.read_csv(folder / "t.csv")


def test_chance_is_no_change(tmp_path: Path) -> None:
    called = 0
    for seed in range(2):
        _, table = compared(tmp_path, run(2 * seed), run(2 * seed + 1))
        called += int((table["verdict"] != "unchanged").sum())
    assert called <= 0.01 * 2 * len(LOCKS) * len(GRIDS)


@pytest.mark.parametrize("repetitions", [5, 10])
def test_five_percent_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str], repetitions: int) -> None:
    status, table = compared(tmp_path, run(1, repetitions=repetitions), run(2, 0.95, repetitions=repetitions))
    assert status == 1
    assert (table["verdict"] == "faster").mean() > 0.9
    assert not (table["verdict"] == "slower").any()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= compare.MOST_LINES
    assert lines[-1].startswith("Changed: of 300 points ")
    assert any("median ratio 0.95" in line for line in lines)
    times = {word for line in lines if " -> " in line for word in re.findall(r"-> (\S+ \w+)", line)}
    assert times and not {time for time in times if not re.fullmatch(r"[\d.]{1,6} (s|ms|us)", time)}


def test_one_changed_lock_is_found_among_others(tmp_path: Path) -> None:
    status, table = compared(tmp_path, run(1, repetitions=5), run(2, 1.2, repetitions=5, scaled=("lock_3",)))
    changed = table[table["verdict"] != "unchanged"]
    assert status == 1
    assert (changed["primitive"] == "lock_3").sum() >= 8
    assert (changed["primitive"] != "lock_3").sum() <= 1


def test_a_difference_below_the_least_is_none(tmp_path: Path) -> None:
    a = {"context": synthetic.context(program="mutex"), "benchmarks": [
        row for grid in GRIDS for row in synthetic.point(
            "spin", {"tbs_per_sm": grid}, [10 + 0.001 * one for one in range(10)])]}
    b = copy.deepcopy(a)
    for row in b["benchmarks"]:
        row["real_time"] *= 1.008
    assert compared(tmp_path, a, b)[0] == 0
    assert compared(tmp_path, a, b, "--least", "0.5")[0] == 1


def test_a_status_that_changed_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    b = few(2, 0.5)
    b["benchmarks"][:10] = synthetic.point("lock_0", {"tbs_per_sm": 1}, ended="wrong")
    status, _ = compared(tmp_path, few(), b)
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert (status, shown[0]) == (1, "  ok -> wrong  mutex,primitive=lock_0,tbs-per-sm=1")


def test_points_of_one_run_are_named_and_are_no_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both, one = few(), few()
    del one["benchmarks"][:10]
    for side, a, b in (("A", both, one), ("B", one, both)):
        status, table = compared(tmp_path, a, b)
        assert (status, len(table)) == (0, 3)
        assert [line for line in capsys.readouterr().out.splitlines() if "only in" in line] == [
            f"only in {side}: 1 point: mutex,primitive=lock_0,tbs-per-sm=1"]


def test_tuned_points_are_matched_by_what_was_asked(tmp_path: Path) -> None:
    documents = []
    for grid in (2, 4):
        rows = synthetic.point("spin", {"tbs_per_sm": grid, "ldst": 0}, [10.0, 10.1, 10.2])
        for row in rows:
            row["tuned"] = {"axes": {"tbs_per_sm": grid}, "candidates_tried": 2}
        # Only the first run has a candidate that failed.
        failed = synthetic.point("spin", {"tbs_per_sm": 8, "ldst": 0}, ended="wrong")
        rows += [{**failed[0], "tuned": rows[0]["tuned"], "excluded_candidate": True}] * (grid == 2)
        documents.append({"context": synthetic.context(program="mutex"), "benchmarks": rows})
    status, table = compared(tmp_path, *documents)
    assert (status, len(table), list(table["tuned"])) == (0, 1, ["yes"])


def test_each_circumstance_is_named(tmp_path: Path) -> None:
    gpu = {"driver_version": "1.2", "cuda_driver_api": "12.9", "runtime": "12.8",
           "uuid": "GPU-11111111-2", "power_limit_w": 350.0, "ecc": "Disabled", "mig": "Enabled",
           "persistence": "Enabled", "clock_khz": 1000}
    own = {"build_type": "Debug", "compiler": "GNU 9", "cuda_compiler": "NVIDIA 12",
           "machine_settings": {"sm": "80", "x": "y"}}
    a, b = (results_of(tmp_path, "mutex", POINT, **changes)
            for changes in ({}, {**own, "gpu": {**synthetic.GPU, **gpu}}))
    assert circumstances.differences([a], [b]) == [
        "driver 580.1 | 1.2", "CUDA driver API 13.0 | 12.9", "runtime 13.0 | 12.8",
        "card GPU-00010203 | GPU-11111111", "power limit (W) 700.0 | 350.0", "ECC unknown | Disabled",
        "MIG unknown | Enabled", "persistence unknown | Enabled", "highest clock (kHz) 1980000 | 1000",
        "build type unknown | Debug", "compiler unknown | GNU 9", "CUDA compiler unknown | NVIDIA 12",
        "machine settings unknown | sm=80 x=y"]
    assert circumstances.differences([b], [b]) == []


def test_what_slowed_a_run_its_clocks_and_its_days_are_named(tmp_path: Path) -> None:
    slowed = [{**row, "sm_clock_mhz": 1500 + 100 * row["repetition_index"], "power_capped": True,
               "throttled": {"by": ["heat"], "samples": 1, "kept": True}} for row in POINT]
    a, b = results_of(tmp_path, "mutex", POINT), results_of(tmp_path, "mutex", slowed)
    later = results_of(tmp_path, "mutex", POINT, date="2025-02-03T01:00:00", git_revision="f" * 40)
    assert circumstances.differences([a], [b]) == [
        "median SM clock (MHz) unknown | 1600", "slowed by nothing | heat, power cap"]
    assert circumstances.described([later, a]) == (
        "Test GPU 9000, revision 012345678, fffffffff, 2025-01-02 to 2025-02-03")


def test_folders_are_matched_by_file_name(
        tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "MOST_LINES", 6)
    for folder, names in (("a", ["x", "yy"]), ("b", ["x"])):
        for name in names:
            synthetic.write(tmp_path / folder / f"{name}.json", few(len(name)))
    assert compare.main([str(tmp_path / "a"), str(tmp_path / "b"), "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "only in A: 1 file: yy" in lines
    assert len(lines) == 9 and not any("more" in line for line in lines)
    assert compare.main([str(tmp_path / "a"), str(tmp_path / "b"), "--only", "mutex,tbs-per-sm=1"]) == 0
    assert "mutex: 1 point: " in capsys.readouterr().out


@pytest.mark.parametrize(("change", "options", "said"), [
    ({"gpu": {**synthetic.GPU, "name": "Other"}}, [], "--across-gpus compares them"),
    ({"program": "barrier"}, [], "measured with mutex on gpu"),
    ({}, ["--only", "mutex,primitive=nothing"], "no point matches 'mutex,primitive=nothing'")])
def test_what_cannot_be_compared_is_one_line(tmp_path: Path, change: dict[str, Any],
                                             options: list[str], said: str) -> None:
    b = few()
    b["context"]["finesync"].update(change)
    with pytest.raises(compare.UserError, match=said):
        compared(tmp_path, few(), b, *options)
    if "gpu" in change:
        assert compared(tmp_path, few(), b, "--across-gpus")[0] == 0


def timed(times: list[float], **fields: Any) -> Document:
    rows = [{**row, **fields} for row in synthetic.point("spin", {"tbs_per_sm": 1}, times)]
    return {"context": synthetic.context(program="mutex"), "benchmarks": rows}


@pytest.mark.parametrize(("a", "b", "ratio", "threshold", "verdict"), [
    ([10, 10, 10], [11, 11, 11], 1.1, 0.01, "slower"),
    ([10, 10, 10], [9, 9, 9], 0.9, 0.01, "faster"),
    ([9, 10, 11], [10.4, 10.4, 10.4], 1.04, 0.05, "unchanged"),
    ([10, 10, 10], [9, 10.4, 10.8], 1.04, 0.9 / 2 / 10.4, "unchanged"),
    ([9, 10, 11], [19, 20, 22], 2.0, 0.05, "slower"),
    ([10, 10], [20, 20], 2.0, 0.01, "untested"),
    ([10, 10, 10], [20, 20], 2.0, 0.01, "untested")])
def test_a_change_is_larger_than_either_spread(
        tmp_path: Path, a: list[float], b: list[float], ratio: float, threshold: float, verdict: str
        ) -> None:
    _, table = compared(tmp_path, timed(a), timed(b), "--level", "0.2")
    found = table.iloc[0]
    assert found["ratio"] == pytest.approx(ratio) and found["verdict"] == verdict
    assert found["threshold"] == pytest.approx(threshold)
    assert (found["repetitions_a"], found["repetitions_b"]) == (len(a), len(b))
    assert table.columns[0] == "program"


def test_runs_in_turns_are_compared_turn_by_turn(tmp_path: Path) -> None:
    """By the median ratio and its spread, wherever the rows stand; not by those of the times."""
    a, b = timed([10, 20, 40], interleaved="x"), timed([11, 22, 48], interleaved="x")
    b["benchmarks"].reverse()
    _, table = compared(tmp_path, a, b)
    assert table["ratio"][0] == pytest.approx(1.1)
    assert table["threshold"][0] == pytest.approx(0.05 / 2 / 1.1) and table["paired"][0]
    for other in (timed([11, 22, 48], interleaved="y"), timed([11, 22], interleaved="x")):
        assert not compared(tmp_path, a, other)[1]["paired"][0]


@pytest.mark.parametrize("test", [p_values, p_values_of_pairs])
def test_p_is_a_share_of_ratios(test: Any) -> None:
    """Of times of any size the same, and never 0; 1 if nothing differs."""
    a, b = np.random.default_rng(2).normal(100, 5, (2, 40, 6))
    scales = np.logspace(-9, 2, 40)[:, None]
    assert test(a, b, 0.1) == pytest.approx(test(a * scales, b * scales, 0.1))
    assert test(a, a[:, ::-1] * 0 + a, 0.1) == pytest.approx(np.ones(40))
    # All divisions into mixed halves: 3 of 3 twice, or 2 of 4.
    few = [[1.0, 1.01, 1.02]] if test is p_values else [[1.0, 1.01, 1.02, 1.03]]
    least = {p_values: 1 / 10, p_values_of_pairs: 1 / 7}[test]
    assert test(np.array(few), 2 * np.array(few), 0.01) == pytest.approx([least])


def test_an_outlier_neither_makes_a_difference_nor_hides_one() -> None:
    assert [float(own[0]) for own in significance._trimmed(np.array([[1.0, 2, 100, 3, 4]]))] == [
        3.0, pytest.approx(4 / (3 * 2))]
    assert [float(own[0]) for own in significance._trimmed(np.array([[1.0, 3, 2, 6]]))] == [
        3.0, pytest.approx(14 / (4 * 3))]
    assert own_deviation(np.array([1.0, 2, 3, 4, 100])) == pytest.approx(1 / 3)


@pytest.mark.parametrize(("rows", "said"), [
    ([0] * 10, "repetition 0 of mutex,primitive=spin,tbs-per-sm=1 is there 10 times"),
    ([0, 1, 2, 0, 1, 2], "repetition 0 of .* is there 2 times")])
def test_one_run_that_is_there_several_times_is_refused(tmp_path: Path, rows: list[int], said: str) -> None:
    again = timed([10.0 + one for one in range(len(rows))])
    for row, number in zip(again["benchmarks"], rows):
        row["repetition_index"] = number
    for sides in ((again, few()), (few(), again)):
        with pytest.raises(UserError, match=said):
            compared(tmp_path, *sides)
    # Overlapping entries of a plan measure a point as often; others do not.
    own = ["mutex", "--primitive", "spin,tas", "--tbs-per-sm", "1,2"]
    for command, refused in ((own, False), ([*own[:3], "--tbs-per-sm", "2,4"], True),
                             (["mutex", "--primitive", "tas"], True)):
        again["context"]["sweep"] = {"runs": [{"point": "a", "command": command}] * len(rows)}
        if refused:
            with pytest.raises(UserError, match=said):
                compared(tmp_path, again, again)
        else:
            assert compared(tmp_path, again, again)[0] == 0
    for name in ("a/x", "a/y", "b/x", "b/y"):
        synthetic.write(tmp_path / f"{name}.json", timed([10, 11, 12]))
    with pytest.raises(UserError, match=r"x.json and .*y.json have the same run of mutex,primitive"):
        compare.main([str(tmp_path / "a"), str(tmp_path / "b")])


def test_numbers_of_any_size_are_printed_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compared(tmp_path, timed([1e-3] * 3), timed([1e300] * 3), "--all")
    lines = [line for line in capsys.readouterr().out.splitlines() if line[:2] not in ("A:", "B:")]
    assert len(lines) >= 2 and max(map(len, lines)) < 120


@pytest.mark.parametrize("place", ["none/t.csv", ".", "/dev/full"])
def test_a_table_that_cannot_be_written_is_named(tmp_path: Path, place: str) -> None:
    a = str(synthetic.write(tmp_path / "a.json", timed([10, 11, 12])))
    for command in (lambda: compare.main([a, a, "--csv", str(tmp_path / place)]),
                    lambda: export.main([a, "--csv", str(tmp_path / place)])):
        with pytest.raises(UserError, match=f"{tmp_path / place}: cannot write "):
            command()


@pytest.mark.parametrize(("a", "b", "said"), [
    ("a", "a/x.json", "one is a folder"), ("a", "other", "no file of the same name"),
    ("a", "none", "no results files"), ("a", "twice", "x.json.gz have one name: keep one of them")])
def test_folders_without_pairs_are_one_line(tmp_path: Path, a: str, b: str, said: str) -> None:
    for name in ("a/x.json", "other/y.json", "none/x.txt", "twice/x.json", "twice/x.json.gz"):
        synthetic.write(tmp_path / name, timed([10.0]))
    for one, other in ((a, b), (b, a)):
        with pytest.raises(UserError, match=said):
            compare.main([str(tmp_path / one), str(tmp_path / other)])


def test_false_discoveries_are_bounded() -> None:
    found = discoveries(np.array([0.04, 0.03, 0.035, 0.05]), 0.05)
    assert found.all(), "the largest that is small enough counts, not the first that is not"
    assert discoveries(np.array([0.001, 0.03, 0.5, 0.9]), 0.01).tolist() == [True] + [False] * 3
    assert not discoveries(np.array([0.009] + [0.5] * 99), 0.01).any()


def test_p_is_small_only_where_runs_are_apart() -> None:
    random = np.random.default_rng(5)
    a, b = random.normal(100, 1, (2, 200, 5))
    b[0] *= 1.2
    p = p_values(a, b, 0.01)
    assert p[0] < 1e-3
    assert 0.4 < p[1:].mean() < 0.6


def test_points_without_repetitions_are_untested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, table = compared(tmp_path, few(repetitions=2), few(2, 2.0, repetitions=2))
    assert (status, set(table["verdict"])) == (0, {"untested"})
    assert "20 with too few repetitions could not be tested" in capsys.readouterr().out


def test_an_axis_that_programs_got_later_tells_no_points_apart(tmp_path: Path) -> None:
    later, other = few(2), few(3)
    for document, sms in ((later, "all"), (other, 28)):
        for row in document["benchmarks"]:
            row["axes"]["sms"] = sms
    assert len(compared(tmp_path, few(), later)[1]) == 4
    with pytest.raises(UserError, match="no point in common"):
        compared(tmp_path, few(), other)
