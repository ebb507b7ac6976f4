"""The way in, with stand-ins for the GPU, the set-up, the build and the measurements."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT
from finesync.sweep.progress import duration
from forked import run_script
from scratch import ran
from sweep_bench import is_alive, wait_until
from test_record import PROGRAMS, Recorder


WITHOUT_TESTS = "--preset cuda -DFINESYNC_BUILD_TESTS=OFF --log-level=WARNING"
# In place of a sweep: a process that has one of its own.
WORK = """#!/usr/bin/env bash
[[ $1 == *sweep.py ]] || exec {python} "$@"
trap 'kill $!; echo ended >>{here}/noted; exit 143' TERM
sleep 60 & echo $! >{here}/child
wait
"""


class Machine(Recorder):
    """A copy of the scripts on a machine with a GPU on which nothing is missing."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        shutil.copy(ROOT / "run_all.sh", self.root)
        setup = self.root / "scripts" / "setup.sh"
        setup.write_text("#!/usr/bin/env bash\necho set-up: stand-in\n", encoding="utf-8")
        self.folder = folder

    def run(self, *options: str, code: int = 0) -> str:
        return ran(self.root / "run_all.sh", *options, code=code, cwd=self.folder, stderr=subprocess.STDOUT,
                   env=self.environment).stdout

    def record(self, gpu: str, *elapsed: tuple[str, float]) -> Path:
        """A recorded run of the mutex: points and their seconds."""
        path = self.root / "results" / gpu / "mutex_gpu.json.gz"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(json.dumps({"context": {"sweep": {"runs": [
            {"point": point, "elapsed_s": seconds} for point, seconds in elapsed]}}}).encode()))
        return path

    def estimate(self, *options: str) -> str:
        done = run_script(self.root / "scripts" / "estimate.py", "gpu", "--only", "mutex,ht", *options)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(name="machine")
def fixture_machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_it_counts_the_plans_that_it_runs(machine: Machine) -> None:
    printed = machine.run()
    assert [line for line in printed.splitlines() if line.startswith("== plan ")] == [
        f"== plan {number} of {len(PROGRAMS)}: {name}_gpu into results/runs/test-gpu-9000"
        for number, name in enumerate(PROGRAMS, 1)]
    assert printed.splitlines()[-1] == f"report: {machine.root}/results/report.html"


def test_programs_a_folder_and_a_time_are_passed_to_the_sweeps(machine: Machine) -> None:
    machine.run("--only", "mutex,ht", "--quick", "--out", "mine")
    mine = machine.folder / "mine"
    assert machine.calls()[-3:] == [
        f"sweep.py workloads/{name}/plans/gpu.json --out {mine} --time-budget 15s"
        for name in ("ht", "mutex")] + [
        f"figures.py {mine}/ht_gpu.json {mine}/mutex_gpu.json --report {mine}/report.md"]


def test_plans_of_several_gpus_need_a_gpu(machine: Machine) -> None:
    machine.that("estimates")
    assert machine.run("--plans", "gpus,host", code=2) == (
        "run_all: --plans: of GPUs are gpu, gpus, nccl and nvshmem\n")
    assert machine.run("--plans=gpuss", code=2).splitlines()[-1].endswith(
        "'gpuss' is not a kind of plans: gpu, gpus, nccl, nvshmem, host, gpu_traffic; "
        "see estimate.py --help")
    machine.gpu(False)
    assert machine.run("--plans", "gpus", code=2) == ("run_all: --plans gpus: no usable GPU and CUDA toolkit\n")


def test_a_shard_is_measured_and_not_drawn(machine: Machine) -> None:
    machine.that("failed-mutex_gpu")
    printed = machine.run("--shard=2/8", "--only=mutex", f"--out={machine.folder}/mine", code=1)
    assert machine.calls()[-1] == (f"sweep.py workloads/mutex/plans/gpu.json --out "
                                   f"{machine.folder}/mine --shard 2/8")
    assert printed.splitlines()[-1] == f"shard 2/8 is in {machine.folder}/mine/points"
    assert machine.built() == f"{WITHOUT_TESTS} {machine.bin}/nvcc"


@pytest.mark.parametrize(("options", "words"), [
    (("--only", "mutexx"), "--only: 'mutexx' has no gpu plan; programs that have one: atm, "),
    (("--shard", "4/3"), "'4/3' is not a shard such as 1/4"),
    (("--time-budget", "ten"), "'ten' is not a duration such as 90s, 10m or 2h")])
def test_a_wrong_value_is_one_line_before_the_build(machine: Machine, options: tuple[str, ...], words: str) -> None:
    machine.that("estimates")
    printed = machine.run(*options, code=2)
    assert words in printed.splitlines()[-1]
    assert "== building" not in printed


def test_an_option_without_its_value_is_refused(machine: Machine) -> None:
    assert machine.run("--only", code=2) == ("run_all: --only needs a value; see ./run_all.sh --help\n")
    assert machine.run("--quick", "more", code=2).startswith("run_all: unknown argument 'more'")
    assert not (machine.root / "results" / "runs").exists()


