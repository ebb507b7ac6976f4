"""The results folder of a sweep: one file per finished point, merged into one results file.

    OUT/points/PLAN/NAME.json   written in one step when the point's process has ended
    OUT/PLAN.json               all finished points in the order of the plan

A point's file is the program's own results file with `context.sweep` added: the command, a digest
of the executable, the duration. Merging only reads point files, so it can be repeated, and copying
point files joins the folders of several shards or machines.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..results.errors import UserError
from ..results.folder_lock import FolderLock
from ..results.json_files import write_json
from ..results.schemas import read_results
from .plan import Plan, PlannedPoint


# What a run tells of its process, and of its GPU.
PROVENANCE = ("date", "host", "git_revision", "git_dirty")
PROVENANCE_OF_GPU = ("driver_version", "uuid", "unmonitored")


class Store:
    """Finished points of one plan in one folder."""

    def __init__(self, plan: Plan, out: Path) -> None:
        self.plan = plan
        self.out = out
        self.points = out / "points" / plan.name
        self.merged = out / f"{plan.name}.json"
        self.left_out: dict[str, str] = {}
        try:
            self.points.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{out}: cannot write there ({error.strerror})") from None
        if not os.access(self.points, os.W_OK):
            raise UserError(f"{out}: cannot write there")

    def file(self, point: PlannedPoint) -> Path:
        return self.points / f"{point.name}.json"

    def program_output(self, point: PlannedPoint) -> Path:
        """The path that the program writes while the point runs."""
        return self.points / f".{point.name}.running"

    def lock(self) -> None:
        """Keeps the plan's files in the folder to this process; UserError if another has them. Removes
        what a killed process was writing."""
        self._lock = FolderLock(self.points)
        for path in (*self.points.glob(".*"), *self.out.glob(".*")):
            if path.is_file() and (path.parent == self.points or path.name.startswith(f".{self.merged.name}.")):
                path.unlink(missing_ok=True)

    def load(self, point: PlannedPoint) -> dict[str, Any] | None:
        """The kept file of a point, None if there is none; a UserError with words that do not name
        the file if it cannot be used."""
        path = self.file(point)
        if not path.exists():
            return None
        try:
            document = read_results(path)
        except UserError as error:
            raise UserError(str(error).removeprefix(f"{path}: ")) from None
        if "sweep" not in document["context"]:
            raise UserError("they were not kept by a sweep")
        return document

    def kept(self, point: PlannedPoint) -> tuple[dict[str, Any] | None, str]:
        """The kept results of a point's command, or why there are none."""
        try:
            document = self.load(point)
        except UserError as error:
            return None, f"kept results cannot be used: {error}"
        if document is None:
            return None, "not run yet"
        if not is_of(document["context"]["sweep"].get("command", ()), point):
            return None, "kept results were made by another command"
        return document, ""

    def save(self, point: PlannedPoint, document: dict[str, Any]) -> None:
        write_json(self.file(point), document)

    def merge(self) -> int:
        """Writes the merged file from every kept point; returns how many points it holds. Notes in
        `left_out` why the others are none of them."""
        kept = []
        self.left_out = {}
        for point in self.plan.points:
            document, why = self.kept(point)
            if document is None:
                self.left_out[point.name] = why
            else:
                kept.append((point, document))
        if kept:
            write_json(self.merged, self._merged(kept))
        return len(kept)

    def _merged(self, kept: list[tuple[PlannedPoint, dict[str, Any]]]) -> dict[str, Any]:
        documents = [document for _, document in kept]
        gpus = sorted({_gpu_name(document) for document in documents if _gpu_name(document)})
        if len(gpus) > 1:
            raise UserError(f"{self.points}: points of different GPUs ({', '.join(gpus)}) "
                            "cannot be one results file; give each GPU its own folder")
        named = [document for document in documents if _gpu_name(document)] or documents
        newest = max(named, key=lambda document: str(document["context"].get("date", "")))
        context = {key: value for key, value in newest["context"].items() if key != "sweep"}
        if "executable" in context:
            context["executable"] = Path(context["executable"]).name
        context["finesync"] = {**context["finesync"], "command_line": ["sweep.py", self.plan.name]}
        context["sweep"] = {
            "plan": self.plan.name,
            "description": self.plan.description,
            "points_planned": len(self.plan.points),
            "points_done": len(kept),
            "runs": [{**_run(point, document["context"]), "rows": len(document["benchmarks"])}
                     for point, document in kept],
        }
        rows = [row for document in documents for row in document["benchmarks"]]
        return {"context": context, "benchmarks": rows}


def is_of(command: Sequence[str], point: PlannedPoint) -> bool:
    """Whether a command is the point's. One whose launch is chosen by recorded times has that, too."""
    own = point.command()
    return list(command) == own or point.fastest_launch is not None and _options(own) <= _options(command)


def _options(command: Sequence[str]) -> set[tuple[str, str]]:
    """The program, and the options with their values, in any order."""
    return {(word, value) for word, value in zip(["", *command], [*command, ""]) if not word or word[0] == "-"}


def digest(program: Path) -> str:
    """A digest that identifies a build of a program."""
    return hashlib.sha256(program.read_bytes()).hexdigest()


def _gpu_name(document: dict[str, Any]) -> str:
    return str((document["context"]["finesync"].get("gpu") or {}).get("name", ""))


def _run(point: PlannedPoint, context: dict[str, Any]) -> dict[str, Any]:
    ours = context["finesync"]
    provenance = {key: ours[key] for key in PROVENANCE if key in ours}
    gpu = ours.get("gpu") or {}
    provenance |= {key: gpu[key] for key in PROVENANCE_OF_GPU if key in gpu}
    return {"point": point.name, **context["sweep"], **provenance}
