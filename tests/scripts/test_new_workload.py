"""A workload is its folder: a made-up one is swept, drawn, reported and recorded by what is there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from scratch import scratch_copy

REPORT = '''"""A made-up workload."""

from finesync_results import sync_sweeps, sync_tables
from finesync_results.figures import counted, time_over_grid
from finesync_results.workload import Workload

WORKLOAD = Workload(
    program="queue", operation="push", families={"queues": "any"}, kernels="push_all",
    small_run="--rounds 2", racecheck=("two_ends",),
    settings=(sync_sweeps.THREADS,),
    figures={"gpu": (time_over_grid.drawing("Queues, time per push"),),
             "host": (counted.drawing("Queues, counted"),)},
    tables={"host": sync_tables.counts})
'''
STYLE = {"colour": "#112233", "marker": "o", "hatch": "", "dashes": "-"}
FAMILY = {"family": "queues",
          "primitives": [{"name": "two_ends", "label": "both ends", "style": STYLE,
                           "types": {"any": "two_ends"}},
                          {"name": "one_end", "types": {"any": "one_end"}}]}
PLAN = {"schema_version": 2, "program": "queue", "description": "Queues.", "machine": "host",
        "entries": [{"name": "counts", "description": "All.", "figure": "counts",
                     "axes": {"primitive": ["all"], "tbs-per-sm": [1, 2]},
                     "options": {"rounds": 8}, "together": ["tbs-per-sm"], "repetitions": 1,
                     "timeout_s": 20}]}
PROGRAM = """#!/usr/bin/python3
import json, sys
sys.path.insert(0, {here!r})
import synthetic, synthetic_sync
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
rows = [row for blocks in words["--tbs-per-sm"].split(",") for row in synthetic_sync.point(
    "mutex", words["--primitive"], None, rounds=8, tbs_per_sm=int(blocks), sms=4,
    count_rmw_device_global=64.0, count_fence_device=32.0, count_poll_global=32.0)]
document = {{"context": synthetic.context("host executor", program="queue"), "benchmarks": rows}}
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
    folder = tree / "workloads" / "queue"
    (folder / "plans").mkdir(parents=True)
    (folder / "report.py").write_text(REPORT, encoding="utf-8")
    (folder / "plans" / "host.json").write_text(json.dumps(PLAN), encoding="utf-8")
    (tree / "workloads" / "catalogue" / "queues.json").write_text(json.dumps(FAMILY),
                                                                 encoding="utf-8")
    program = tree / "build" / "host" / "bin" / "queue"
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM.format(here=str(Path(__file__).parent)), encoding="utf-8")
    program.chmod(0o755)
    return tree


def run(tree: Path, *command: str) -> str:
    """Runs a command of the copy, on a machine without a GPU on which all is built."""
    stand_ins = tree / "stand-ins"
    stand_ins.mkdir(exist_ok=True)
    for name, code in (("nvidia-smi", 9), ("cmake", 0)):
        (stand_ins / name).write_text(f"#!/bin/sh\nexit {code}\n", encoding="utf-8")
        (stand_ins / name).chmod(0o755)
    done = subprocess.run(command, cwd=tree, text=True, capture_output=True, timeout=600,
                          check=False, env={"PATH": f"{stand_ins}:/usr/bin:/bin",
                                            "PYTHON": sys.executable})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_new_workload_is_recorded_drawn_and_tabled(tree: Path) -> None:
    assert run(tree, "scripts/programs.py", "small-runs") == "queue two_ends --rounds 2\n"
    printed = run(tree, "scripts/record.sh")
    assert "measuring: workloads/queue/plans/host.json" in printed
    kept = tree / "results" / "host-executor"
    assert {path.name for path in kept.rglob("*") if path.is_file()} == {
        "queue_host.json.gz", "queue_host-counted.png", "queue_host-counted.svg",
        "queue_host-counts-64-threads.md"}
    table = (kept / "tables" / "queue_host-counts-64-threads.md").read_text(encoding="utf-8")
    assert table.startswith("Per push, counted on the host executor")
    assert "| two_ends | 2 / 1 / 1 | 1 / 0.5 / 0.5 |\n| one_end |" in table
    drawing = (kept / "figures" / "queue_host-counted.svg").read_text(encoding="utf-8")
    assert "both ends" in drawing and "one_end" in drawing and "#112233" in drawing


def test_a_new_workload_is_in_the_report(tree: Path) -> None:
    run(tree, "scripts/sweep.py", "workloads/queue/plans/host.json", "--out", "results/runs/here")
    run(tree, "scripts/figures.py", "results/runs/here/queue_host.json", "--report", "report.md")
    report = (tree / "report.md").read_text(encoding="utf-8")
    assert "## Host executor: queue_host" in report and "| one_end |" in report
    assert "results/runs/here/figures/queue_host-counted.png" in report
