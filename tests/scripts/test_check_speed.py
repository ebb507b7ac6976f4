"""scripts/dev/check_speed.py: which points it takes from a record, and what it says of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from check_speed import CHEAP, Process, recorded, short
from conftest import ROOT
from finesync.results.loading import load_results
from forked import run_script
from scratch import executable
from sweep_bench import Bench

# Runs the fake program, and makes one of its primitives slower.
SLOWER = f"""#!{sys.executable}
import json, pathlib, random, subprocess, sys
random.seed(1)
status = subprocess.run([pathlib.Path(sys.argv[0]).with_name("fake"), *sys.argv[1:]]).returncode
path = pathlib.Path(sys.argv[-1].split("=")[1])
document = json.loads(path.read_text())
for row in document["benchmarks"]:
    row["real_time"] *= random.uniform(0.98, 1.02) * (3 if row["primitive"] == "ticket" else 1)
path.write_text(json.dumps(document))
sys.exit(status)
"""


@pytest.fixture(name="record")
def fixture_record(bench: Bench) -> Path:
    bench.plan_file = bench.folder / "gpu.json"
    bench.has_gpu()
    bench.plan(("spin", "ticket", "mcs", "array"), machine="gpu", repetitions=5, together=["primitive", "tbs-per-sm"])
    bench.run()
    return bench.out


def check(bench: Bench, *options: str) -> subprocess.CompletedProcess[str]:
    return run_script(ROOT / "scripts/dev/check_speed.py", "--record", str(bench.out), "--out",
                      str(bench.folder / "after"), "--bin-dir", str(bench.bin), *options)


def test_what_got_slower_is_named_and_nothing_else(bench: Bench, record: Path) -> None:
    done = check(bench)
    assert done.returncode == 0 and "No change in 4 points" in done.stdout, done.stdout + done.stderr
    assert "1 programs, at most about " in done.stdout
    # One process measures all four.
    assert len(bench.starts()) == 3 and "--primitive spin,ticket,mcs,array " in bench.starts()[-1]
    bench.program.rename(bench.bin / "fake")
    executable(bench.program, SLOWER)
    done = check(bench)
    assert done.returncode == 1 and "Changed: of 4 points 1 slower." in done.stdout, done.stdout + done.stderr
    assert "slower" in next(line for line in done.stdout.splitlines() if "primitive=ticket" in line)


def test_what_cannot_be_compared_is_said(bench: Bench, record: Path) -> None:
    done = check(bench, "--only", "ht,nw")
    assert (done.returncode, done.stderr) == (2, f"check_speed: {record} has no recorded run of nw\n")
    (bench.bin / "ht").unlink()
    assert check(bench).returncode == 2 and "its program is not built" in check(bench, "--list").stdout


def test_the_points_of_a_record(bench: Bench, record: Path) -> None:
    results = load_results(record / "ht_gpu.json")
    found = recorded(results)
    assert [process.options for process in found] == [
        {"collision-factor": factor, "tbs-per-sm": grid, "inserts": "64"}
        for factor in ("32", "256") for grid in ("2", "4")]
    assert all(process.kernels.keys() == process.cost.keys() == {"spin", "ticket", "mcs", "array"} for process in found)
    assert sum(cost for process in found for cost in process.cost.values()) == pytest.approx(
        sum(run["elapsed_s"] for run in results.context["sweep"]["runs"]))


def process(name: str, kernels: dict[str, float], cost: float = CHEAP) -> Process:
    return Process({"input": name}, kernels, dict.fromkeys(kernels, cost))


@pytest.mark.parametrize(("processes", "chosen"), [
    # Many primitives before few, each once.
    ([process("few", {"a": 1e-2}), process("many", {"a": 1e-3, "b": 1e-3}),
      process("c", {"b": 1e-4, "c": 1e-4})], [("many", "ab"), ("c", "c")]),
    # Long kernels before short ones, unless the point is dear; then what costs least.
    ([process("short", {"a": 1e-3}), process("long", {"a": 1e-2}), process("dear", {"a": 2e-2}, 1)],
     [("long", "a")]),
    ([process("dear", {"a": 1e-2}, 3), process("less", {"a": 1e-3}, 2)], [("less", "a")]),
    # Kernels that are too short or too long only where there are no others.
    ([process("short", {"a": 9e-5, "b": 9e-5}), process("one", {"a": 1e-4}), process("long", {"b": 0.11})],
     [("one", "a"), ("long", "b")]),
    ([process("mixed", {"a": 0.2, "b": 1e-3}), process("good", {"a": 1e-3})],
     [("good", "a"), ("mixed", "b")])])
def test_which_processes_are_chosen(processes: list[Process], chosen: list[tuple[str, str]]) -> None:
    assert sorted((own.options["input"], "".join(own.cost)) for own in short(processes)) == sorted(chosen)
