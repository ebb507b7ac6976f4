"""Which points of a sweep have to run: those without kept results that are still valid."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .interleaved import pair_of
from .plan import PlannedPoint
from .store import Store, digest


def staleness(point: PlannedPoint, sides: Sequence[tuple[Store, Path]], retry_errors: bool) -> str:
    """Why a point has to run, by the results and the program of each side; empty if it has not."""
    for store, program in sides:
        if why := _staleness(point, store, program, retry_errors):
            return why
    if len(sides) > 1 and len({pair_of(store.load(point)) for store, _ in sides}) > 1:
        return "kept results of the two builds are not of one run"
    return ""


def _staleness(point: PlannedPoint, store: Store, program: Path, retry_errors: bool) -> str:
    document, why = store.kept(point)
    if document is None:
        return why
    run = document["context"]["sweep"]
    if "imported" not in run and run.get("program_sha256") != digest(program):
        return f"kept results were made by another build of {point.program}"
    if retry_errors and any(row.get("status") == "error" for row in document["benchmarks"]):
        return "kept results have errors"
    return ""