@pytest.mark.parametrize(("failed", "changed", "code"), [("", 0, 0), ("failed-mutex_gpu", 0, 1), ("", 1, 1)])
def test_a_night_is_compared_with_the_one_before_and_mailed(machine: Machine, failed: str, changed: int,
                                                            code: int) -> None:
    (recipe,) = (block for block in re.findall(r"^```sh\n(.*?)^```$", (ROOT / "docs/run.md").read_text("utf-8"),
                                               re.M | re.S) if "mail" in block)
    machine.stand_in("mail", f'#!/bin/sh\necho "mail $*: $(cat)" >>{machine.bin}/nights\n')
    machine.stand_in("date", f"#!/bin/sh\necho x >>{machine.bin}/dates; echo $(wc -l <{machine.bin}/dates)\n")
    compare = machine.root / "scripts" / "compare.py"
    compare.write_text("#!/bin/sh\necho changes of $1 to $2\n", encoding="utf-8")

    def night(code: int) -> None:
        ran("bash", "-c", recipe, code=code, cwd=machine.root, env=machine.environment)
    night(0)
    machine.that(failed or "no trouble")
    compare.write_text(f"{compare.read_text(encoding='utf-8')}exit {changed}\n", encoding="utf-8")
    night(code)
    mails = (machine.bin / "nights").read_text(encoding="utf-8").replace("results/runs/nights", "N").splitlines()
    assert mails == ["mail -s finesync: ends with 0 -A N/1/report.html lab@example.org: changes of N/1 to N/1",
                     f"mail -s finesync: ends with {code} -A N/2/report.html lab@example.org: changes of N/1 to N/2"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_it_alone_ends_what_it_has_started(machine: Machine, number: signal.Signals) -> None:
    (machine.bin / "python").rename(machine.bin / "quick")
    machine.stand_in("python", WORK.format(python=machine.bin / "quick", here=machine.bin))
    running = subprocess.Popen(
        [str(machine.root / "run_all.sh"), "--only", "mutex"], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # The tests may run without a terminal, where SIGHUP is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        env=machine.environment)
    wait_until(lambda: (machine.bin / "child").exists() and (machine.bin / "child").read_text())
    running.send_signal(number)
    printed, _ = running.communicate(timeout=60)
    assert (running.returncode, printed.splitlines()[-1]) == (128 + number, "stopped; ./run_all.sh goes on from here")
    assert (machine.bin / "noted").read_text() == "ended\n"
    assert not is_alive(int((machine.bin / "child").read_text()))
    assert (machine.root / "results/runs/run_all.log").read_text(encoding="utf-8") == printed


def test_the_log_has_what_the_terminal_shows_and_that_of_the_run_before_is_kept(machine: Machine) -> None:
    first = machine.run("--only", "mutex")
    log = machine.root / "results" / "runs" / "run_all.log"
    assert log.read_text(encoding="utf-8") == first
    machine.that("broken-ht_gpu")
    second = machine.run("--only", "ht", code=2)
    assert log.read_text(encoding="utf-8") == second != first
    assert log.with_name("run_all.log.1").read_text(encoding="utf-8") == first


def test_what_it_will_take_is_said_before_the_build(machine: Machine) -> None:
    machine.that("estimates")
    machine.record("nvidia-x", ("hand-off,primitive=spin", 60.0), ("hand-off,primitive=ebo", 30.0))
    printed = machine.run("--only", "mutex")
    said = printed.index(" min ")
    assert said < printed.index("== building") < printed.index("== plan 1 of 1")


def test_an_estimate_takes_the_run_of_this_gpu_or_says_that_it_is_not_known(machine: Machine) -> None:
    assert "mutex_gpu: " in (none := machine.estimate()) and "time not known" in none
    assert none.splitlines()[-1] == "in all about 0.0 s and 0 MB of disk, without 2 of 2 plans"
    spin = "hand-off,primitive=spin"
    machine.record("nvidia-x", (spin, 2.0))
    (machine.root / "results" / "nvidia-x" / "other_gpu.json.gz").touch()
    machine.record("nvidia-y", (spin, 8.0))
    def of(gpu: str, *options: str) -> str:
        return machine.estimate("--gpu", gpu, *options).splitlines()[1]
    points = int(of("").split()[1])
    assert of("nvidia-new").endswith("as on nvidia-x"), "the one with the most plans"
    assert of("nvidia-y").endswith("as on nvidia-y")
    assert f"about {points * 2 // 60} min {points * 2 % 60:02d} s" in of("nvidia-x")
    assert "about 5.0 s" in of("nvidia-x", "--time-budget", "5s")
    assert f"about {duration(points)}, " in of("nvidia-x", "--jobs", "2")
    assert " 1 points, about 2.0 s" in of("nvidia-x", "--shard", f"1/{points}")
    assert " 1 points, time not known" in of("nvidia-x", "--shard", f"{points - 1}/{points - 1}")
