"""Sweep plans: the JSON schema, its checks, and the points that a plan stands for.

A plan is {"schema_version": 1, "description": text, "machine": "gpu" | "host", "entries": [...]},
and an entry is
    name         unique in the plan; the first part of its points' names
    description  one sentence
    figure       what its rows are drawn as
    program      an executable of the build, for example "ht"
    axes         {axis: [values]}; points are the cartesian product, the first axis slowest
    options      {option: value}, the same for every point (may be left out)
    together     axes passed as lists to one process instead of one process per value
                 (may be left out)
    tune         true: the program chooses the axes that are in neither axes nor options, as its
                 --tune does; only on a GPU (may be left out)
    repetitions  timed runs of each combination
    timeout_s    time-out of one process
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import UserError
from .json_files import read_json

PLAN_SCHEMA_VERSION = 1
MACHINES = {"gpu": "gpu", "host": "host executor"}

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_ENTRY_KEYS = {"name": str, "description": str, "figure": str, "program": str, "axes": dict,
               "repetitions": int, "timeout_s": (int, float)}
_OPTIONAL_KEYS = {"options": dict, "together": list, "tune": bool}

Value = int | str


@dataclass(frozen=True)
class PlannedPoint:
    """What one process runs: one value per axis, except that axes put together keep all.

    With `tune` the program chooses the values of axes that are not given.
    """

    name: str
    program: str
    axes: dict[str, list[Value]]
    options: dict[str, Value]
    repetitions: int
    timeout_s: float
    tune: bool = False

    def command(self) -> list[str]:
        """The command line without the program's folder and the output file."""
        words = [self.program]
        for axis, axis_values in self.axes.items():
            words += [f"--{axis}", ",".join(str(value) for value in axis_values)]
        for option, value in self.options.items():
            words += [f"--{option}", str(value)]
        if self.tune:
            words.append("--tune")
        return [*words, f"--benchmark_repetitions={self.repetitions}"]

    def combinations(self) -> Iterator[dict[str, Value]]:
        """Every combination of axes that the process should report a row for."""
        for chosen in itertools.product(*self.axes.values()):
            yield dict(zip(self.axes, chosen))


@dataclass(frozen=True)
class Plan:
    """A plan file and its points in the order in which they run."""

    name: str
    path: Path
    description: str
    machine: str
    points: list[PlannedPoint]


def load_plan(path: Path) -> Plan:
    """Reads and checks a plan; every complaint is a UserError of one line."""
    raw = read_json(path)
    if not isinstance(raw, dict) or raw.get("schema_version") != PLAN_SCHEMA_VERSION:
        raise UserError(f"{path}: not a plan of schema version {PLAN_SCHEMA_VERSION}")
    _check_keys(path, "the plan", raw,
                {"schema_version": int, "description": str, "machine": str, "entries": list}, {})
    if raw["machine"] not in MACHINES:
        raise UserError(f"{path}: machine {raw['machine']!r} is neither 'gpu' nor 'host'")
    points = [point for entry in raw["entries"] for point in _points(path, entry)]
    if raw["machine"] == "host" and any(point.tune for point in points):
        raise UserError(f"{path}: 'tune' needs a GPU: the host executor measures no time")
    if not points:
        raise UserError(f"{path}: the plan has no points")
    names = [point.name for point in points]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise UserError(f"{path}: two points are named {twice!r}")
    return Plan(path.stem, path, raw["description"], raw["machine"], points)


def _check_keys(path: Path, where: str, raw: dict[str, Any], needed: dict[str, Any],
                optional: dict[str, Any]) -> None:
    for key in needed:
        if key not in raw:
            raise UserError(f"{path}: {where} lacks {key!r}")
    for key, value in raw.items():
        kind = needed.get(key) or optional.get(key)
        if kind is None:
            known = ", ".join([*needed, *optional])
            raise UserError(f"{path}: {where} has an unknown key {key!r}; known are {known}")
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise UserError(f"{path}: {where}: {key!r} has the wrong type")


def _points(path: Path, entry: Any) -> Iterator[PlannedPoint]:
    if not isinstance(entry, dict):
        raise UserError(f"{path}: an entry is not an object")
    where = f"entry {entry.get('name', '?')!r}"
    _check_keys(path, where, entry, _ENTRY_KEYS, _OPTIONAL_KEYS)
    for key in ("name", "program"):
        if not _NAME.fullmatch(entry[key]):
            raise UserError(f"{path}: {where}: {key} may hold only letters, digits, . _ -")
    if entry["repetitions"] < 1 or entry["timeout_s"] <= 0:
        raise UserError(f"{path}: {where}: repetitions and timeout_s must be positive")
    axes, options = entry["axes"], entry.get("options", {})
    for axis, axis_values in axes.items():
        if not isinstance(axis_values, list) or not axis_values:
            raise UserError(f"{path}: {where}: axis {axis!r} needs a list of values")
    for name, value in [(axis, value) for axis in axes for value in axes[axis]] \
            + list(options.items()):
        if not _NAME.fullmatch(name) or not _is_value(value):
            raise UserError(f"{path}: {where}: {name!r} has a bad name or the value {value!r}")
    together = entry.get("together", [])
    for axis in together:
        if axis not in axes:
            raise UserError(f"{path}: {where}: {axis!r} in 'together' is not one of its axes")
    apart = [axis for axis in axes if axis not in together]
    for chosen in itertools.product(*(axes[axis] for axis in apart)):
        choice = dict(zip(apart, chosen))
        telling = [f"{axis}={value}" for axis, value in choice.items() if len(axes[axis]) > 1]
        yield PlannedPoint(
            name=",".join([entry["name"], *telling]),
            program=entry["program"],
            axes={axis: axes[axis] if axis in together else [choice[axis]] for axis in axes},
            options=options,
            repetitions=entry["repetitions"],
            timeout_s=float(entry["timeout_s"]),
            tune=entry.get("tune", False),
        )


def _is_value(value: Any) -> bool:
    if isinstance(value, str):
        return _NAME.fullmatch(value) is not None
    return isinstance(value, int) and not isinstance(value, bool)
