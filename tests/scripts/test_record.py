"""The script that records runs, with stand-ins for the GPU, the build and the Python scripts."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT
from scratch import executable, ran, scratch_copy

COUNTED = sorted(path.parents[1].name for path in (ROOT / "workloads").glob("*/plans/host.json"))
WITH_TRAFFIC = sorted(path.parents[1].name for path in (ROOT / "workloads").glob("*/plans/gpu_traffic.json"))
PROGRAMS = sorted(path.parents[1].name for path in (ROOT / "workloads").glob("*/plans/gpu.json"))
# sweep.py leaves a results file, or what the file 'fails' beside it says; figures.py draws nothing.
# list_programs.py is run as it is, once for all tests; estimate.py only if there is a file 'estimates'.
PYTHON = r"""#!/usr/bin/env bash
here=$(dirname "$0")
[[ $1 != *estimate.py || ! -f $here/estimates ]] || exec /usr/bin/python3 "$@"
[[ $1 != *estimate.py ]] || exit 0
if [[ $1 == *list_programs.py ]]; then
  words="${*:2}" && kept="$here/../../$(basename "$1") ${words//\//-}"
  [[ -f $kept.status ]] || { /usr/bin/python3 "$@" >"$kept.out" 2>"$kept.errors"; echo $? >"$kept.status"; }
  cat "$kept.out" && cat "$kept.errors" >&2
  exit "$(<"$kept.status")"
fi
if [[ $1 == -m ]]; then
  [[ ! -f $here/no-nvml ]] || { echo "recorder: x: not recorded: y does not tell its card" >&2; exit 2; }
  exit
fi
echo "$(basename "$1") ${*:2}" >>"$here/calls"
case $1 in
  *sweep.py)
    plan=$(sed -n 's/.*"program": "\(.*\)",/\1/p' "$2")_$(basename "$2" .json)
    [[ -f $here/left-over-$plan ]] && exit 3
    mkdir -p "$4" && echo "$plan" >"$4/$plan.json"
    [[ ! -f $here/failed-$plan ]] || exit 1
    [[ ! -f $here/broken-$plan ]] || exit 2 ;;
  *traffic.py)
    [[ ! -f $here/no-ncu ]] || { echo "traffic: no ncu on PATH" >&2; exit 2; }
    name=$(sed -n 's/.*"program": "\(.*\)",/\1/p' "$2")
    echo traffic >"$4/${name}_gpu_traffic.json" ;;
