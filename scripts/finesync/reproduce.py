"""The claims of a paper that some minutes on a GPU can decide: the points they need, in what order, and the run.

A claim needs the fewest of its points by which the recorded rows of the GPU with the fullest record still give a
verdict: rows are left out as long as they do. Where points of it are not recorded, or only by an earlier revision with
other axes, it needs them all.
"""

from __future__ import annotations

from . import script  # first

import argparse
import dataclasses
import functools
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .claims import commands, judge, ledger
from .claims.criteria import UNTOLD
from .claims.ledger import Claim
from .query.points import PointTable
from .results import recorded
from .results.errors import UserError
from .results.json_files import once, read_json
from .results.loading import Results
from .results.recorded import Recorded
from .sweep.plan import PlannedPoint
from .sweep.store import is_of

_read_once = once(read_json)

TRAFFIC = "gpu_traffic"
_SCRIPTS = {"gpu": "sweep.py", TRAFFIC: "traffic.py"}
# Points that took less are not worth the time to find out whether a claim needs them.
_DEAR_S = 1.0
_LEFT_OVER = 3  # sweep.py's exit status when its time is over


@dataclass(frozen=True)
class Point:
    """A planned point; those of traffic come after times, by which their launches are chosen."""

    kind: str
    program: str
    name: str

    @property
    def plan(self) -> str:
        return f"workloads/{self.program}/plans/{self.kind}.json"


Points = frozenset[Point]


@dataclass(frozen=True)
class Step:
    """Points that are run together, and the claims that have a verdict then."""

    points: Points
    claims: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Paper:
    """The points that each claim needs, what each point takes, and why other claims are out of reach."""

    needed: Mapping[str, Points]
    seconds: Mapping[Point, float]
    hopeless: Mapping[str, str]
    planned: Mapping[Point, PlannedPoint]
    gpu: str  # whose record it is

    def cost(self, points: Iterable[Point]) -> float:
        return sum(self.seconds[point] for point in points)


def chosen(paper: Paper, limit_s: float, done: Points = frozenset()) -> list[Step]:
    """The steps within the limit: first what is decided already, then always the claim whose points, beyond those
    that are run by then, give the most verdicts per second."""
    steps: list[Step] = []
    have, left, spent = done, dict(paper.needed), 0.0

    def by_then(points: Points) -> tuple[str, ...]:
        return tuple(number for number, needed in left.items() if needed <= have | points)

    while within := [needed for needed in left.values() if spent + paper.cost(needed - have) <= limit_s]:
        more = max(within, key=lambda needed: len(by_then(needed)) / max(paper.cost(needed - have), 1e-3)) - have
        steps.append(Step(more, by_then(more), paper.cost(more)))
        spent, have = spent + steps[-1].seconds, have | more
        left = {number: needed for number, needed in left.items() if number not in steps[-1].claims}
    return steps


def paper_of(claims: Sequence[Claim]) -> Paper:
    """By the record of the GPU that has run the most points of the claims."""
    planned = {claim.id: _planned(claim) for claim in claims}
    every = {point: plan for own in planned.values() for point, plan in own.items()}
    by_folder = {folder: _elapsed(folder, every) for folder in recorded.gpu_folders()}
    if not by_folder:
        raise UserError(f"{recorded.FOLDER}: no record of a GPU, which would tell what points take")
    folder, elapsed = max(by_folder.items(), key=lambda one: len(one[1]))
    fullest = recorded.of_folder(folder)
    needed, hopeless = {}, {}
    for claim in claims:
        points = frozenset(planned[claim.id])
        if points <= elapsed.keys():
            least = _least(claim, points, fullest, elapsed)
            if isinstance(least, str):
                hopeless[claim.id] = least
                continue
            points = with_times(least, planned[claim.id])
        elif untold := next((part.untold for part in claim.parts if part.untold), ""):
            hopeless[claim.id] = untold
            continue
        needed[claim.id] = points
    return Paper(needed, {point: elapsed.get(point, _guess(point, elapsed)) for point in every}, hopeless, every,
                 fullest.name)


