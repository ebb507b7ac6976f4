"""The tables of all applications of one GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..query.points import PointRow
from ..query.tables import Table, three_digits
from . import applications
from .applications import LIBRARY, Run, level_seconds, pure_share
from .loading import Results

NOT_RECORDED = "not recorded"
Cells = Callable[[Run], Sequence[str]]


def of_gpu(loaded: Iterable[Results]) -> list[Table]:
    """Tables with a row for each run; an application without results says so. None if the results
    are not of grid barriers."""
    loaded = list(loaded)
    if not applications.apply_to(loaded):
        return []
    own = applications.among(loaded)
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
    """At which lengths of a level, in us, a form is faster: where its ratio to the other is below
    1."""
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
    """By contender: the lengths of a level in us, and the contender's times over those of the
    persistent kernel."""
    found: dict[str, list[tuple[float, float]]] = {}
    for run in applications.longest_runs(results):
        if run.persistent is None:
            continue
        for name, point in run.contenders().items():
            found.setdefault(name, []).append((
                level_seconds(run.persistent) * 1e6,
                point.time.median / run.persistent.time.median))
    return {name: sorted(line) for name, line in found.items()}


def _table(own: dict[str, Results], name: str, title: str, columns: Sequence[str],
           cells: Cells) -> Table:
    rows: dict[str, Sequence[str]] = {}
    for program in applications.programs():
        found = applications.runs(own[program]) if program in own else []
        rows |= {run.name: cells(run) for run in found} or {
            program: [NOT_RECORDED, *[""] * (len(columns) - 1)]}
    return Table(f"applications-{name}", title, "program, problem (of sums: words x rounds)", columns, rows)


def _times(run: Run) -> Sequence[str]:
    return [_time(run.library, run), _named(run.persistent, run),
            ", ".join(f"{_milliseconds(point)} ({name})"
                      for name, point in run.contenders().items())]


def _time(point: PointRow | None, run: Run) -> str:
    return run.barriers.of_primitives(LIBRARY).failure_word() if point is None \
        else _milliseconds(point)


def _named(point: PointRow | None, run: Run) -> str:
    return run.barriers.failure_word() if point is None \
        else f"{_milliseconds(point)} (`{point['primitive']}`)"


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
    for program in applications.programs():
        found = lines(own[program]) if program in own else {}
        rows |= {f"{program}, {name}": [
            f"{three_digits(line[0][0])} to {three_digits(line[-1][0])}", crossover(line)]
            for name, line in found.items()} or {
                program: [NOT_RECORDED if program not in own else "no other form", ""]}
    return Table("applications-crossover", "At which lengths of a level another form of a round is "
                 "faster than the persistent kernel with its fastest barrier:", "program, form",
                 ["us a level", "faster"], rows)