esac
"""


class Recorder:
    """A copy of the scripts on a machine that may have a GPU."""

    def __init__(self, folder: Path) -> None:
        self.root = scratch_copy(folder)
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.environment = {"PATH": f"{self.bin}:/usr/bin:/bin", "PYTHON": str(self.bin / "python")}
        self.stand_in("python", PYTHON)
        self.stand_in("cmake", '#!/usr/bin/env bash\necho "$* $CUDACXX" >>"$(dirname "$0")/built"\n')
        self.stand_in("nvcc", "#!/usr/bin/env bash\necho 'Cuda, release 13.0, V13'\n")
        self.gpu(True)

    def stand_in(self, name: str, text: str) -> None:
        executable(self.bin / name, text)

    def gpu(self, there: bool) -> None:
        """Whether the machine has one."""
        self.stand_in("nvidia-smi", "#!/usr/bin/env bash\n" + ("echo 'Test GPU 9000'\n" if there else "exit 9\n"))

    def built(self) -> str:
        """How the build was configured."""
        return (self.bin / "built").read_text(encoding="utf-8").splitlines()[0]

    def that(self, marker: str) -> None:
        """A trouble that the stand-ins look for."""
        (self.bin / marker).touch()

    def run(self, *options: str, code: int = 0) -> str:
        """Runs the script, checks its exit status, and returns what it printed."""
        done = ran(self.root / "scripts/dev/record.sh", *options, code=code, env=self.environment)
        return done.stdout + done.stderr

    def recorded(self, place: str) -> dict[str, str]:
        return {path.name: gzip.decompress(path.read_bytes()).decode().strip()
                for path in (self.root / "results" / place).glob("*.gz")}

    def calls(self) -> list[str]:
        return (self.bin / "calls").read_text(encoding="utf-8").splitlines()


@pytest.fixture(name="recorder")
def fixture_recorder(tmp_path: Path) -> Recorder:
    """A machine with a GPU on which all goes well."""
    return Recorder(tmp_path)


def test_all_plans_and_the_traffic_are_recorded(recorder: Recorder) -> None:
    recorder.run("--time-budget", "20m")
    assert recorder.recorded("test-gpu-9000") == {
        **{f"{name}_gpu.json.gz": f"{name}_gpu" for name in PROGRAMS},
        **{f"{name}_gpu_traffic.json.gz": "traffic" for name in WITH_TRAFFIC}}
    out = "results/runs/recorded/test-gpu-9000"
    assert recorder.calls()[:len(PROGRAMS)] == [
        f"sweep.py workloads/{folder}/plans/gpu.json --out {out} --time-budget 20m"
        for folder in PROGRAMS]
    assert recorder.calls()[-1].count(".json.gz") == len(PROGRAMS) + len(WITH_TRAFFIC)
    assert "-DFINESYNC_BUILD_TESTS=OFF " in recorder.built()


def test_whole_programs_are_recorded_in_sittings(recorder: Recorder) -> None:
    recorder.run("--only", "mutex,event")
    assert set(recorder.recorded("test-gpu-9000")) == {"event_gpu.json.gz", "mutex_gpu.json.gz",
                                                       "mutex_gpu_traffic.json.gz"}
    assert "'mutx' has no gpu plan" in recorder.run("--only=mutx", code=2)


def test_what_is_not_committed_is_refused(recorder: Recorder) -> None:
    subprocess.run(["git", "init", "-q"], cwd=recorder.root, check=True)
    assert recorder.run(code=2).startswith("record: commit first, so that the results name a revision ")


def test_without_ncu_the_traffic_is_skipped_with_one_line(recorder: Recorder) -> None:
    recorder.that("no-ncu")
    printed = recorder.run()
    assert [line for line in printed.splitlines() if "ncu" in line] == ["no memory traffic recorded: no ncu on PATH"]
    assert set(recorder.recorded("test-gpu-9000")) == {f"{name}_gpu.json.gz" for name in PROGRAMS}


@pytest.mark.parametrize(("markers", "code"), [
    (["failed-mutex_gpu"], 1), (["left-over-semaphore_gpu"], 3),
    (["failed-ht_gpu", "left-over-semaphore_gpu"], 1)])
def test_what_went_wrong_is_recorded_and_told(recorder: Recorder, markers: list[str], code: int) -> None:
    for marker in markers:
        recorder.that(marker)
    recorder.run(code=code)
    left_over = "semaphore_gpu.json.gz" if "left-over-semaphore_gpu" in markers else ""
    assert set(recorder.recorded("test-gpu-9000")) == {
        *(f"{name}_gpu.json.gz" for name in PROGRAMS),
        *(f"{name}_gpu_traffic.json.gz" for name in WITH_TRAFFIC)} - {left_over}


def test_a_broken_plan_ends_it_before_anything_is_replaced(recorder: Recorder) -> None:
    recorder.that("broken-barrier_gpu")
    recorder.run(code=2)
    assert recorder.recorded("test-gpu-9000") == {}


def test_rows_that_do_not_tell_their_card_replace_nothing(recorder: Recorder) -> None:
    recorder.that("no-nvml")
    assert recorder.run(code=2).endswith("recorder: x: not recorded: y does not tell its card\n")
    assert recorder.recorded("test-gpu-9000") == {}


def test_without_a_gpu_the_counts_of_the_executor_are_recorded(recorder: Recorder) -> None:
    recorder.gpu(False)
    recorder.run()
    assert set(recorder.recorded("host-executor")) == {f"{name}_host.json.gz" for name in COUNTED}
    assert all("--jobs" in call for call in recorder.calls()[:4])
    assert not any("traffic.py" in call for call in recorder.calls())


SANITIZER = """#!/usr/bin/env bash
until [[ $1 == *bin/* ]]; do shift; done
program=$(basename "$1")
[[ $program == bfs{healed} ]] || for name in {names}; do echo "$program/primitive:$name/axis:1  5 ns"; done
[[ $program == mst{healed} ]] || echo "========= ERROR SUMMARY: 0 errors"
[[ $program != nw{healed} ]]
"""


@pytest.mark.parametrize("healed", ["", "-healed"])
def test_a_sanitizer_that_ran_nothing_is_not_clean(recorder: Recorder, healed: str) -> None:
    """A stand-in that fails in four ways: no row of a program or of a primitive, no summary, errors."""
    runs = [run.split() for run in ran(recorder.bin / "python", recorder.root / "scripts/dev/list_programs.py",
                                       "small-runs").stdout.splitlines()]
    programs = recorder.root / "programs" / "bin"
    programs.mkdir(parents=True)
    for program, *_ in runs:
        (programs / program).touch(mode=0o755)
    named = {name for _, names, *_ in runs for name in names.split(",")} - {healed or "spin"}
    recorder.stand_in("compute-sanitizer", SANITIZER.format(healed=healed, names=" ".join(named)))
    done = ran(recorder.root / "scripts/dev/sanitize.sh", programs, code=not healed, env=recorder.environment)
    clean = {line.split(":")[0] for line in done.stdout.splitlines()
             if line.endswith("is clean: ERROR SUMMARY: 0 errors")}
    found = {line for line in done.stdout.splitlines() if ": " in line and "SUMMARY" not in line}
    assert clean >= {program for program, *_ in runs} - {"bfs", "mst", "nw"}
    assert found == (set() if healed else {
        "ht: racecheck has run no spin", *(f"{program}: {tool} {what}" for program, what, tools in (
            ("bfs", "has run no all", ""), ("mst", "has no summary", ""),
            ("nw", "found errors", "racecheck"))
            for tool in ("memcheck", "synccheck", *tools.split()))})
