"""Whether two runs differ: what chance does is no change, and what is no chance is one."""

from __future__ import annotations

import copy
import itertools
import re
from pathlib import Path
from typing import Any

import compare
import numpy as np
import pandas as pd
import pytest
import synthetic
from finesync.compare.significance import discoveries, p_values
from finesync.results.errors import UserError

LOCKS = [f"lock_{number}" for number in range(30)]
GRIDS = range(1, 11)
Document = dict[str, Any]


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


def compared(folder: Path, a: Document, b: Document, *options: str) -> tuple[int, pd.DataFrame]:
    """The exit status and the exported table."""
    synthetic.write(folder / "a.json", a)
    synthetic.write(folder / "b.json", b)
    status = compare.main([str(folder / "a.json"), str(folder / "b.json"),
                           "--csv", str(folder / "t.csv"), *options])
    return status, pd.read_csv(folder / "t.csv")


def test_chance_is_no_change(tmp_path: Path) -> None:
    called = 0
    for seed in range(6):
        _, table = compared(tmp_path, run(2 * seed), run(2 * seed + 1))
        called += int((table["verdict"] != "unchanged").sum())
    assert called <= 0.01 * 6 * len(LOCKS) * len(GRIDS)


@pytest.mark.parametrize("repetitions", [5, 10])
def test_five_percent_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                repetitions: int) -> None:
    status, table = compared(tmp_path, run(1, repetitions=repetitions),
                             run(2, 0.95, repetitions=repetitions))
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
    status, table = compared(tmp_path, run(1, repetitions=5),
                             run(2, 1.2, repetitions=5, scaled=("lock_3",)))
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


def test_a_status_that_changed_comes_first(tmp_path: Path,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    b = run(2, 0.5)
    b["benchmarks"][:10] = synthetic.point("lock_0", {"tbs_per_sm": 1}, ended="wrong")
    status, _ = compared(tmp_path, run(1), b)
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert (status, shown[0]) == (1, "  ok -> wrong  mutex,primitive=lock_0,tbs-per-sm=1")


def test_points_of_one_run_are_named_and_are_no_change(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    b = run(1)
    del b["benchmarks"][:10]
    status, table = compared(tmp_path, run(1), b)
    assert (status, len(table)) == (0, 299)
    assert ("only in A: 1 point: mutex,primitive=lock_0,tbs-per-sm=1"
            in capsys.readouterr().out.splitlines())


def test_tuned_points_are_matched_by_what_was_asked(tmp_path: Path) -> None:
    documents = []
    for grid in (2, 4):
        rows = synthetic.point("spin", {"tbs_per_sm": grid, "ldst": 0}, [10.0, 10.1, 10.2])
        for row in rows:
            row["tuned"] = {"axes": {"tbs_per_sm": grid}, "candidates_tried": 2}
        documents.append({"context": synthetic.context(program="mutex"), "benchmarks": rows})
    status, table = compared(tmp_path, *documents)
    assert (status, len(table), list(table["tuned"])) == (0, 1, ["yes"])


def test_other_circumstances_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = run(1), run(1, build_type="Debug", git_dirty=True,
                       gpu={**synthetic.GPU, "driver_version": "580.2"})
    b["context"]["sweep"] = {"runs": [{"sm_clock_mhz": {"median": 1700}}]}
    compared(tmp_path, a, b)
    said = capsys.readouterr().out
    for part in ("driver 580.1 | 580.2", "build type unknown | Debug", "(dirty)",
                 "median SM clock (MHz) unknown | 1700"):
        assert part in said.replace("\n", " ")


def test_folders_are_matched_by_file_name(tmp_path: Path,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    for folder, names in (("a", ["x", "y"]), ("b", ["x"])):
        for name in names:
            synthetic.write(tmp_path / folder / f"{name}.json", run(1))
    assert compare.main([str(tmp_path / "a"), str(tmp_path / "b"), "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "only in A: 1 file: y" in lines
    assert len(lines) > 300
    assert compare.main([str(tmp_path / "a"), str(tmp_path / "b"),
                         "--only", "mutex,primitive=lock_1"]) == 0
    assert "mutex: 10 points: " in capsys.readouterr().out


@pytest.mark.parametrize(("change", "options", "said"), [
    ({"gpu": {**synthetic.GPU, "name": "Other"}}, [], "--across-gpus compares them"),
    ({"program": "barrier"}, [], "is of mutex on gpu"),
    ({}, ["--only", "mutex,primitive=nothing"], "no point is of 'mutex,primitive=nothing'")])
def test_what_cannot_be_compared_is_one_line(tmp_path: Path, change: dict[str, Any],
                                             options: list[str], said: str) -> None:
    b = run(1)
    b["context"]["finesync"].update(change)
    with pytest.raises(compare.UserError, match=said):
        compared(tmp_path, run(1), b, *options)
    if "gpu" in change:
        assert compared(tmp_path, run(1), b, "--across-gpus")[0] == 0


def test_false_discoveries_are_bounded() -> None:
    assert discoveries(np.array([0.001, 0.03, 0.5, 0.9]), 0.01).tolist() == [True] + [False] * 3
    assert not discoveries(np.array([0.009] + [0.5] * 99), 0.01).any()


def test_p_is_small_only_where_runs_are_apart() -> None:
    random = np.random.default_rng(5)
    a, b = random.normal(100, 1, (2, 200, 5))
    b[0] *= 1.2
    p = p_values(a, b, 0.01)
    assert p[0] < 1e-3
    assert 0.4 < p[1:].mean() < 0.6


def test_points_without_repetitions_are_untested(tmp_path: Path,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    status, table = compared(tmp_path, run(1, repetitions=2), run(2, 2.0, repetitions=2))
    assert (status, set(table["verdict"])) == (0, {"untested"})
    assert "300 with too few repetitions could not be tested" in capsys.readouterr().out


def test_an_axis_that_programs_got_later_tells_no_points_apart(tmp_path: Path) -> None:
    later, other = run(2), run(3)
    for document, sms in ((later, "all"), (other, 28)):
        for row in document["benchmarks"]:
            row["axes"]["sms"] = sms
    assert len(compared(tmp_path, run(1), later)[1]) == 300
    with pytest.raises(UserError, match="no point in common"):
        compared(tmp_path, run(1), other)
