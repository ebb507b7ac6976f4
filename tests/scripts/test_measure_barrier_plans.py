"""The measurement of barrier plans, with a stand-in for the program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import measure_barrier_plans as script
import pytest
from finesync.results.errors import UserError
from scratch import executable

GPU = {"name": "Test GPU 9000", "simulated": False, "compute_capability": "9.0", "sms": 10, "l2_bytes": 1000}
# A barrier is the faster, the nearer its counters are to the blocks per SM.
STAND_IN = """#!{python}
import json, sys
words = sys.argv[1:]
value = {{words[i]: words[i + 1] for i in range(len(words) - 1) if words[i].startswith("--")}}
out = words[-1].split("=", 1)[1]
with open({calls!r}, "a") as calls: print(*words[:-1], file=calls)
rows = []
for name in value["--primitive"].split(","):
    for grid in map(int, value["--tbs-per-sm"].split(",")):
        counters = {{"flat_counters": 2, "sm_counters": 1, "gather_broadcast": 16}}.get(name, 2)
        topology = name if name != "autotuned" else "flat_counters"
        effective = dict(blocks=10 * grid, threads_per_block=int(value["--threads-per-block"]),
                         topology=topology, counters=counters, replicas=2, l2_sides=2,
                         first_poll_cycles=300)
        for late in (1, 50, 1.5) if "--tune" in words else (1.01,):
            rows.append(dict(run_type="iteration", run_name=f"{{name}}/{{grid}}", status="ok",
                             items_per_second=1e6 / late / (1 + abs(counters - grid)),
                             effective=effective))
        rows.append(dict(run_type="iteration", run_name=f"{{name}}/{{grid}}/failed", status="wrong",
                         excluded_candidate=True, items_per_second=1e12, effective=effective))
        rows.append(dict(run_type="aggregate", run_name=f"{{name}}/{{grid}}", status="ok",
                         items_per_second=1e12, effective=effective))
json.dump(dict(context=dict(finesync=dict(gpu={gpu!r})), benchmarks={rows}), open(out, "w"))
sys.exit({status})
"""


def stand_in(folder: Path, gpu: dict[str, Any] | None = None, status: int = 0, rows: str = "rows") -> Path:
    return executable(folder / "barrier", STAND_IN.format(
        python=sys.executable, calls=str(folder / "calls"), gpu=gpu or GPU, status=status, rows=rows))


def run(folder: Path, program: Path) -> int:
    return script.main(["--program", str(program), "--out", str(folder / "test-gpu.inc")])


def test_the_fastest_plan_of_each_grid_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, stand_in(tmp_path)) == 0
    rows = (tmp_path / "test-gpu.inc").read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("// Test GPU 9000: ")
    assert rows[2:12] == [
        f"{{{blocks}, 64, {{counter_topology::{plan}, 2, 2, 300}}}},"
        for plan, sizes in {"sm_counters, 1": [10], "flat_counters, 2": [20, 30, 40, 50, 80],
                            "gather_broadcast, 16": [110, 160, 210, 320]}.items() for blocks in sizes]
    assert [row.split(",")[1].strip() for row in rows[2:]] == 10 * ["64"] + 4 * ["256"] + 2 * ["1024"]
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == '{"Test GPU 9000", 9.0, 10, 1000, {"test-gpu", test_gpu_plans}},'
    assert len(said) == 1 + 16 + 1
    calls = (tmp_path / "calls").read_text(encoding="utf-8")
    assert calls.count("--tune") == 3
    assert calls.count(f"--plan-table {tmp_path / 'test-gpu.inc'}") == 3


def test_the_autotuned_barrier_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, stand_in(tmp_path))
    said = capsys.readouterr().out.splitlines()
    assert said[2].split()[:5] == ["20", "64", "1.500", "1.010", "0.673"]


def test_a_wrong_run_is_told_by_the_exit_status(tmp_path: Path) -> None:
    assert run(tmp_path, stand_in(tmp_path, status=1)) == 1


@pytest.mark.parametrize("changes, complaint", [
    ({"gpu": {**GPU, "simulated": True}}, "the host executor"),
    ({"rows": "[]"}, "nothing is written"),
])
def test_nothing_is_written_without_times(tmp_path: Path, changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        run(tmp_path, stand_in(tmp_path, **changes))
    assert not (tmp_path / "test-gpu.inc").exists()


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=str(tmp_path / "none")):
        run(tmp_path, tmp_path / "none")
