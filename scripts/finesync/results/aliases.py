"""Former names of primitives, axes, values and fields, and today's.

An entry of the catalogue lists its own former names ("aliases"); those of axes, values and fields
are in src/catalogue/aliases.json, by program, "*" for all programs. Recorded files keep the
names that they were written with: read_results(), the one reader of results files, maps them.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from finesync_catalogue.entries import ALIASES

from . import schemas
from .catalogue import all_in
from .json_files import read_json
from .schemas import TRAFFIC

# Members of a row that hold values of axes, requested or effective.
_HOLD_VALUES = ("axes.", "tuned.axes.", "effective.")
_FLAGS = ("tune",)


@dataclass(frozen=True)
class Aliases:
    """Today's names by former ones, for one program.

    Axes are written as on a command line ("tbs-per-sm"); fields by their path in a row
    ("timeout.hung"), in the context with "context." before it.
    """

    primitives: Mapping[str, str]
    axes: Mapping[str, str]
    values: Mapping[str, Mapping[str, str]]  # by today's name of the axis
    fields: Mapping[str, str]

    def value(self, axis: str, value: Any) -> Any:
        """Today's name of a value; `axis` is a name of today."""
        names = self.primitives if axis == "primitive" else self.values.get(_dashed(axis), {})
        return names.get(value, value) if isinstance(value, str) else value

    def command(self, words: list[str]) -> list[str]:
        """A command line as a plan makes it: --AXIS VALUE,VALUE."""
        today = []
        axis = ""
        for word in words:
            if axis:
                today.append(",".join(self.value(axis, value) for value in word.split(",")))
                axis = ""
            elif word.startswith("--") and "=" not in word:
                axis = self.axes.get(word[2:], word[2:])
                today.append(f"--{axis}")
                axis = "" if axis in _FLAGS else axis
            else:
                today.append(word)
        return today

    def point(self, name: str) -> str:
        """The name of a planned point: ENTRY,AXIS=VALUE,AXIS=VALUE."""
        return self._settings(name, ",", "=", self.axes)

    def row_name(self, name: str) -> str:
        """The name of a row: PROGRAM/primitive:NAME/AXIS:VALUE."""
        # Repetitions have one name, each twice.
        if name not in self._row_names:
            self._row_names[name] = self._settings(name, "/", ":", self._identifiers)
        return self._row_names[name]

    def document(self, raw: dict[str, Any]) -> dict[str, Any]:
        """A results file."""
        context = self._members(raw["context"], "context.", "context.")
        sweep = context.get("sweep")
        if isinstance(sweep, dict):
            runs = {"runs": [self._run(run) for run in sweep["runs"]]} if "runs" in sweep else {}
            context["sweep"] = {**self._run(sweep), **runs}
        return {**raw, "context": context,
                "benchmarks": [self._row(row) for row in raw["benchmarks"]]}

    def plan(self, raw: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """A plan, and a line for each former name in it."""
        changes: dict[str, None] = {}

        def noted(old: Any, new: Any) -> Any:
            if old != new:
                changes[f"{old} is now {new}"] = None
            return new

        def with_values(axis: str, values: Any) -> Any:
            if isinstance(values, list):
                return [noted(value, self.value(axis, value)) for value in values]
            return noted(values, self.value(axis, values))

        def with_axes(axes: dict[str, Any]) -> dict[str, Any]:
            names = {old: noted(old, self.axes.get(old, old)) for old in axes}
            return {names[old]: with_values(names[old], values) for old, values in axes.items()}

        entries = []
        for entry in raw["entries"]:
            today = {**entry, **{part: with_axes(entry[part])
                                 for part in ("axes", "options") if part in entry}}
            if "together" in entry:
                today["together"] = [self.axes.get(axis, axis) for axis in entry["together"]]
            entries.append(today)
        return {**raw, "entries": entries}, list(changes)

    def _settings(self, name: str, between: str, sign: str, axes: Mapping[str, str]) -> str:
        parts = []
        for part in name.split(between):
            axis, found, value = part.partition(sign)
            today = axes.get(axis, axis)
            parts.append(f"{today}{sign}{self.value(today, value)}" if found else part)
        return between.join(parts)

    def _run(self, run: dict[str, Any]) -> dict[str, Any]:
        """A sweep's record of the process that measured a point."""
        command = {"command": self.command(run["command"])} if "command" in run else {}
        point = {"point": self.point(run["point"])} if "point" in run else {}
        return {**run, **command, **point}

    def _row(self, raw: dict[str, Any]) -> dict[str, Any]:
        row = self._members(raw, "", "")
        for key, today in (("name", self.row_name), ("run_name", self.row_name),
                           ("primitive", functools.partial(self.value, "primitive"))):
            if isinstance(row.get(key), str):
                row[key] = today(row[key])
        return row

    def _members(self, raw: dict[str, Any], place: str, today: str) -> dict[str, Any]:
        """The members of an object with today's names; `place` and `today` are its former and
        today's paths."""
        members = {}
        for name, value in raw.items():
            if today in ("axes.", "tuned.axes."):
                new = self._identifiers.get(name, name)
            else:
                new = self.fields.get(place + name, name).rpartition(".")[2]
            if isinstance(value, dict):
                members[new] = self._members(value, f"{place}{name}.", f"{today}{new}.")
            else:
                members[new] = self.value(new, value) if today in _HOLD_VALUES else value
        return members

    @functools.cached_property
    def _row_names(self) -> dict[str, str]:
        return {}

    @functools.cached_property
    def _identifiers(self) -> dict[str, str]:
        return {_underscored(old): _underscored(new) for old, new in self.axes.items()}


@functools.lru_cache(maxsize=None)
def aliases_of(program: str) -> Aliases:
    """The former names of a program; there may be none."""
    known: dict[str, Any] = read_json(ALIASES)
    parts = [known.get("*", {}), known.get(program, {})]
    axes, values, fields = ({old: new for part in parts for old, new in part.get(key, {}).items()}
                            for key in ("axes", "values", "fields"))
    primitives = {old: entry["name"] for entry in all_in(program)
                  for old in entry.get("aliases", ())}
    return Aliases(primitives, axes, values, fields)


def read_results(path: Path, read: Callable[[Path], Any] = read_json) -> dict[str, Any]:
    """A checked results file with today's names; every error is a UserError of one line."""
    document = read(path)
    try:
        program = str(document["context"]["finesync"]["program"]).removesuffix(TRAFFIC)
        document = aliases_of(program).document(document)
    except (AttributeError, KeyError, TypeError, RecursionError):
        pass  # It is not a results file; the schema check reports it.
    schemas.check_results(path, document)
    return document


def read_plan(path: Path) -> dict[str, Any]:
    """A checked plan with today's names; prints a line on stderr for each former name."""
    plan: dict[str, Any] = read_json(path)
    schemas.check(path, plan, "plan")
    plan, changes = aliases_of(plan["program"]).plan(plan)
    for change in changes:
        print(f"{path}: {change}", file=sys.stderr)
    return plan


def _dashed(axis: str) -> str:
    return axis.replace("_", "-")


def _underscored(axis: str) -> str:
    return axis.replace("-", "_")
