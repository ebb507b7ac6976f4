"""Applications: programs of rounds with a grid barrier after each, by what they work on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
from ...query.points import PointTable
from ...query.tables import Table, median_cell, table_by, time_cell
from ...results.applications import at_own_grid
from ...results.loading import Results
from ...results.workload import Axes, Drawing, Question, Unit
from .. import by_input

_MEASURED = ("seconds", "barriers", "barrier_share", "barrier_ns", "tbs_per_sm", "threads_per_block")


def variant(primitive: str, axes: Axes) -> str:
    """Forms of a round with one barrier are compared with each other."""
    form = axes.get("barrier_form", "blocking")
    return primitive if form == "blocking" else f"{primitive}, {form}"


def measured(results: Results, problem: str, rounds: str = "") -> PointTable:
    """All points, with the share of the time that their barriers would take if no block were late. `rounds` names the
    axis with the number of equal rounds of a run, if there is one: points are compared by the time of a round."""
    points = at_own_grid(results.points.with_columns(*_MEASURED, problem))
    if rounds:
        points = points.with_columns(rounds)
        number = pd.to_numeric(points[rounds])
        points = points.assign(**{f"round_seconds{end}": points[f"seconds{end}"] / number
                                  for end in ("_low", "", "_high") if f"seconds{end}" in points})
        points = points.compared_by("round_seconds")
    pure = points["barriers"] * points["barrier_ns"] * 1e-9 / points["seconds"]
    return points.assign(pure_share=pure,
                         form=[variant(primitive, axes) for primitive, axes
                               in zip(points["primitive"], points["axes"])])


def tables(problem: str, heading: str, rounds: str = "", unit: str = "ms") -> Callable[[Results], list[Table]]:
    """Tables by the values of an axis."""
    def made(results: Results) -> list[Table]:
        points = measured(results, problem, rounds)
        forms = dict.fromkeys(points["form"])
        rows = {form: points.where(points["form"] == form) for form in forms}
        return [
            *table_by(problem, rows, time_cell(1e3), "times",
                      f"{unit}, each version at its best grid:", heading),
            *table_by(problem, rows, _percent("barrier_share"), "shares",
                      "Per cent of the blocks' time in barriers, late blocks included:", heading),
            *table_by(problem, rows, _percent("pure_share"), "pure-shares",
                      "Per cent of the time that the barriers would take if no block were late:",
                      heading)]
    return made


def question(need: str, problem: str, rounds: str = "", unit: str = "ms per run") -> Question:
    """The question of an application: which form of a round, with which barrier."""
    def sweeps(results: Results) -> dict[str, PointTable]:
        points = measured(results, problem, rounds)
        return {"each at the grid that the program chooses": points.assign(variant=points["form"])}
    def words(value: Any) -> str:
        return value if isinstance(value, str) else f"{value:,} {problem}"
    return Question(need, Unit(unit, 1e3), sweeps, problem, "problem", words, library=("cooperative_groups", "cub"))


def _percent(share: str) -> Callable[[PointTable], str]:
    return lambda points: median_cell(points, share, lambda part: f"{part * 100:.0f}")


def times(problem: str, title: str, rounds: str = "", unit: str = "ms") -> Drawing:
    """A bar for each version and value of the axis."""
    return by_input.of_points(
        "times", "runs of any version", lambda results: {
            f"{value:,}" if isinstance(value, int) else str(value): part
            for value, part in measured(results, problem, rounds).by(problem).items()},
        lambda part: part.best_time(1e3), unit, title, "Each version with its best form and grid.",
        relative=True)
