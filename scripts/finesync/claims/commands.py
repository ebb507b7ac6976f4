"""The commands that measure a claim again, and the minutes that they took."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..results.recorded import Recorded
from ..results.registry import FOLDER, ROOT
from ..sweep.plan import PlannedPoint, load_plan_once, selected
from .ledger import Claim, awaited

OUT = "results/runs/claims"
# A row's bytes of GPU memory that its point took.
MEMORY = "gpu_memory_bytes"
_TRAFFIC = "gpu_traffic"


# Entries of plans by plan, as the ledger has them; no entries: the whole plan.
Measure = Mapping[str, Sequence[str]]


def of_claim(claim: Claim) -> list[str]:
    """A line each; the last judges the claim by the new rows."""
    lines = of_plans(claim.measure)
    if claim.tests:
        lines.append(f"scripts/claims.py --one {claim.id} --count --results {OUT}")
    return [*lines, f"scripts/claims.py --one {claim.id} --results {OUT}"] if lines else []


def of_plans(measure: Measure) -> list[str]:
    """A line for each plan."""
    return [" ".join(["scripts/traffic.py" if kind == _TRAFFIC else "scripts/sweep.py",
                      str(_path(program, kind).relative_to(ROOT)), "--out", OUT,
                      *(f"--only {shlex.quote(entry)}" for entry in entries)])
            for (program, kind), entries in _plans(measure)]


def of_several(claims: Iterable[Claim]) -> Measure:
    """What measures all of several claims."""
    found: dict[str, list[str]] = {}
    for claim in claims:
        for plan, entries in claim.measure.items():
            known = found.setdefault(plan, list(entries))
            found[plan] = list(dict.fromkeys([*known, *entries])) if known and entries else []
    parts = {entry: set(entry.split(",")) for entries in found.values() for entry in entries}
    return {plan: [entry for entry in entries
                   if not any(parts[other] < parts[entry] for other in entries)]
            for plan, entries in found.items()}


def points(measure: Measure) -> Iterator[tuple[tuple[str, str], list[PlannedPoint]]]:
    """The planned points that these commands run, by program and kind."""
    for (program, kind), entries in _plans(measure):
        yield (program, kind), selected(load_plan_once(_path(program, kind)), list(entries))


def minutes(measure: Measure, recorded: Recorded) -> str:
    """The time that the recorded points of these commands took; empty if none is recorded."""
    seconds = 0.0
    for (program, kind), planned in points(measure):
        names = {point.name for point in planned}
        results = recorded.find(program, kind)
        runs = results.context.get("sweep", {}).get("runs", []) if results else []
        seconds += sum(run.get("elapsed_s", 0.0) for run in runs if run["point"] in names)
    return f"{max(seconds / 60, 0.1):.1f}" if seconds else ""


def memory(measure: Measure, recorded: Recorded) -> str:
    """The most GiB of GPU memory that the primitives of these commands took in the recorded runs;
    empty if the rows do not say."""
    most = 0.0
    for (program, kind), planned in points(measure):
        results = recorded.find(program, kind)
        if results is not None and MEMORY in results.rows:
            run = {name for point in planned for name in point.axes.get("primitive", ())}
            own = results.rows[results.rows["primitive"].isin(run)][MEMORY].max()
            most = max(most, 0.0 if math.isnan(own) else own)
    return f"{max(most / 2 ** 30, 0.1):.1f}" if most else ""


def _plans(measure: Measure) -> Iterator[tuple[tuple[str, str], Sequence[str]]]:
    for plan, entries in measure.items():
        program, kind = plan.split("/")
        if program not in awaited():
            yield (program, kind), entries


def _path(program: str, kind: str) -> Path:
    return FOLDER / program / "plans" / f"{kind}.json"
