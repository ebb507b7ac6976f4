"""Two builds of the same programs, measured in turns.

What drifts between two runs (temperature, clocks, other users of the machine) is then in both. Each
repetition of a point is a process of one build and a process of the other, next to each other in
time; which comes first alternates. Rows of both that belong together have the same `interleaved` and
the same `repetition_index`.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .plan import Plan, PlannedPoint
from .point_process import RunningPoint
from .progress import Progress
from .runner import POLL_S, Outcome, StopSignal, outcome_of, repetitions
from .store import Store

Document = dict[str, Any]


# A build: its program files by name, and where its results are kept.
Side = tuple[Mapping[str, Path], Store]


def pair_of(document: Document | None) -> str:
    """What the rows of a point's results have in common with those of the other build."""
    rows = repetitions(document) if document else []
    return str(rows[0].get("interleaved", "")) if rows else ""


def run_pairs(plan: Plan, points: Sequence[PlannedPoint], programs: Sequence[Mapping[str, Path]],
              stores: Sequence[Store], time_budget_s: float | None) -> Outcome:
    """Runs the points of both builds; stops early on a signal or budget. A point is kept when all its
    repetitions are done."""
    sides = list(zip(programs, stores))
    stop = StopSignal()
    progress = Progress(len(points))
    deadline = None if time_budget_s is None else time.monotonic() + time_budget_s
    try:
        for number, point in enumerate(points):
            if stop.received or deadline is not None and time.monotonic() >= deadline:
                return Outcome(len(points) - number, stop.received)
            began = time.monotonic()
            documents = _run_point(plan, point, sides, number % 2, stop, progress)
            if documents is None:
                return Outcome(len(points) - number, stop.received)
            for store, document in zip(stores, documents):
                store.save(point, document)
            progress.finished(point.name, " | ".join(map(outcome_of, documents)), time.monotonic() - began)
        return Outcome(0, None)
    finally:
        progress.clear()


def _run_point(plan: Plan, point: PlannedPoint, sides: Sequence[Side], first: int,
               stop: StopSignal, progress: Progress) -> list[Document] | None:
    """The results of both builds, `first` first; None if a signal came before the end."""
    once = replace(point, repetitions=1)
    made: list[list[Document]] = [[], []]
    for repetition in range(point.repetitions):
        start = (first + repetition) % 2
        for number in (start, 1 - start):
            document = _run_once(plan, once, sides[number], stop, progress)
            if document is None:
                return None
            made[number].append(document)
        if not all(_has_good_rows(each[-1]) for each in made):
            break  # there is nothing to compare, and a time-out may be long
    pair = uuid.uuid4().hex
    return [_joined(point, documents, pair) for documents in made]


def _run_once(plan: Plan, once: PlannedPoint, side: Side, stop: StopSignal, progress: Progress) -> Document | None:
    programs, store = side
    process = RunningPoint(once, programs[once.program], plan.machine, store)
    while not process.poll():
        if stop.received:
            process.abandon()
            return None
        progress.tick([once.name])
        time.sleep(POLL_S)
    return process.finish()


def _has_good_rows(document: Document) -> bool:
    return any(row["status"] == "ok" for row in document["benchmarks"])


def _joined(point: PlannedPoint, documents: list[Document], pair: str) -> Document:
    """The results of several processes as if one had repeated the point."""
    rows = [{**row, "repetitions": len(documents), "repetition_index": number, "interleaved": pair}
            for number, document in enumerate(documents) for row in repetitions(document)]
    context = documents[-1]["context"]
    elapsed = sum(document["context"]["sweep"]["elapsed_s"] for document in documents)
    context["sweep"] |= {"command": point.command(), "elapsed_s": round(elapsed, 3)}
    return {"context": context, "benchmarks": rows}
