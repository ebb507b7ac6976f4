"""A workload is its folder: a made-up one of eight files is swept, drawn, reported and recorded by
what is there; tests/suite/catalogue builds it. A lock is a header and an entry, and the tests of the
catalogue pass."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
import synthetic
from conftest import ROOT
from forked import run_script
from scratch import executable, ran, scratch_copy

TALLY = ROOT / "tests" / "suite" / "catalogue" / "tally"
PROGRAM = """#!/usr/bin/env python3
import json, sys
sys.path.insert(0, {here!r})
import synthetic, synthetic_sync
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
rows = [row for blocks in words["--tbs-per-sm"].split(",") for row in synthetic_sync.point(
    "mutex", words["--primitive"], None, rounds=8, tbs_per_sm=int(blocks), sms=4,
    count_rmw_device_global=64.0, count_fence_device=32.0, count_poll_global=32.0)]
document = {{"context": synthetic.context("host executor", program="tally"), "benchmarks": rows}}
output = next(word for word in sys.argv if word.startswith("--benchmark_out="))
open(output.split("=", 1)[1], "w").write(json.dumps(document))
"""


@pytest.fixture(name="tree")
def fixture_tree(tmp_path: Path) -> Path:
    """A copy of the scripts and of no workload but a made-up one, with its program built."""
    tree = scratch_copy(tmp_path)
    for report in [*tree.glob("workloads/*/report.py"), *tree.glob("workloads/*/report")]:
        report.rename(report.with_name("none"))
        for plan in report.parent.glob("plans/*.json"):
            plan.unlink()
    shutil.copytree(TALLY, tree / "workloads" / "tally")
    programs = tree / "build" / "host" / "bin"
    programs.mkdir(parents=True)
    executable(programs / "tally", PROGRAM.format(here=str(Path(__file__).parent)))
    return tree


def run(tree: Path, *command: str) -> str:
    """Runs a command of the copy, on a machine without a GPU on which all is built."""
    stand_ins = tree / "stand-ins"
    stand_ins.mkdir(exist_ok=True)
    for name, code in (("nvidia-smi", 9), ("cmake", 0)):
        executable(stand_ins / name, f"#!/bin/sh\nexit {code}\n")
    environment = {"PATH": f"{stand_ins}:/usr/bin:/bin", "PYTHON": sys.executable}
    if not command[0].endswith(".py"):
        return ran(*command, cwd=tree, env=environment).stdout
    done = run_script(tree / command[0], *command[1:], cwd=tree, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_new_workload_is_recorded_drawn_and_tabled(tree: Path) -> None:
    assert run(tree, "scripts/dev/list_programs.py", "small-runs") == "tally spin --rounds 2\n"
    printed = run(tree, "scripts/dev/record.sh")
    assert "== plan 1 of 1: tally_host" in printed
    kept = tree / "results" / "host-executor"
    assert {path.name for path in kept.rglob("*") if path.is_file()} == {
        "tally_host.json.gz", "tally_host-operation_counts.svg",
        "tally_host-counts-64-threads.md"}
    table = (kept / "tables" / "tally_host-counts-64-threads.md").read_text(encoding="utf-8")
    assert table.startswith("Per addition, counted on the host executor")
    assert "| ttas | 2 / 1 / 1 | 1 / 0.5 / 0.5 |\n| ttas_at_once |" in table
    assert "| mcs |" in table and "value_passing" not in table
    drawing = (kept / "figures" / "tally_host-operation_counts.svg").read_text(encoding="utf-8")
    assert "eager" in drawing and "test and test-and-set" in drawing and "#d55e00" in drawing


def test_a_new_workload_is_in_the_report(tree: Path) -> None:
    run(tree, "scripts/sweep.py", "workloads/tally/plans/host.json", "--out", "results/runs/here")
    run(tree, "scripts/figures.py", "results/runs/here/tally_host.json", "--report", "report.md")
    report = (tree / "report.md").read_text(encoding="utf-8")
    assert "## Host executor" in report and "tables/tally_host-counts-64-threads.md" in report
    assert "results/runs/here/figures/tally_host-operation_counts.svg" in report


def test_a_workload_is_at_most_nine_files() -> None:
    assert len([path for path in TALLY.rglob("*") if path.is_file()]) <= 9


@pytest.mark.parametrize("program", [
    TALLY, *sorted(path.parent for path in ROOT.glob("workloads/*/main.cpp")
                   if "member_axes" in path.read_text(encoding="utf-8"))], ids=lambda path: path.name)
def test_an_axis_is_written_in_one_place(program: Path) -> None:
    """Beside its name, help and range stands the member that it fills: no other code reads a point."""
    code = (program / "main.cpp").read_text(encoding="utf-8")
    declared = code[code.index("member_axes<run_config> axes{"):code.index("declare(program, axes);")]
    names = re.findall(r'(?:named_axis|number\w*|yes_or_no)\(\s*"([a-z-]+)"', declared)
    assert names and len(re.findall(r"&run_config::|\(run_config& config,", declared)) >= len(names)
    assert not re.search(r"\bpoint\b|\.axis\(", code)


def test_the_tests_of_the_catalogue_pass_with_a_new_lock(tmp_path: Path) -> None:
    tree = scratch_copy(tmp_path)
    for part in ("docs", "tests/scripts", "tests/suite/catalogue"):
        shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("accepted.json"))
    with synthetic.changed(tree / "src" / "catalogue" / "locks.json") as document:
        document["primitives"].append(
            {"name": "newcomer", "help": "a new one", "role": "baseline_lock", "kind": "lock",
             "headers": ["finesync/locks/newcomer_lock.cuh"],
             "types": {"many": "newcomer_lock<scope::device>", "one": "newcomer_lock<scope::device>"}})
    ran(sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/scripts/test_catalogue.py",
        cwd=tree)
