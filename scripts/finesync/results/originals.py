"""What the papers' own public programs took, measured on the GPUs where ours were.

results/originals/GPU/SUITE.json, from runs outside this repository, which holds none of these
programs. results/originals/forms.json tells which of their primitives a printed form of ours is
written after. docs/suite/results.md describes both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..query.points import PointTable
from . import schemas
from .errors import UserError
from .json_files import once, read_json
from .loading import Results, results_of_rows
from .registry import workload_named

FOLDER = "originals"
_FORMS = "forms.json"

Axes = Mapping[str, Any]


@dataclass(frozen=True)
class Form:
    """A printed form, and the original that it is written after."""

    paper: str
    program: str
    name: str
    axes: Axes  # of the form's points, beyond those of the original's rows
    suite: str
    original: str
    changed: frozenset[str]
    over: str  # the axis of the columns of its table
    why: str  # why it is not within twice or half the original's time; empty if it is

    def is_of(self, row: Mapping[str, Any]) -> bool:
        """Whether a row or check of its suite is of the original, with the same changes."""
        return (row["program"], row["original"], frozenset(row["changed"])) == \
            (self.program, self.original, self.changed)


@dataclass(frozen=True, eq=False)
class Originals:
    """The figures of all originals on one GPU: the suites by their files' names."""

    folder: Path
    forms: tuple[Form, ...]
    suites: Mapping[str, Mapping[str, Any]]

    @property
    def gpu(self) -> Mapping[str, Any]:
        """The GPU that all suites ran on."""
        gpu: Mapping[str, Any] = next(iter(self.suites.values()))["gpu"]
        return gpu

    def rows_of(self, form: Form) -> list[Mapping[str, Any]]:
        """The rows of the form's original."""
        return [row for row in self.suites.get(form.suite, {"rows": ()})["rows"] if form.is_of(row)]

    def forms_of(self, program: str) -> set[str]:
        """The forms of a program whose originals were measured."""
        return {form.name for form in self.forms if form.program == program and self.rows_of(form)}

    def shared_axes(self, program: str) -> dict[str, Any]:
        """The axes that have one value in all rows of a program, such as its threads per block."""
        found = [row["axes"] for form in self.forms if form.program == program for row in self.rows_of(form)]
        return {axis: value for axis, value in (found[0] if found else {}).items()
                if all(axes.get(axis) == value for axes in found)}

    def results(self, program: str) -> Results | None:
        """The originals' rows as if they were of the printed forms; None if there are none."""
        raws = [self._raw(form, row) for form in self.forms if form.program == program for row in self.rows_of(form)]
        if not raws:
            return None
        gpu = {"name": self.gpu["name"], "sms": self.gpu["sms"], "simulated": False}
        dates = [suite["date"] for suite in self.suites.values()]
        return results_of_rows(self.folder, program, "gpu", gpu, {"finesync": {"date": max(dates)}}, raws)

    def _raw(self, form: Form, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row as a results file has it."""
        axes = {**row["axes"], **form.axes}
        raw = {"primitive": form.name, "axes": axes, "time_unit": "us", "real_time": 0.0}
        if "ended" in row:
            limit = {"waited_ms": row["waited_ms"]} if "waited_ms" in row else {}
            return {**raw, "status": "timeout", "timeout": {"hung": False, **limit}}
        if "us" in row:
            return {**raw, "status": "ok", "real_time": row["us"]}
        blocks = 1 if workload_named(form.program).of_all_blocks else axes["tbs_per_sm"] * self.gpu["sms"]
        return {**raw, "status": "ok", "items_per_second": 1e6 / row["us_per_operation"],
                "real_time": row["us_per_operation"] * axes.get("rounds", 1) * blocks}


def beside(results: Path) -> Originals | None:
    """The originals of the GPU whose results are in this folder; None if there are none."""
    folder = results.parent / FOLDER / results.name
    return of_folder(folder) if folder.is_dir() else None


def all_below(results: Path) -> Iterator[Originals]:
    """The originals of all GPUs, below the folder of all results."""
    for folder in sorted(filter(Path.is_dir, (results / FOLDER).glob("*"))):
        yield of_folder(folder)


def of_folder(folder: Path) -> Originals:
    """The checked files of one GPU; every error is a UserError of one line."""
    suites = {path.stem: _suite(path) for path in sorted(folder.glob("*.json"))}
    if not suites:
        raise UserError(f"{folder}: no figures of an original")
    found = Originals(folder, _forms(folder.parent / _FORMS), suites)
    for name, suite in suites.items():
        if suite["gpu"] != found.gpu:
            raise UserError(f"{folder}: {name} is of another GPU or driver than "
                            f"{next(iter(suites))}")
    return found


def in_place_of(own: Results | None, theirs: Results | None) -> Results | None:
    """Results in which the originals' rows stand in place of those of the printed forms."""
    if own is None or theirs is None:
        return own or theirs
    forms = theirs.points.primitives()

    def with_theirs(mine: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
        return pd.concat([mine[~mine["primitive"].isin(forms)], others], ignore_index=True)
    return Results(own.path, own.program, own.machine, own.gpu, own.context,
                   with_theirs(own.rows, theirs.rows),
                   PointTable(with_theirs(own.points.frame, theirs.points.frame)))


@once
def _suite(path: Path) -> dict[str, Any]:
    suite: dict[str, Any] = read_json(path)
    schemas.check(path, suite, "originals")
    places = set()
    for number, row in enumerate([*suite["rows"], *suite["checks"]]):
        for name in row["changed"]:
            if name not in suite["changes"]:
                raise UserError(f"{path}: {row['original']} has the change {name!r}, which is "
                                "not described")
        place = (number < len(suite["rows"]), row.get("what"), row["program"], row["original"],
                 frozenset(row["changed"]), frozenset(row["axes"].items()))
        if place in places:
            raise UserError(f"{path}: {row['original']} at {dict(row['axes'])} stands there twice")
        places.add(place)
    return suite


def _forms(path: Path) -> tuple[Form, ...]:
    document = read_json(path)
    schemas.check(path, document, "original_forms")
    return tuple(Form(raw["paper"], raw["program"], raw["form"], raw["axes"], raw["suite"],
                      raw["original"], frozenset(raw["changed"]), raw["over"], raw.get("why", ""))
                 for raw in document["forms"])
