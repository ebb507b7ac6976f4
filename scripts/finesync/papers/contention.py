"""Points of programs with the axis collision-factor, the number of distinct keys (ASPLOS'19)."""

from __future__ import annotations

from typing import Any

from ..query.points import PointRow, PointTable, Spread
from . import published

SIZE_OF_SECTION = "section_work"


def of_sizes(*sizes: str) -> dict[str, dict[str, int]]:
    """Inputs by their number of distinct keys, as the paper writes it: 256, 32K."""
    return {size: {"collision_factor": published.factor(size)} for size in sizes}


def with_time_per_operation(points: PointTable, operations: str) -> PointTable:
    """The points with their numbers of operations, compared by seconds per operation. Candidates
    that failed while tuning are left out."""
    number = points[operations].astype(float)
    seconds = {f"seconds_each{end}": points[f"seconds{end}"] / number
               for end in ("", "_low", "_high") if f"seconds{end}" in points}
    asked_for = points.where(~points["excluded"])
    return asked_for.assign(operations=number, **seconds).compared_by("seconds_each")


def as_run(point: PointRow) -> dict[str, Any]:
    """The axes of a point, with what it ran with where they leave that open ("auto")."""
    ran = point["effective"]
    return {axis: ran.get(axis, value) if value == "auto" else value for axis, value in point["axes"].items()}


def with_section_work(points: PointTable) -> PointTable:
    """The points of a sweep whose launches were also run with arithmetic in the section, at the same collision factor.
    All points of a line have the same launch: the grid and, for servers, their number and rings."""
    points = points.main_sweep_points()
    launches = [(point["primitive"],
                 *sorted(item for item in as_run(point).items()
                         if item[0] not in ("collision_factor", SIZE_OF_SECTION)))
                for point in points]
    points = points.assign(launch=points.column_of(launches))
    places = points.column_of(list(zip(points["launch"], points["collision_factor"])))
    return points.where(places.isin(set(places[points.above(SIZE_OF_SECTION)])))


def slowdown(line: PointTable) -> dict[int, Spread]:
    """Run time relative to that without the loop, by loop size; empty if the latter failed."""
    plain = line.select(section_work=0).fastest_point()
    if plain is None:
        return {}
    good = line.where(line["ok"] & (line["launch"] == plain["launch"]))
    return {point[SIZE_OF_SECTION]: point.spread("seconds").over(plain.spread("seconds"))
            for point in good.sorted_by(SIZE_OF_SECTION)}
