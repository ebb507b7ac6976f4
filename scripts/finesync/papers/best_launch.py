"""The launch with which a primitive stands in figure 7: its fastest recorded one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..query.points import PointRow
from ..results.errors import UserError
from ..results.loading import Results
from . import paper_benchmarks
from .paper_benchmarks import PaperBenchmark

# Launches that take at most that times the least time are as good: repetitions differ as much.
_AS_GOOD = 1.03


def options_of_fastest(results: Results, primitive: str, where: Mapping[str, Any],
                       least: Mapping[str, int]) -> dict[str, Any]:
    """The options that a primitive was fastest with, as a plan has them, at these axes, which
    select an input. Of launches that have the facts in `least`, only those with at least these
    values count. Options that were left open are not among them."""
    said = ", ".join([primitive, *(f"{axis} {value}" for axis, value in where.items())])
    pair = paper_benchmarks.benchmark_at(results, where)
    points = pair.of_primitives(primitive)
    if not isinstance(points, str):
        points = points.where([all(ran.get(fact, number) >= number
                                   for fact, number in least.items())
                               for ran in points["effective"]])
    best = points if isinstance(points, str) else points.fastest_point()
    if best is None or isinstance(best, str):
        why = best if isinstance(points, str) else points.failure_word()
        raise UserError(f"{results.path}: no fastest launch of {said}: {why}")
    return {axis.replace("_", "-"): value for axis, value in best["axes"].items()
            if value != "auto"}


def other_launch(counted: PaperBenchmark, timed: PaperBenchmark, roles: tuple[str, ...]) -> str:
    """How the launch whose traffic was counted differs from the fastest; empty if it does not."""
    own, points = counted.of_roles(roles), timed.of_roles(roles)
    if isinstance(own, str) or isinstance(points, str):
        return ""
    here, best = own.fastest_point(), points.fastest_point()
    if here is None or best is None or _launch(here) == _launch(best):
        return ""
    same = points.where([_launch(point) == _launch(here) for point in points]).fastest_time()
    if same is None:
        return f"at {here.grid_label(dict(counted.gpu))}, not timed"
    factor = same.median / best.time.median
    return "" if factor <= _AS_GOOD else \
        f"at {here.grid_label(dict(counted.gpu))}, {factor:.1f} times the least time"


def _launch(point: PointRow) -> tuple[str, Mapping[str, Any]]:
    return point["primitive"], point["effective"]
