"""ASPLOS'19's benchmarks, each a pair of a program and an input. The catalogue's roles say which
primitives compete in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..query.points import PointRow, PointTable, Spread, no_points
from ..query.tables import three_digits
from ..results.catalogue import primitives_of
from ..results.errors import UserError
from ..results.loading import Results
from ..results.registry import workload_of, workloads
from ..results.schemas import LENT
from ..results.workload import Axes, PaperBenchmarks, Workload
from . import contention

# Roles: published primitives, those that compete with them, and all that a practitioner may use.
PRINTED = ("paper_lock",)
LOCKS = ("paper_lock", "baseline_lock")
PRINTED_SERVER, SERVER = ("paper_server",), ("server",)
SERVERS = (*PRINTED_SERVER, *SERVER)
OURS = ("baseline_lock", "server", "other")
COMPETITORS = {"the paper's servers": PRINTED_SERVER, "our servers": SERVER, "our best of any kind": OURS}

_MOST_NAMES = 2  # in a cell
# Launches that take at most that times the least time are as good: repetitions differ as much.
_AS_GOOD = 1.03
NOT_RECORDED, NO_VERSION = "not recorded", "no such version"
# Columns that every benchmark's points have.
_COLUMNS = ("collision_factor", contention.SIZE_OF_SECTION, "lock_transfer_cycles", LENT)
# For a published server of two locks that lends none, by its rows or because these do not say.
LENDS_NONE, LENT_UNKNOWN = "lends no lock", "lent locks not counted"


@dataclass(frozen=True, eq=False)
class PaperBenchmark:
    """A program and an input, with their points: none if the pair was not recorded."""

    name: str
    printed: str
    roles: Mapping[str, str]
    points: PointTable
    gpu: Mapping[str, Any]
    two_locks: bool = False

    @property
    def plain(self) -> PointTable:
        """The points with the program's own sections, without added work."""
        return self.points.select(**{contention.SIZE_OF_SECTION: 0})

    def names(self, roles: tuple[str, ...]) -> list[str]:
        return [name for name, role in self.roles.items() if role in roles]

    def of_roles(self, roles: tuple[str, ...]) -> PointTable:
        """The points of all primitives with these roles; a table without points says why."""
        names = self.names(roles)
        return self.of_primitives(*names) if names else self.points.none(NO_VERSION)

    def of_primitives(self, *names: str) -> PointTable:
        """The same of these primitives."""
        if self.points.empty:
            return self.points.none(NOT_RECORDED)
        found = self.plain.of_primitives(*names)
        if found.empty:
            return found.none(none_of(names))
        return self._as_published(found) if self.two_locks else found

    def _as_published(self, found: PointTable) -> PointTable:
        """These points without those of published servers that lend no lock, and so leave out what
        is published of two locks."""
        idle = found["primitive"].isin(self.names(PRINTED_SERVER)) & found["ok"] & ~found.above(LENT)
        if idle.any() and idle.all():
            return found.none(LENDS_NONE if found[LENT].notna().any() else LENT_UNKNOWN)
        return found.where(~idle)

    def baselines(self) -> dict[str, PointTable]:
        """The points of each baseline, by its name. The fastest point is the baseline."""
        printed, locks = (self.plain.of_primitives(*self.names(roles)) for roles in (PRINTED, LOCKS))
        return {f"{self.printed} at full occupancy": printed.at_full_occupancy(dict(self.gpu)),
                f"{self.printed} at its best grid": printed, "the best lock": locks}

    def speedup(self, roles: tuple[str, ...], baseline: tuple[str, ...]) -> Spread | str:
        """The speed-up of the fastest primitive of some roles over the fastest of others, each at
        its best grid; or a word that says why there is none."""
        return over(self.of_roles(roles), self.of_roles(baseline))


def none_of(names: Sequence[str]) -> str:
    """The words for primitives without points."""
    if len(names) > _MOST_NAMES:
        return "none recorded"
    return f"{' and '.join(names)} not recorded"


def over(own: PointTable, base: PointTable, named: str = "locks ") -> Spread | str:
    """The speed-up of the fastest point over that of the baseline. If this never ended, its time
    limit gives the least speed-up. `named` begins the word for a baseline that ran without a result."""
    found, best, limit = own.speedup_over(base), own.fastest_point(), base.time_limit()
    if isinstance(found, Spread) or best is None or base.why:
        return found
    return f"{named}{found}" if limit is None else f"at least {three_digits(limit / best.time.median)}x"


def relative_time(own: PointTable, base: PointTable) -> Spread | str:
    """The run time of the fastest point over that of the baseline's; or a bound if one of both
    never ended within its time limit."""
    found = base.speedup_over(own)
    if isinstance(found, Spread):
        return found
    mine, theirs = own.fastest_point(), base.fastest_point()
    if mine is not None and (limit := base.time_limit()) is not None:
        return f"at most {three_digits(mine.time.median / limit)}"
    if theirs is not None and (limit := own.time_limit()) is not None:
        return f"at least {three_digits(limit / theirs.time.median)}"
    return found