def _planned(claim: Claim) -> dict[Point, PlannedPoint]:
    """The points of a GPU that measure a claim; the host executor's counts are recorded."""
    return {Point(kind, program, point.name): point for (program, kind), points in commands.points(claim.measure)
            if kind in _SCRIPTS for point in points}


def _runs(folder: Path, program: str, kind: str) -> list[dict[str, Any]]:
    """The runs in a results file of a folder; none without a file."""
    paths = [folder / f"{program}_{kind}.json{packed}" for packed in ("", ".gz")]
    found = [_read_once(path)["context"].get("sweep", {}).get("runs", []) for path in paths if path.exists()]
    return found[0] if found else []


def _elapsed(folder: Path, points: Collection[Point]) -> dict[Point, float]:
    """The seconds that recorded points took."""
    found = {}
    for program, kind in {(point.program, point.kind) for point in points}:
        for run in _runs(folder, program, kind):
            point = Point(kind, program, run["point"])
            if point in points and "elapsed_s" in run:
                found[point] = float(run["elapsed_s"])
    return found


def _guess(point: Point, elapsed: Mapping[Point, float]) -> float:
    """What an unrecorded point takes: as the mean of its plan's, else of all."""
    alike = [seconds for other, seconds in elapsed.items() if other.plan == point.plan]
    return statistics.fmean(alike or list(elapsed.values()) or [60.0])


def _least(claim: Claim, points: Points, own: Recorded, elapsed: Mapping[Point, float]) -> Points | str:
    """The points without which the recorded rows give no verdict; all, if rows are missing; or why no rows can give
    one. Whole entries are left out first, the dearest before others."""
    whole = judge.printed(claim, cut(own, points))
    if whole.verdict == UNTOLD:
        never = any(part.untold for part in claim.parts) or any(missing.rows_exist for missing in whole.missing())
        return whole.reasons() if never else points
    entries: dict[tuple[str, str], set[Point]] = {}
    for point in points:
        entries.setdefault((point.plan, point.name.split(",")[0]), set()).add(point)
    for groups in (entries.values(), [{point} for point in points]):
        for group in sorted(groups, key=lambda group: (-sum(map(elapsed.__getitem__, group)), min(map(str, group)))):
            less = points - group
            if less != points and sum(map(elapsed.__getitem__, group)) >= _DEAR_S and \
                    judge.printed(claim, cut(own, less)).verdict == whole.verdict:
                points = less
    return points


def cut(own: Recorded, points: Collection[Point]) -> Recorded:
    """The rows of these points alone, as if one card had measured them, and the host executor's counts."""
    @functools.lru_cache(maxsize=None)
    def find(program: str, kind: str) -> Results | None:
        results = own.find(program, kind)
        if results is None or kind == "host":
            return results
        names = {point.name for point in points if (point.program, point.kind) == (program, kind)}
        rows, table = results.rows, results.points
        planned = table["planned"].map(lambda of: bool(of & names)).astype(bool)
        return dataclasses.replace(
            results, rows=rows[rows["planned"].map(lambda of: bool(of & names)).astype(bool)],
            points=PointTable(table.frame[planned]).assign(cards=table.where(planned).column_of(
                [frozenset()] * int(planned.sum()))))
    return dataclasses.replace(own, find=find)


def with_times(points: Points, planned: Mapping[Point, PlannedPoint]) -> Points:
    """The points with all times by which the launches of those of traffic are chosen."""
    return points | {time for point in points if planned[point].fastest_launch is not None
                     for time in planned if times_of(planned[point], planned[time]) and time.kind == "gpu"}


def times_of(traffic: PlannedPoint, timed: PlannedPoint) -> bool:
    """Whether a timed point may have the fastest launch of a traffic point."""
    return timed.program == traffic.program and all(
        set(values) & set(timed.axes.get(axis, values)) for axis, values in traffic.axes.items())


def done_in(out: Path, paper: Paper) -> Points:
    """The points that a folder has of earlier runs."""
    return frozenset(point for point, planned in paper.planned.items() if any(
        run["point"] == point.name and is_of(run.get("command", ()), planned)
        for run in _runs(out, point.program, point.kind)))


