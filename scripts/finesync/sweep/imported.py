"""Takes points of another results file into the folder of a sweep, so that sittings add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ..results.errors import UserError
from ..results.rows_by_run import Row, Run, split
from ..results.schemas import TRAFFIC, check_results, read_results
from .plan import Plan, PlannedPoint
from .store import PROVENANCE, PROVENANCE_OF_GPU, Store, is_of

Document = dict[str, Any]


def import_points(store: Store, points: Sequence[PlannedPoint], path: Path) -> list[str]:
    """Keeps the rows of these points; the newer of those that are in both. What was done, a line each."""
    document = read_results(path)
    _check_program(store.plan, document, path)
    found: dict[str, tuple[PlannedPoint, Document]] = {}
    unknown = without_rows = 0
    for run, rows in split(document):
        point = next((one for one in store.plan.points if is_of(run.get("command", ()), one)), None)
        unknown += point is None
        without_rows += point is not None and not rows
        if point in points and point is not None and rows:
            found[point.name] = point, _document(document, run, rows, path)
            check_results(path, found[point.name][1])
    if not found:
        raise UserError(f"{path}: none of its points is one of {store.plan.path}, as it is now")
    _check_cards(store, [own for _, own in found.values()], path)
    replaced = kept = 0
    for point, own in found.values():
        here, _ = store.kept(point)
        if here is not None and _date(here) >= _date(own):
            kept += 1
            continue
        replaced += here is not None
        store.save(point, own)
    taken = f"{path}: points taken: {len(found) - kept}"
    others = {"in place of older ones": replaced, "left as they are, as those here are not older": kept,
              "left out, as the plan has no such command": unknown,
              "left out, as their rows cannot be told from those of others": without_rows}
    return [taken, *(f"{what}: {number}" for what, number in others.items() if number)]


def _check_program(plan: Plan, document: Mapping[str, Any], path: Path) -> None:
    ours = document["context"]["finesync"]
    name = plan.program + (TRAFFIC if plan.name.endswith(TRAFFIC) else "")
    machine = "gpu" if ours["machine"] == "gpu" else "host"
    if (ours["program"], machine) != (name, plan.machine):
        raise UserError(f"{path}: results of {ours['program']} on a {ours['machine']}, not of {name}'s plan")


def _check_cards(store: Store, documents: Sequence[Document], path: Path) -> None:
    """A file of one program never mixes cards. Rows that name none contradict none."""
    here = [document for point in store.plan.points for document in [store.kept(point)[0]] if document is not None]
    for fact in ("name", "uuid"):
        theirs, ours = ({gpu[fact] for document in of for gpu in [document["context"]["finesync"].get("gpu") or {}]
                         if fact in gpu} for of in (documents, here))
        if len(theirs) > 1:
            raise UserError(f"{path}: its points are of several cards: {', '.join(sorted(theirs))}; take those of "
                            "one, by --only")
        if len(theirs | ours) > 1:
            raise UserError(f"{path}: measured on {theirs.pop()}, and the points in {store.out} on "
                            f"{', '.join(sorted(ours))}: a file never mixes cards")


def _document(merged: Mapping[str, Any], run: Run, rows: list[Row], path: Path) -> Document:
    """The results file of one run, as its process left it."""
    context = merged["context"]
    own = {key: value for key, value in context["finesync"].items() if key not in PROVENANCE}
    own |= {key: run[key] for key in PROVENANCE if key in run}
    if own.get("gpu"):
        own["gpu"] = {key: value for key, value in own["gpu"].items() if key not in PROVENANCE_OF_GPU}
        own["gpu"] |= {key: run[key] for key in PROVENANCE_OF_GPU if key in run}
    sweep = {key: value for key, value in run.items()
             if key not in (*PROVENANCE, *PROVENANCE_OF_GPU, "point", "rows")}
    date = {"date": run["date"]} if "date" in run else {}
    return {"context": {**context, **date, "finesync": own, "sweep": {**sweep, "imported": path.name}},
            "benchmarks": rows}


def _date(document: Mapping[str, Any]) -> float:
    told = document["context"]["finesync"].get("date", document["context"].get("date"))
    return datetime.fromisoformat(told).timestamp() if told else 0.0
