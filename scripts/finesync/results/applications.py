"""Applications, programs of rounds with a grid barrier after each: their runs by what they work on, at the
grid that the program chooses, and the tables of all of one GPU."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..query.points import PointRow, PointTable
from ..query.tables import Table, three_digits
from .catalogue import all_in
from .loading import Results
from .registry import workload_of, workloads
from .workload import Workload

# CUDA's own grid barrier.
LIBRARY = "cooperative_groups"
BLOCKING = "blocking"
NOT_RECORDED = "not recorded"
_COLUMNS = ("barriers", "barrier_share", "barrier_ns", "barrier_form", "threads_per_block")


@dataclass(frozen=True, eq=False)
class Run:
    """A program at one problem, if it has an axis for that with a number of rounds. `barriers` has the points of
    kernels that wait at a barrier after each round; `others` those of any other form, by its name."""

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


Cells = Callable[[Run], Sequence[str]]


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
    with_barriers = {own["name"] for own in all_in(results.program) if "types" in own and "template" not in own}
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
    """A form with a barrier has the name of the form of its rounds, another that of its primitive."""
    return str(point["primitive"] if _waits(point) else point["axes"]["barrier_form"])


def of_gpu(loaded: Iterable[Results]) -> list[Table]:
    """Tables with a row for each run; an application without results says so. None if the results
    are not of grid barriers."""
    loaded = list(loaded)
    if not apply_to(loaded):
        return []
    own = among(loaded)
    return [_table(own, "times", "Run time in ms, at the best grid that the program chooses:", [
                f"`{LIBRARY}`", "fastest barrier", "other forms of a round"], _times),
            _table(own, "shares", "What the barriers are of a run:", [
                "barriers", f"ns each, `{LIBRARY}`", "ns each, fastest",
                f"% of the time if no block is late, `{LIBRARY}`", "the same, fastest",
                f"% of the blocks' time, late blocks included, `{LIBRARY}`", "the same, fastest"],
                   _shares),
            _table(own, "worth", f"What the fastest barrier is worth, against `{LIBRARY}`:", [
                "% of the time that the barriers' costs differ by", "% saved", "fastest barrier"],
                   _worth),
            _crossovers(own)]


def crossover(line: Sequence[tuple[float, float]]) -> str:
    """At which lengths of a level, in us, a form is faster: where its ratio to the other is below 1."""
    faster = [ratio < 1 for _, ratio in sorted(line)]
    lengths = [three_digits(length) for length, _ in sorted(line)]
    turns = [place for place in range(1, len(faster)) if faster[place] != faster[place - 1]]
    if not turns:
        return "at all" if faster[0] else "at none"
    if len(turns) > 1:
        return "now and then"
    between = f"{lengths[turns[0] - 1]} to {lengths[turns[0]]} us"
    return f"{'up to' if faster[0] else 'from'} {between}"


def lines(results: Results) -> dict[str, list[tuple[float, float]]]:
    """By contender: the lengths of a level in us, and the contender's times over those of the persistent kernel."""
    found: dict[str, list[tuple[float, float]]] = {}
    for run in longest_runs(results):
        if run.persistent is None:
            continue
        for name, point in run.contenders().items():
            found.setdefault(name, []).append((
                level_seconds(run.persistent) * 1e6,
                point.time.median / run.persistent.time.median))
    return {name: sorted(line) for name, line in found.items()}


def _table(own: dict[str, Results], name: str, title: str, columns: Sequence[str], cells: Cells) -> Table:
    rows: dict[str, Sequence[str]] = {}
    for program in programs():
        found = runs(own[program]) if program in own else []
        rows |= {run.name: cells(run) for run in found} or {program: [NOT_RECORDED, *[""] * (len(columns) - 1)]}
    return Table(f"applications-{name}", title, "program, problem (of sums: words x rounds)", columns, rows)


def _times(run: Run) -> Sequence[str]:
    return [_time(run.library, run), _named(run.persistent, run),
            ", ".join(f"{_milliseconds(point)} ({name})"
                      for name, point in run.contenders().items())]


def _time(point: PointRow | None, run: Run) -> str:
    return run.barriers.of_primitives(LIBRARY).failure_word() if point is None else _milliseconds(point)


def _named(point: PointRow | None, run: Run) -> str:
    return run.barriers.failure_word() if point is None else f"{_milliseconds(point)} (`{point['primitive']}`)"


def _milliseconds(point: PointRow) -> str:
    return three_digits(point.time.median * 1e3)


def _shares(run: Run) -> Sequence[str]:
    both = [run.library, run.persistent]
    numbers: list[Callable[[PointRow], float | None]] = [
        lambda point: point.median("barrier_ns"), lambda point: 100 * pure_share(point),
        lambda point: _percent(point.median("barrier_share"))]
    known = next((point for point in both if point is not None), None)
    return ["" if known is None else f"{known['barriers']:,.0f}",
            *("" if point is None or (value := number(point)) is None else three_digits(value)
              for number in numbers for point in both)]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _worth(run: Run) -> Sequence[str]:
    if run.library is None or run.persistent is None:
        return [run.barriers.failure_word(), "", ""]
    theirs, ours = run.library, run.persistent
    costs = theirs["barriers"] * (theirs["barrier_ns"] - ours["barrier_ns"]) * 1e-9
    whole = theirs.time.median
    return [three_digits(100 * costs / whole), three_digits(100 * (1 - ours.time.median / whole)),
            f"`{ours['primitive']}`"]


def _crossovers(own: dict[str, Results]) -> Table:
    rows: dict[str, Sequence[str]] = {}
    for program in programs():
        found = lines(own[program]) if program in own else {}
        rows |= {f"{program}, {name}": [
            f"{three_digits(line[0][0])} to {three_digits(line[-1][0])}", crossover(line)]
            for name, line in found.items()} or {
                program: [NOT_RECORDED if program not in own else "no other form", ""]}
    return Table("applications-crossover", "At which lengths of a level another form of a round is "
                 "faster than the persistent kernel with its fastest barrier:", "program, form",
                 ["us a level", "faster"], rows)
