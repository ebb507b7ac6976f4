"""Sweep plans: read, checked (fields: schemas/plan.schema.json), and expanded into points."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

from ..results import schemas
from ..results.catalogue import primitives_of
from ..results.errors import UserError
from ..results.json_files import once, read_json
from ..results.registry import plans, workload_named

MACHINES = {"gpu": "gpu", "host": "host executor"}
ENGINES_OF_PROCESSES = frozenset({"nccl", "nvshmem"})  # MPI starts a process per GPU
# A file's name has up to 255 letters, and files of a point may begin and end with a few of their own.
_LONGEST_NAME = 230
# Where scripts/fetch_inputs.py puts files, below the folder that scripts run in.
_FETCHED = "inputs/fetched/"

Value = Union[int, str]


@dataclass(frozen=True)
class PlannedPoint:
    """The work of one process: one value per axis; axes in `together` keep all their values.

    With `tune` the program chooses the values of axes that are not given. With `stalls` traffic.py also counts why
    warps stall, and with `whole_run` it counts all kernels of the run at once. With `fastest_launch` it completes the
    options by those of the fastest launch that was timed, with at least these facts."""

    name: str
    program: str
    axes: dict[str, list[Value]]
    options: dict[str, Value]
    repetitions: int
    timeout_s: float
    tune: bool = False
    stalls: bool = False
    whole_run: bool = False
    fastest_launch: Mapping[str, int] | None = None

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

    @property
    def processes(self) -> int:
        """How many processes MPI starts for it, one per GPU; 0 for a program that is started alone."""
        given = {axis: values[0] for axis, values in self.axes.items()} | self.options
        return int(given.get("gpus", 1)) if given.get("engine") in ENGINES_OF_PROCESSES else 0

    def has(self, entry: str, settings: Iterable[str]) -> bool:
        """Whether it is a point of this entry with these AXIS=VALUE."""
        given = {f"{axis}={value}" for axis, values in self.axes.items() for value in values}
        return self.name.split(",")[0] == entry and given.issuperset(settings)

    def combinations(self) -> Iterator[dict[str, Value]]:
        """Every combination of axes that the process should report in a row."""
        for chosen in itertools.product(*self.axes.values()):
            yield dict(zip(self.axes, chosen))


@dataclass(frozen=True)
class Plan:
    """A plan file and its points in the order in which they run."""

    path: Path
    program: str
    description: str
    machine: str
    points: list[PlannedPoint]

    @property
    def name(self) -> str:
        """The name of its results file: ht_gpu."""
        return f"{self.program}_{self.path.stem}"


def load_plan(path: Path) -> Plan:
    """Reads and checks a plan; every error is a UserError of one line."""
    raw = _whole(path)
    points = [point for entry in raw["entries"] if _has_its_files(entry)
              for point in _points(path, raw["program"], raw["machine"], entry)]
    if raw["machine"] == "host" and any(point.tune for point in points):
        raise UserError(f"{path}: 'tune' needs a GPU: the host executor measures no time")
    names = [point.name for point in points]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise UserError(f"{path}: two points are named {twice!r}")
    if longest := [name for name in names if len(name) > _LONGEST_NAME]:
        raise UserError(f"{path}: the name of a point is that of its file, and {longest[0][:40]}... "
                        f"has more than {_LONGEST_NAME} letters")
    return Plan(path, raw["program"], raw["description"], raw["machine"], points)


load_plan_once = once(load_plan)


def plans_of(kinds: Sequence[str], programs: str = "") -> list[Plan]:
    """All plans of some kinds, or those of some programs: "mutex,ht"."""
    every = [load_plan(path) for kind in kinds for path in plans(kind)]
    known = list(dict.fromkeys(plan.program for plan in every))
    wanted = programs.split(",") if programs else known
    for program in wanted:
        if program not in known:
            raise UserError(f"--only: {program!r} has no {' or '.join(kinds)} plan; programs that have "
                            f"one: {', '.join(known)}")
    return [plan for plan in every if plan.program in wanted]


def selected(plan: Plan, wanted: Sequence[str]) -> list[PlannedPoint]:
    """The points of some entries, each ENTRY or ENTRY,AXIS=VALUE with any number of values; all
    points if none is wanted."""
    chosen = []
    for words in wanted:
        entry, *settings = words.split(",")
        matching = [point for point in plan.points if point.has(entry, settings)]
        if not matching:
            raise UserError(f"{plan.path}: no point matches {words!r}")
        chosen += matching
    return [point for point in plan.points if point in chosen] if wanted else plan.points


def _read(path: Path) -> dict[str, Any]:
    raw: dict[str, Any] = read_json(path)
    schemas.check(path, raw, "plan")
    return raw


def _whole(path: Path) -> dict[str, Any]:
    """A checked plan. One that is made from another has that plan's entries, those that it names or all
    but some, with its changes and each entry's own."""
    raw = _read(path)
    if "from" not in raw:
        return raw
    other = _read(path.parent / raw["from"])
    if "from" in other:
        raise UserError(f"{path}: {raw['from']} is made from another plan itself")
    others = {entry["name"]: entry for entry in other["entries"]}
    entries = []
    for named in raw.get("entries", [{"of": name} for name in others if name not in raw.get("without", ())]):
        if named["of"] not in others:
            raise UserError(f"{path}: {raw['from']} has no entry {named['of']!r}")
        entry = others[named["of"]]
        for change in (raw.get("changes", {}), {"name": named["of"], **named}):
            parts = {part: {**entry.get(part, {}), **change[part]} for part in ("axes", "options") if part in change}
            entry = {**entry, **change, **parts}
        entries.append(entry)
    return {**raw, "entries": entries}


