"""Applications, programs of rounds with a grid barrier after each: their runs by what they work on,
at the grid that the program chooses."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..query.points import PointRow, PointTable
from .catalogue import all_in
from .loading import Results
from .registry import workload_of, workloads
from .workload import Workload

# CUDA's own grid barrier.
LIBRARY = "cooperative_groups"
BLOCKING = "blocking"
_COLUMNS = ("barriers", "barrier_share", "barrier_ns", "barrier_form", "threads_per_block")


@dataclass(frozen=True, eq=False)
class Run:
    """A program at one problem, if it has an axis for that with a number of rounds. `barriers` has
    the points of kernels that wait at a barrier after each round; `others` those of any other form,
    by its name."""

    program: str
    problem: Any
    rounds: int | None
    barriers: PointTable
    others: dict[str, PointTable]

    @functools.cached_property
    def persistent(self) -> PointRow | None:
        """The fastest kernel with a barrier after each round."""
        return self.barriers.fastest_point()

    @functools.cached_property
    def library(self) -> PointRow | None:
        """The same with CUDA's own barrier."""
        return self.barriers.of_primitives(LIBRARY).fastest_point()

    def contenders(self) -> dict[str, PointRow]:
        """The fastest point of each other form."""
        found = {name: points.fastest_point() for name, points in self.others.items()}
        return {name: point for name, point in found.items() if point is not None}

    @property
    def problem_name(self) -> str:
        return f"{self.problem:,}" if isinstance(self.problem, int) else str(self.problem)

    @property
    def name(self) -> str:
        rounds = "" if self.rounds is None else f" x {self.rounds}"
        return f"{self.program}, {self.problem_name}{rounds}"


def programs() -> dict[str, Workload]:
    """The applications by their programs."""
    return {program: workload for program, workload in workloads().items() if workload.problem}


def among(loaded: Iterable[Results]) -> dict[str, Results]:
    """Those of the results that are an application's times, by their programs."""
    found = {results.program: results for results in loaded if results.kind == "gpu"}
    return {program: found[program] for program in programs() if program in found}


def apply_to(loaded: Iterable[Results]) -> bool:
    """Whether results of one GPU are of grid barriers, alone or in an application."""
    found = [workload_of(results) for results in loaded if results.kind == "gpu"]
    return any(workload and workload.families.get("barriers") == "grid" for workload in found)


def runs(results: Results) -> list[Run]:
    """The runs of an application, in the order of its problems and of numbers of rounds: the launch
    of a run weighs less the more rounds it has."""
    workload = workload_of(results)
    assert workload is not None
    axes = [axis for axis in (workload.problem, workload.rounds) if axis]
    points = results.points.with_columns(*_COLUMNS, *axes)
    points = at_own_grid(points.where(~points["excluded"]))
    # One with a template of its own is another kernel, as is one that the library has no type for.
    with_barriers = {own["name"] for own in all_in(results.program)
                     if "types" in own and "template" not in own}
    points = points.assign(form=[
        "" if own["primitive"] in with_barriers and _waits(own) else _name(own) for own in points])
    return [Run(results.program, problem, rounds, own.where(own["form"] == ""),
                {form: own.where(own["form"] == form) for form in own["form"].unique() if form})
            for problem, alike in points.by(workload.problem).items()
            for rounds, own in (alike.by(workload.rounds) if workload.rounds
                                else {None: alike}).items()]


def longest_runs(results: Results) -> list[Run]:
    """The run of the most rounds of each problem."""
    return list({run.problem: run for run in runs(results)}.values())


def at_own_grid(points: PointTable) -> PointTable:
    """The points at the grid that the program chooses; all if none is. Others are of sweeps over
    grids, on inputs of their own."""
    own = points.select(threads_per_block="auto")
    return points if own.empty else own


def level_seconds(point: PointRow) -> float:
    """The length of a level: a round with its barrier."""
    return point.time.median / float(point["barriers"])


def pure_share(point: PointRow) -> float:
    """The share of the time that the barriers would take if no block were late."""
    return float(point["barriers"] * point["barrier_ns"] * 1e-9 / point.time.median)


def _waits(point: PointRow) -> bool:
    return point["axes"].get("barrier_form", BLOCKING) == BLOCKING


def _name(point: PointRow) -> str:
    """A form with a barrier has the name of the form of its rounds, another that of its primitive.
    """
    return str(point["primitive"] if _waits(point) else point["axes"]["barrier_form"])
