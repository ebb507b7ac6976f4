"""The script for Slurm, with stand-ins for Slurm, the GPU, the build and the measurements."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from scratch import ran
from sweep_bench import Bench
from test_run_all import Machine

# Stands in for srun: one process is all processes.
SRUN = """#!/usr/bin/env bash
echo "$*" >>"$(dirname "$0")/started"
until [[ $1 == --ntasks ]]; do shift; done
exec "${@:3}"
"""


class Cluster(Machine):
    """A machine on which Slurm runs copies of scripts."""

    def submit(self, *arguments: str, code: int = 0, folder: Path | None = None, **task: str) -> str:
        """Runs a copy of the script as Slurm does; what it prints."""
        copy = self.folder / "spool" / "slurm_script"
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(self.root / "scripts" / "packaging" / "slurm.sh", copy)
        place = folder or self.root
        return ran(copy, *arguments, code=code, cwd=place, stderr=subprocess.STDOUT, env={
            **self.environment, "SLURM_SUBMIT_DIR": str(place),
            **{f"SLURM_ARRAY_TASK_{name.upper()}": value for name, value in task.items()}}).stdout


@pytest.fixture(name="cluster")
def fixture_cluster(tmp_path: Path) -> Cluster:
    return Cluster(tmp_path)


def test_a_task_of_an_array_measures_its_shard(cluster: Cluster) -> None:
    cluster.submit("mine", "--only", "mutex", id="2", count="8", min="1", max="8")
    place = cluster.root / "mine" / "shard-2-of-8"
    assert cluster.calls() == [f"sweep.py workloads/mutex/plans/gpu.json --out {place} --shard 2/8"]
    assert (place / "run_all.log").exists()


def test_plans_of_several_gpus_are_spread_and_joined_like_those_of_one(cluster: Cluster) -> None:
    options = ("mine", "--plans", "gpus,nccl", "--only", "barrier")
    place = cluster.root / "mine"
    cluster.submit(*options, id="1", count="2", min="1", max="2")
    cluster.submit(*options)
    plans = [f"sweep.py workloads/barrier/plans/{kind}.json --out" for kind in ("gpus", "nccl")]
    assert cluster.calls() == [
        *(f"{plan} {place}/shard-1-of-2 --shard 1/2" for plan in plans),
        *(f"{plan} {place}" for plan in plans),
        f"figures.py {place}/barrier_gpus.json {place}/barrier_nccl.json"
        f" --report {place}/report.md"]


def test_srun_starts_a_process_per_gpu(cluster: Cluster) -> None:
    place = cluster.folder / "bench"
    place.mkdir()
    bench = Bench(place)
    bench.plan(primitives=("spin",), options={"engine": "nccl"},
               axes={"gpus": [2, 4], "primitive": ["spin"], "tbs-per-sm": [2, 4]})
    cluster.stand_in("srun", SRUN)
    cluster.stand_in("python", "#!/usr/bin/env bash\n"
                               f"[[ $1 != *sweep.py ]] || exec {shlex.join(bench.command())}\n"
                               'exec /usr/bin/python3 "$@"\n')
    cluster.submit("mine", "--plans", "nccl", "--only", "barrier", id="1", count="1", min="1", max="1")
    assert {row["status"] for row in bench.merged()["benchmarks"]} == {"ok"}
    started = (cluster.bin / "started").read_text(encoding="utf-8").splitlines()
    assert sorted(line.split("--ntasks ")[1].split()[0] for line in started) == ["2", "4"]
    assert all("--mpi=pmix --gpu-bind=none" in line for line in started)


def test_without_an_array_the_shards_are_joined_and_drawn(cluster: Cluster) -> None:
    joined = cluster.root / "results" / "runs" / "slurm"
    for number in (1, 2):
        shard = joined / f"shard-{number}-of-2" / "points" / "mutex_gpu"
        shard.mkdir(parents=True)
        (shard / f"{number}.json").write_text("{}", encoding="utf-8")
    printed = cluster.submit("results/runs/slurm", "--only", "mutex")
    assert {path.name for path in (joined / "points" / "mutex_gpu").iterdir()} == {"1.json", "2.json"}
    assert cluster.calls() == [
        f"sweep.py workloads/mutex/plans/gpu.json --out {joined}",
        f"figures.py {joined}/mutex_gpu.json --report {joined}/report.md"]
    assert printed.splitlines()[-1] == f"report: {joined}/report.html"


def test_what_was_measured_after_the_join_is_kept_by_the_next_one(cluster: Cluster) -> None:
    for place, text in (("shard-1-of-1/points/p", "old"), ("points/p", "new")):
        folder = cluster.root / "mine" / place
        folder.mkdir(parents=True)
        (folder / "1.json").write_text(text, encoding="utf-8")
    cluster.submit("mine", "--only", "mutex")
    assert (cluster.root / "mine/points/p/1.json").read_text(encoding="utf-8") == "new"


@pytest.mark.parametrize("task", [{"id": "3", "count": "1", "min": "3", "max": "3"},
                                  {"id": "0", "count": "8", "min": "0", "max": "7"}])
def test_an_array_with_gaps_is_refused(cluster: Cluster, task: dict[str, str]) -> None:
    assert cluster.submit(code=2, **task) == (
        "slurm_script: submit a whole array, --array=1-N; finished points are kept\n")


def test_it_is_submitted_in_the_repository(cluster: Cluster, tmp_path: Path) -> None:
    assert cluster.submit(code=2, folder=tmp_path) == ("slurm: submit it in the root of the repository\n")
    assert cluster.submit("--only", "mutex", code=2).startswith("slurm_script: unexpected option '--only' before DIR")


def test_slurm_reads_its_options_before_the_first_command(cluster: Cluster) -> None:
    text = (cluster.root / "scripts/packaging/slurm.sh").read_text(encoding="utf-8")
    before, _, after = text.partition("\nset -euo pipefail\n")
    assert "#SBATCH" not in after
    assert all(line.startswith("#") or not line for line in before.splitlines())
    (output,) = re.findall(r"--output=(\S+)", before)
    name = output.replace("%j", "77")
    subprocess.run(["git", "init", "-q"], cwd=cluster.root, check=True)
    shutil.copy(Path(__file__).parents[2] / "results" / ".gitignore", cluster.root / "results")
    ran("git", "check-ignore", name, cwd=cluster.root)


def test_tasks_that_build_the_same_wait_for_each_other(cluster: Cluster) -> None:
    builds = cluster.bin / "builds"
    cluster.stand_in("cmake", f"#!/usr/bin/env bash\n[[ $1 == --preset ]] && echo begin >>{builds}\n"
                              f"sleep 0.2\n[[ $1 == --build ]] && echo end >>{builds}\nexit 0\n")
    command = f". {cluster.root}/scripts/finesync/lib.sh; for i in 1 2 3; do build_preset cuda OFF & done; wait"
    subprocess.run(["bash", "-c", command], check=True, env={"PATH": f"{cluster.bin}:/usr/bin:/bin"})
    assert builds.read_text(encoding="utf-8").split() == ["begin", "end"] * 3