# The inputs of a program that a figure or a table has.
Inputs = Callable[[PaperBenchmarks], Mapping[str, Axes]]


def of_figure_7(own: PaperBenchmarks) -> Mapping[str, Axes]:
    return own.inputs


def of_figure_8(own: PaperBenchmarks) -> Mapping[str, Axes]:
    return {**own.inputs, **own.large_inputs}


def of_all_tables(own: PaperBenchmarks) -> Mapping[str, Axes]:
    return {**own.inputs, **own.table_4_inputs}


def inputs_of(program: str) -> dict[str, Axes]:
    """The axes of each pair of a program, by the pair's name."""
    own = workloads()[program].paper_benchmarks
    return {} if own is None else {f"{own.name}-{name}": axes for name, axes in
                                   {**of_all_tables(own), **own.large_inputs}.items()}


def benchmarks_of(program: str, results: Results | None, inputs_in: Inputs = of_all_tables) -> list[PaperBenchmark]:
    """The benchmarks of a program in the order of their inputs."""
    workload = workloads()[program]
    own = workload.paper_benchmarks
    if own is None:
        return []
    points = no_points(*_COLUMNS) if results is None else _points(own, results)
    inputs = inputs_in(own)
    ordered = sorted(inputs, key=lambda name: tuple(inputs[name].values()))
    return [PaperBenchmark(f"{own.name}-{name}", own.printed, _roles(workload),
                           points if results is None else points.select(**inputs[name]),
                           {} if results is None else results.gpu, own.two_locks)
            for name in ordered]


def benchmark_at(results: Results, axes: Axes) -> PaperBenchmark:
    """A benchmark of an input that need not be one of the paper's, by the axes that select it."""
    workload = workload_of(results)
    own = workload.paper_benchmarks if workload else None
    if workload is None or own is None:
        raise UserError(f"{results.path}: {results.program} is no benchmark of ASPLOS'19")
    said = " ".join(map(str, axes.values()))
    return PaperBenchmark(f"{own.name}-{said}", own.printed, _roles(workload),
                          _points(own, results).select(**axes), results.gpu, own.two_locks)


def _roles(workload: Workload) -> dict[str, str]:
    return {entry["name"]: entry["role"]
            for entry in primitives_of(workload.program, workload.families, workload.without)}


def _points(own: PaperBenchmarks, results: Results) -> PointTable:
    return own.points(results).with_columns(*_COLUMNS)


def all_benchmarks(all_results: Iterable[Results], kind: str = "gpu",
                   inputs_in: Inputs = of_figure_7) -> list[PaperBenchmark]:
    """The benchmarks of all programs that have any, recorded or not."""
    recorded: dict[str, Results] = {}
    for results in all_results:
        workload = workload_of(results)
        if workload and results.kind == kind:
            recorded.setdefault(workload.program, results)
    return [benchmark for program in workloads()
            for benchmark in benchmarks_of(program, recorded.get(program), inputs_in)]


def geometric_mean(found: Iterable[Spread | str]) -> tuple[float, int]:
    """The geometric mean of the numbers among these (0 for none), and their count."""
    logarithms = [math.log(one.median) for one in found if isinstance(one, Spread)]
    if not logarithms:
        return 0.0, 0
    return math.exp(sum(logarithms) / len(logarithms)), len(logarithms)


def options_of_fastest(results: Results, primitive: str, where: Mapping[str, Any],
                       least: Mapping[str, int]) -> dict[str, Any]:
    """The options that a primitive was fastest with, as a plan has them, at these axes, which
    select an input. Of launches that have the facts in `least`, only those with at least these
    values count. Options that were left open are not among them."""
    said = ", ".join([primitive, *(f"{axis} {value}" for axis, value in where.items())])
    pair = benchmark_at(results, where)
    points = pair.of_primitives(primitive)
    points = points.where([all(ran.get(fact, number) >= number for fact, number in least.items())
                           for ran in points["effective"]])
    best = points.fastest_point()
    if best is None:
        raise UserError(f"{results.path}: no fastest launch of {said}: {points.failure_word()}")
    return {axis.replace("_", "-"): value for axis, value in best["axes"].items() if value != "auto"}


def other_launch(counted: PaperBenchmark, timed: PaperBenchmark, roles: tuple[str, ...]) -> str:
    """How the launch whose traffic was counted differs from the fastest; empty if it does not."""
    points = timed.of_roles(roles)
    here, best = counted.of_roles(roles).fastest_point(), points.fastest_point()
    if here is None or best is None or _launch(here) == _launch(best):
        return ""
    same = points.where([_launch(point) == _launch(here) for point in points]).fastest_time()
    if same is None:
        return f"at {here.grid_label(dict(counted.gpu))}, not timed"
    factor = same.median / best.time.median
    return "" if factor <= _AS_GOOD else f"at {here.grid_label(dict(counted.gpu))}, {factor:.1f} times the least time"


def _launch(point: PointRow) -> tuple[str, Mapping[str, Any]]:
    return point["primitive"], point["effective"]
