"""Points of programs whose axis is how many data there are to contend for, as in ASPLOS'19."""

from __future__ import annotations

from ..results.point_table import PointTable, Spread
from . import published

SIZE_OF_SECTION = "section_work"


def of_sizes(*sizes: str) -> dict[str, dict[str, int]]:
    """Inputs by their number of data, as the paper writes it: 256, 32K."""
    return {size: {"collision_factor": published.factor(size)} for size in sizes}


def with_time_per_operation(points: PointTable, operations: str) -> PointTable:
    """The points with their operations, compared by the seconds of each; without candidates that
    failed while tuning, which were not asked for."""
    number = points[operations].astype(float)
    seconds = {f"seconds_each{end}": points[f"seconds{end}"] / number
               for end in ("", "_low", "_high") if f"seconds{end}" in points}
    asked_for = points.where(~points["excluded"])
    return asked_for.assign(operations=number, **seconds).compared_by("seconds_each")


def with_section_work(points: PointTable) -> PointTable:
    """Of the points of a sweep, those of launches that were also run with arithmetic in the
    section, at the same collision factor. What must be the same along a line is the launch: the
    grid and, for servers, their number and rings."""
    points = points.main_sweep_points()
    launches = [(primitive, *sorted(item for item in axes.items()
                                    if item[0] not in ("collision_factor", SIZE_OF_SECTION)))
                for primitive, axes in zip(points["primitive"], points["axes"])]
    points = points.assign(launch=points.column_of(launches))
    places = points.column_of(list(zip(points["launch"], points["collision_factor"])))
    return points.where(places.isin(set(places[points.above(SIZE_OF_SECTION)])))


def slowdown(line: PointTable) -> dict[int, Spread]:
    """Run time over that without the loop, by loop size; empty if that one failed."""
    plain = line.select(section_work=0).fastest_point()
    if plain is None:
        return {}
    good = line.where(line["ok"] & (line["launch"] == plain["launch"]))
    return {point[SIZE_OF_SECTION]: point.spread("seconds").over(plain.spread("seconds"))
            for point in good.sorted_by(SIZE_OF_SECTION)}
