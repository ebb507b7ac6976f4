"""sweep.py --import: the points of another results file, so that sittings add up."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
import sweep
import synthetic
from finesync.results.errors import UserError
from finesync.results.json_files import read_json, write_json
from sweep_bench import Bench, one_line


@pytest.fixture(name="former")
def fixture_former(bench: Bench) -> Path:
    """Four points of a GPU that were measured before, as a recorded file; the folder is empty again."""
    bench.has_gpu()
    bench.plan(machine="gpu")
    bench.run()
    path = bench.folder / "former.json"
    (bench.out / "ht_small.json").rename(path)
    for point in bench.kept.iterdir():
        point.unlink()
    return path


def changed(path: Path, **facts: Any) -> Path:
    """The file with other facts of its runs; None takes one away."""
    with synthetic.changed(path) as document:
        for run in document["context"]["sweep"]["runs"]:
            run |= facts
            for name in [name for name, value in run.items() if value is None]:
                del run[name]
    return path


def test_the_points_of_a_recorded_file_are_as_if_measured_here(bench: Bench, former: Path) -> None:
    whole = read_json(changed(former, program_sha256="another"))
    packed = former.with_suffix(".json.gz")
    packed.write_bytes(gzip.compress(former.read_bytes()))
    starts = len(bench.starts())
    assert bench.run("--import", str(packed)).stdout.splitlines()[0] == f"{packed}: points taken: 4"
    merged = bench.merged()
    assert merged["benchmarks"] == whole["benchmarks"]
    for mine, theirs in zip(merged["context"]["sweep"]["runs"], whole["context"]["sweep"]["runs"]):
        assert mine == {**theirs, "imported": "former.json.gz"}
    # They count as done, although another build measured them.
    assert "4 of 4 points are done and kept" in bench.run().stdout
    assert len(bench.starts()) == starts
    bench.run("--fresh", "--only", "entry,primitive=spin")
    assert len(bench.starts()) == starts + 2


def test_of_points_in_both_the_newer_win(bench: Bench, former: Path) -> None:
    bench.run("--import", str(former))
    assert bench.run("--import", str(former)).stdout.splitlines()[:2] == [
        f"{former}: points taken: 0", "left as they are, as those here are not older: 4"]
    changed(former, date="2030-01-02T03:04:05+00:00", host="later")
    assert bench.run("--import", str(former)).stdout.splitlines()[:2] == [
        f"{former}: points taken: 4", "in place of older ones: 4"]
    assert {run["host"] for run in bench.merged()["context"]["sweep"]["runs"]} == {"later"}
    changed(former, date="2020-01-02T03:04:05+00:00", host="earlier")
    bench.run("--import", str(former))
    assert {run["host"] for run in bench.merged()["context"]["sweep"]["runs"]} == {"later"}


def test_points_of_another_card_are_refused(bench: Bench, former: Path) -> None:
    bench.run("--only", "entry,primitive=ticket")
    changed(former, uuid="GPU-other")
    one_line(bench.run("--import", str(former), "--only", "entry,primitive=spin", code=2),
             "measured on GPU-other, and the points in")
    changed(former, uuid=None)
    one_line(bench.run("--import", str(former), code=2), "not a finesync results file")
    changed(former, driver_version=None, unmonitored="no library")
    assert "points taken: 2" in bench.run("--import", str(former), "--only", "entry,primitive=spin").stdout
    assert [run.get("uuid") for run in bench.merged()["context"]["sweep"]["runs"]].count(None) == 2


def test_a_file_that_mixes_cards_is_taken_by_card(bench: Bench, former: Path) -> None:
    with synthetic.changed(former) as document:
        document["context"]["sweep"]["runs"][0]["uuid"] = "GPU-other"
    one_line(bench.run("--import", str(former), code=2), "its points are of several cards: GPU-")
    bench.run("--import", str(former), "--only", "entry,primitive=ticket")
    assert len(bench.merged()["context"]["sweep"]["runs"]) == 2


def test_what_cannot_be_taken_is_said(bench: Bench, former: Path) -> None:
    with synthetic.changed(former) as document:
        first, second = document["context"]["sweep"]["runs"][:2]
        first["command"].append("--more=1")
        document["benchmarks"] = document["benchmarks"][:-second["rows"]]
        for run in document["context"]["sweep"]["runs"]:
            del run["rows"]
    assert bench.run("--import", str(former)).stdout.splitlines()[1:3] == [
        "left out, as the plan has no such command: 1",
        "left out, as their rows cannot be told from those of others: 1"]


def test_results_of_other_programs_plans_and_machines_are_refused(bench: Bench, former: Path) -> None:
    write_json(bench.folder / "other.json", {})
    one_line(bench.run("--import", str(bench.folder / "other.json"), code=2), "not a finesync results file")
    bench.plan(machine="host")
    one_line(bench.run("--import", str(former), code=2), "results of ht on a gpu, not of ht's plan")
    bench.plan(machine="gpu", program="mutex")
    one_line(bench.run("--import", str(former), code=2), "not of mutex's plan")
    bench.plan(("mcs",), machine="gpu")
    one_line(bench.run("--import", str(former), code=2), "none of its points is one of")
    with pytest.raises(UserError, match="into the folder of one build"):
        sweep.main([str(bench.plan_file), "--out", str(bench.out), "--interleave", "a", "b", "--import", str(former)])
