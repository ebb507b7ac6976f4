"""The loop of a sweep: starts points, waits, keeps finished ones, stops cleanly."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections import Counter, deque
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from ..results.errors import UserError
from ..results.json_files import read_json
from .plan import Plan, PlannedPoint
from .point_process import RunningPoint, mpirun
from .progress import Progress
from .store import Store

FAILURES = ("wrong", "deadlock", "error")
POLL_S = 0.02
_REST_AFTER_MERGE = 20  # times as long as it took


@dataclass(frozen=True)
class Outcome:
    """How a run of points ended."""

    left: int
    stopped_by: signal.Signals | None


class StopSignal:
    """Remembers the first SIGINT or SIGTERM, so that the loop can stop between two steps."""

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._receive)

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        self.received = self.received or signal.Signals(number)


def executables(points: list[PlannedPoint], folder: Path, preset: str) -> dict[str, Path]:
    """The program files that these points need, which a preset of CMake builds. MPI must be there for
    points that need it too."""
    programs = {point.program: folder / point.program for point in points}
    for name, path in programs.items():
        if not path.is_file():
            raise UserError(f"there is no program {name!r} in {folder}; build it with: "
                            f"cmake --preset {preset} && cmake --build --preset {preset} --target {name}")
        if not os.access(path, os.X_OK):
            raise UserError(f"{path} is not executable")
    starter = mpirun()[:1]
    if any(point.processes for point in points) and not (starter and shutil.which(starter[0])):
        raise UserError(f"there is no program {' '.join(starter)!r} to start the processes of an engine: "
                        "FINESYNC_MPIRUN names another (see --help)")
    return programs


def run_points(plan: Plan, points: list[PlannedPoint], programs: dict[str, Path], store: Store,
               jobs: int, time_budget_s: float | None) -> Outcome:
    """Runs the points, `jobs` at a time; stops early on a signal or budget. Merges finished points only at intervals: a
    merge reads all of them, and one per point would cost as much time as the points."""
    stop = StopSignal()
    waiting = deque(points)
    running: list[RunningPoint] = []
    progress = Progress(len(points))
    next_merge = 0.0
    deadline = None if time_budget_s is None else time.monotonic() + time_budget_s
    try:
        while waiting or running:
            if stop.received:
                break
            in_time = deadline is None or time.monotonic() < deadline
            if not in_time and not running:
                break
            if in_time and waiting and len(running) < jobs:
                point = waiting[0]
                running.append(RunningPoint(point, programs[point.program], plan.machine, store))
                waiting.popleft()
                continue
            for process in [process for process in running if process.poll()]:
                document = process.finish()
                store.save(process.point, document)
                running.remove(process)
                if (began := time.monotonic()) >= next_merge:
                    store.merge()
                    ended = time.monotonic()
                    next_merge = ended + _REST_AFTER_MERGE * (ended - began)
                progress.finished(process.point.name, outcome_of(document), process.elapsed)
            progress.tick([process.point.name for process in running])
            time.sleep(POLL_S)
        return Outcome(len(waiting) + len(running), stop.received)
    finally:
        for process in running:
            process.abandon()
        progress.clear()


def summary(store: Store) -> int:
    """Prints the outcomes in the merged file; 1 if any row is a failure, else 0."""
    document = read_json(store.merged)
    rows = repetitions(document)
    counts = Counter(row["status"] for row in rows)
    words = ", ".join(f"{number} {status}" for status, number in counts.most_common())
    print(f"{store.merged}: rows: {words}")
    if throttled := sum(row.get("throttled", {}).get("kept", False) for row in rows):
        print(f"{throttled} rows were measured while the GPU was throttled (docs/suite/results.md)")
    for why in {run["unmonitored"]: None for run in document["context"]["sweep"]["runs"] if "unmonitored" in run}:
        print(f"the results will lack driver, UUID and clocks: {why}")
    return 1 if any(counts[status] for status in FAILURES) else 0


def repetitions(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a results file without aggregates."""
    return [row for row in document["benchmarks"] if row.get("run_type") != "aggregate"]


def outcome_of(document: dict[str, Any]) -> str:
    """A point in a few words: 'ok', or the number of other rows and the reason of the first."""
    rows = repetitions(document)
    unusual = [row for row in rows if row["status"] != "ok"]
    if not unusual:
        return "ok"
    counts = Counter(row["status"] for row in unusual)
    words = ", ".join(f"{number} {status}" for status, number in counts.items())
    reason = unusual[0].get("reason") or "no reason given"
    return f"{words} of {len(rows)} rows ({reason})"