def announce(name: str, paper: Paper, steps: Sequence[Step], done: Points) -> None:
    """What will be decided, in what order, and what will not."""
    decided = [number for step in steps for number in step.claims]
    total = sum(step.seconds for step in steps)
    print(f"{name}: {len(decided)} of {len(paper.needed) + len(paper.hopeless)} claims in about "
          f"{total / 60:.1f} min, by what the points took on the {paper.gpu}:")
    spent = 0.0
    for step in steps:
        spent += step.seconds
        print(f"  {spent / 60:5.1f} min  {' '.join(step.claims)}"
              + (" (nothing to measure)" if not step.points else ""))
    have = done.union(*(step.points for step in steps))
    dear = {number: paper.cost(needed - have) for number, needed in paper.needed.items() if number not in decided}
    if dear:
        print("not in this time: " + ", ".join(
            f"{number} ({dear[number] / 60:.1f} min more)" for number in sorted(dear, key=dear.__getitem__)))
    for number, why in paper.hopeless.items():
        print(f"not at all: {number}: {why}")


class Measurement:
    """Runs the scripts that measure, one at a time; a signal ends the one that runs, and nothing starts then."""

    def __init__(self, out: Path, limit_s: float) -> None:
        self.out = out
        self.ends = time.monotonic() + limit_s
        self.received = 0
        self.running: subprocess.Popen[bytes] | None = None
        self.failed = False
        self.uncounted = False  # ncu cannot count here

    def end_on_signals(self) -> None:
        """From here on SIGINT and SIGTERM are this measurement's."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._receive)

    def _receive(self, number: int, _: object) -> None:
        self.received = number
        if self.running is not None:
            self.running.send_signal(number)

    def run(self, *words: str) -> int:
        """The exit status of a script."""
        if self.received:
            sys.exit(128 + self.received)
        sys.stdout.flush()
        self.running = subprocess.Popen([sys.executable, *words])
        if self.received:  # while it started
            self.running.send_signal(self.received)
        status = self.running.wait()
        if self.received:
            sys.exit(128 + self.received)
        return status

    def measure(self, points: Points) -> bool:
        """Runs the points of a step; False if the time is over."""
        plans = sorted({(point.kind, point.program, point.plan) for point in points})
        for kind, _, plan in plans:
            left = self.ends - time.monotonic()
            if left <= 0:
                return False
            if kind == TRAFFIC and self.uncounted:
                continue
            only = [word for point in sorted(points, key=str) if point.plan == plan for word in ("--only", point.name)]
            budget = ["--time-budget", f"{left:.0f}s"] if kind != TRAFFIC else []
            status = self.run(f"scripts/{_SCRIPTS[kind]}", plan, "--out", str(self.out), *only, *budget)
            if status == _LEFT_OVER:
                return False
            if status not in (0, 1) and kind != TRAFFIC:
                sys.exit(status)
            self.failed = self.failed or status == 1
            self.uncounted = self.uncounted or status not in (0, 1)
        return True


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("paper", choices=ledger.titles())
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--results", type=Path, default=Path())
    parser.add_argument("--list", action="store_true", help="say what will be decided, and stop")
    parser.add_argument("--programs", action="store_true", help="name the programs that measure it, and stop")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    claims = [claim for claim in ledger.claims().values() if claim.paper == options.paper]
    if options.programs:
        print("\n".join(sorted({point.program for claim in claims for point in _planned(claim)})))
        return 0
    paper = paper_of(claims)
    done = done_in(options.results, paper)
    steps = chosen(paper, 60 * options.minutes, done)
    announce(options.paper, paper, steps, done)
    if options.list:
        return 0
    measurement = Measurement(options.results, 60 * options.minutes)
    measurement.end_on_signals()
    in_time = all(measurement.measure(step.points) for step in steps)
    options.results.mkdir(parents=True, exist_ok=True)
    status = measurement.run("scripts/claims.py", "--results", str(options.results), "--paper", options.paper)
    if not in_time:
        print(f"{options.minutes:g} min are over; run it again to go on")
        return _LEFT_OVER
    return status or int(measurement.failed)


if __name__ == "__main__":
    script.run(main)
