"""The commands that measure a claim again, and the minutes that they took."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from ..results.registry import FOLDER, ROOT
from ..sweep.plan import PlannedPoint, load_plan, selected
from .ledger import Claim
from .rows import Recorded

OUT = "results/runs/claims"
_TRAFFIC = "gpu_traffic"


def of_claim(claim: Claim) -> list[str]:
    """A line each; the last judges the claim by the new rows."""
    lines = [" ".join(["scripts/traffic.py" if kind == _TRAFFIC else "scripts/sweep.py",
                       str(_path(program, kind).relative_to(ROOT)), "--out", OUT,
                       *(f"--only {shlex.quote(entry)}" for entry in entries)])
             for (program, kind), entries in _plans(claim)]
    tests = dict.fromkeys(part.test.split(":")[1] for part in claim.parts if part.test)
    lines += [f"ctest --test-dir build/host -R '^{test}$'" for test in tests]
    return [*lines, f"scripts/claims.py --one {claim.id} --results {OUT}"] if lines else []


def points(claim: Claim) -> Iterator[tuple[tuple[str, str], list[PlannedPoint]]]:
    """The planned points that these commands run, by program and kind."""
    for (program, kind), entries in _plans(claim):
        yield (program, kind), selected(load_plan(_path(program, kind)), entries)


def minutes(claim: Claim, recorded: Recorded) -> str:
    """The time that the recorded points of these commands took; empty if none is recorded."""
    seconds = 0.0
    for (program, kind), planned in points(claim):
        names = {point.name for point in planned}
        results = recorded.find(program, kind)
        runs = results.context.get("sweep", {}).get("runs", []) if results else []
        seconds += sum(run.get("elapsed_s", 0.0) for run in runs if run["point"] in names)
    return f"{max(seconds / 60, 0.1):.1f}" if seconds else ""


def _plans(claim: Claim) -> Iterator[tuple[tuple[str, str], list[str]]]:
    for plan, entries in claim.measure.items():
        program, kind = plan.split("/")
        yield (program, kind), entries


def _path(program: str, kind: str) -> Path:
    return FOLDER / program / "plans" / f"{kind}.json"