def _has_its_files(entry: dict[str, Any]) -> bool:
    """Whether the fetched files among an entry's options, if there are any, are here."""
    return all(Path(value).exists() for value in entry.get("options", {}).values() if str(value).startswith(_FETCHED))


def _with_all_named(program: str, machine: str, entry: dict[str, Any]) -> dict[str, list[Value]]:
    """An entry's axes with every primitive in place of the primitive "all", or with those of a
    family in place of "all-locks"; without primitives that lack one of the entry's axes or need another
    library than its engine, and on the host without those that need CUDA."""
    axes: dict[str, list[Value]] = entry["axes"]
    given = {*axes, *entry.get("options", {})}
    engine = entry.get("options", {}).get("engine")
    named = axes.get("primitive", [])
    if not any(str(name).split("-")[0] == "all" for name in named):
        return axes
    workload = workload_named(program)
    families = workload.families
    of_one = {**families, **workload.gpus_families}
    meant = {"all": families, **{f"all-{name}": {name: use} for name, use in of_one.items()}}
    return {**axes, "primitive": [
        one for name in named for one in (
            [primitive["name"]
             for primitive in primitives_of(program, meant[str(name)], workload.without)
             if given.isdisjoint(primitive.get("lacks", ())) and primitive.get("needs", engine) == engine
             and (machine == "gpu" or not primitive.get("cuda_only"))] if name in meant else [name])]}


def _points(path: Path, program: str, machine: str, entry: dict[str, Any]) -> Iterator[PlannedPoint]:
    axes, together = _with_all_named(program, machine, entry), entry.get("together", [])
    for axis in together:
        if axis not in axes:
            raise UserError(f"{path}: entry {entry['name']!r}: {axis!r} in 'together' is not one "
                            "of its axes")
    engines = axes.get("engine", [entry.get("options", {}).get("engine")])
    if not ENGINES_OF_PROCESSES.isdisjoint(engines) and not {"gpus", "engine"}.isdisjoint(together):
        raise UserError(f"{path}: entry {entry['name']!r}: 'gpus' and 'engine' cannot be in 'together':"
                        " they say which processes run")
    apart = [axis for axis in axes if axis not in together]
    for chosen in itertools.product(*(axes[axis] for axis in apart)):
        choice = dict(zip(apart, chosen))
        telling = [f"{axis}={value}" for axis, value in choice.items() if len(axes[axis]) > 1]
        yield PlannedPoint(
            name=",".join([entry["name"], *telling]),
            program=program,
            axes={axis: axes[axis] if axis in together else [choice[axis]] for axis in axes},
            options=entry.get("options", {}),
            repetitions=entry["repetitions"],
            timeout_s=float(entry["timeout_s"]),
            tune=entry.get("tune", False),
            stalls=entry.get("stalls", False),
            whole_run=entry.get("whole_run", False),
            fastest_launch=entry.get("fastest_launch"),
        )
