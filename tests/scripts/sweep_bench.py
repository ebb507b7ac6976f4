"""A bench for tests of the sweep runner: a fake program, a plan, and an output folder."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forked import run_script

SWEEP = Path(__file__).resolve().parents[2] / "scripts" / "sweep.py"
TRAFFIC = SWEEP.with_name("traffic.py")
FAKE = Path(__file__).with_name("fake_ht.py")


class Bench:
    """A folder with a fake program, a plan and an output folder."""

    script = SWEEP

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.hold = self.bin / "hold"
        self.program = self.bin / "ht"
        self.program.symlink_to(FAKE)
        self.plan_file = folder / "small.json"
        self.kept = self.out / "points" / "ht_small"
        self.plan()

    def plan(self, primitives: tuple[str, ...] = ("spin", "ticket"), machine: str = "host",
             timeout_s: float = 20, program: str = "ht", **changes: Any) -> None:
        """Writes the plan: one process per primitive and collision factor, two grids in each."""
        entry = {"name": "entry", "description": "for tests", "figure": "none",
                 "axes": {"collision-factor": [32, 256], "primitive": list(primitives),
                          "tbs-per-sm": [2, 4]},
                 "options": {"inserts": 64}, "together": ["tbs-per-sm"], "repetitions": 2,
                 "timeout_s": timeout_s, **changes}
        self.plan_file.write_text(json.dumps(
            {"schema_version": 2, "program": program, "description": "a test",
             "machine": machine, "entries": [entry]}), encoding="utf-8")

    def has_gpu(self) -> None:
        """The fake program runs on a GPU."""
        (self.bin / "gpu").touch()

    def command(self, *options: str) -> list[str]:
        return [sys.executable, str(self.script), str(self.plan_file), "--out", str(self.out),
                "--bin-dir", str(self.bin), *options]

    def run(self, *options: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Runs the sweep to its end and checks its exit status."""
        done = run_script(self.script, *self.command(*options)[2:])
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def start_and_hold_in_second_point(self) -> subprocess.Popen[str]:
        """A sweep that runs and will not get beyond its second point, until `hold` goes."""
        self.plan(("spin", "held"))
        self.hold.touch()
        running = subprocess.Popen(self.command(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until(lambda: len(self.starts()) == 2)
        return running

    def starts(self) -> list[str]:
        """The starts of the program so far, without the process ids."""
        return [line.rsplit(" pid ", 1)[0] for line in self._start_lines()]

    def last_pid(self) -> int:
        return int(self._start_lines()[-1].rsplit(" ", 1)[1])

    def merged(self) -> dict[str, Any]:
        """The merged results file of `ht`."""
        return json.loads((self.out / "ht_small.json").read_text(encoding="utf-8"))

    def ran(self) -> list[tuple[str, int, int]]:
        """Primitive, collision factor and grid of the merged rows that are first repetitions."""
        return [(row["primitive"], row["axes"]["collision_factor"], row["axes"]["tbs_per_sm"])
                for row in self.merged()["benchmarks"] if row.get("repetition_index") == 0]

    def _start_lines(self) -> list[str]:
        notes = self.bin / "starts"
        return notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Waits for something that another process does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def one_line(done: subprocess.CompletedProcess[str], words: str) -> None:
    """Checks that the only complaint is one line with these words."""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith((f"{SWEEP.stem}: ", f"{TRAFFIC.stem}: "))
    assert words in done.stderr
