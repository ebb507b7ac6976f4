"""Points that MPI starts: a process per GPU."""

from __future__ import annotations

from pathlib import Path

import pytest
from scratch import executable
from sweep_bench import Bench

# Stands in for mpirun: it starts one process for all, in a session of its own, and ends it if asked.
STARTER = """#!/usr/bin/env bash
echo "$1" >> "{folder}/numbers"
setsid "${{@:2}}" &
child=$!
trap 'kill -KILL $child' TERM
wait $child
status=$?
[[ -z $(jobs -p) ]] || wait $child
exit $status
"""


@pytest.fixture(name="bench")
def _bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    starter = executable(tmp_path / "start", STARTER.format(folder=tmp_path))
    monkeypatch.setenv("FINESYNC_MPIRUN", f"'{starter}'")
    bench = Bench(tmp_path)
    bench.plan(primitives=("spin",), options={"engine": "nccl", "gpus": 2})
    return bench


def test_mpi_starts_a_process_per_gpu(bench: Bench) -> None:
    bench.run()
    assert (bench.folder / "numbers").read_text(encoding="utf-8").split() == ["2", "2"]
    merged = bench.merged()
    assert {row["status"] for row in merged["benchmarks"]} == {"ok"}
    assert merged["context"]["sweep"]["runs"][0]["command"][0] == "ht", "which MPI it was is no matter"


def test_the_number_of_gpus_may_be_an_axis(bench: Bench) -> None:
    bench.plan(primitives=("spin",), options={"engine": "nccl"},
               axes={"gpus": [2, 4], "primitive": ["spin"], "tbs-per-sm": [2, 4]})
    bench.run()
    assert sorted((bench.folder / "numbers").read_text(encoding="utf-8").split()) == ["2", "4"]


def test_a_timeout_ends_all_processes(bench: Bench) -> None:
    bench.plan(primitives=("hangs",), options={"engine": "nccl", "gpus": 2}, timeout_s=1)
    bench.run(code=1)
    for start in (bench.bin / "starts").read_text(encoding="utf-8").splitlines():
        process = Path("/proc") / start.split()[-1]
        assert not process.exists() or "Z" in (process / "stat").read_text(encoding="utf-8").split()


def test_a_machine_without_mpi_is_told_what_is_missing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for words, named in (("no-such-mpirun -n", "'no-such-mpirun'"), ("", "''")):
        monkeypatch.setenv("FINESYNC_MPIRUN", words)
        said = bench.run(code=2).stderr
        assert f"there is no program {named} to start the processes" in said
        assert len(said.splitlines()) == 1


def test_a_process_has_one_number_of_gpus(bench: Bench) -> None:
    bench.plan(axes={"gpus": [2, 4], "primitive": ["spin"], "tbs-per-sm": [2, 4]},
               options={"engine": "nccl"}, together=["gpus"])
    assert "'gpus' and 'engine' cannot be in 'together'" in bench.run(code=2).stderr
