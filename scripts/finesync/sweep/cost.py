"""What a plan costs in time and disk, by recorded runs of it."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..results.json_files import read_json
from .plan import Plan, PlannedPoint

# Results are in the file of their point and in the merged file.
_COPIES = 2


@dataclass(frozen=True)
class Cost:
    """Of some points of a plan, run one after another on the machine of a folder of results."""

    machine: str
    seconds: float
    bytes: float


def cost_of(plan: Plan, points: Sequence[PlannedPoint], results: Path, machine: str) -> Cost | None:
    """By the recorded run of this machine, else of the machine with the most recorded plans; None if none has run one
    of the points. A point that did not run then costs as much as the mean of the others."""
    recorded = sorted(results.glob(f"*/{plan.name}.json.gz"), key=lambda path: (
        path.parent.name != machine, -len(list(path.parent.glob("*.json.gz"))), path))
    for path in recorded:
        runs = read_json(path)["context"]["sweep"]["runs"]
        elapsed = {run["point"]: run["elapsed_s"] for run in runs if "elapsed_s" in run}
        known = [elapsed[point.name] for point in points if point.name in elapsed]
        if known:
            unpacked = len(gzip.decompress(path.read_bytes()))
            return Cost(path.parent.name, sum(known) / len(known) * len(points),
                        _COPIES * unpacked / len(runs) * len(points))
    return None
