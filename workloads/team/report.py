"""`team`: barriers of teams of blocks, all teams at once (docs/library/barriers.md)."""

from __future__ import annotations

from finesync.figures import by_input
from finesync.query.points import PointTable, Spread
from finesync.query.tables import Table, best_cell, counts_per_round, tables_by, three_digits
from finesync.results.loading import Results
from finesync.results.workload import Question, Unit, Workload

_TIME = "seconds_per_operation"


def measured(results: Results) -> PointTable:
    points = results.points.with_columns("team_size", "crossing", "words", _TIME)
    return points.assign(variant=points["primitive"])


def by_setting(results: Results) -> dict[str, PointTable]:
    """The points compared by their time: teams apart or crossing, with words or without."""
    points = measured(results).compared_by(_TIME)
    names = {("no", 0): "teams apart, nothing in between", ("no", 1): "teams apart, a word passed on",
             ("yes", 0): "rows and columns in turn, nothing in between",
             ("yes", 1): "rows and columns in turn, a word passed on"}
    settings = {name: points.select(crossing=crossing, words=words) for (crossing, words), name in names.items()}
    return {name: own for name, own in settings.items() if not own.empty}


def _time(points: PointTable) -> Spread | str:
    """Microseconds of a barrier, of the first ok point."""
    return points.best(lambda point: point.time.scaled(1e6), first=True)


def gpu_tables(results: Results) -> list[Table]:
    cell = best_cell(lambda point: three_digits(point.time.median * 1e6), first=True)
    return [table for place, (name, own) in enumerate(by_setting(results).items())
            for table in tables_by({name: own}, "team_size", cell, f"teams-{place}",
                                   "Microseconds per barrier, {group}:", "blocks of a team")]


def host_tables(results: Results) -> list[Table]:
    points = measured(results)
    return [table for size in points.values("team_size")[:1]
            for table in counts_per_round(points.select(team_size=size), "team", "Operations per barrier, "
                                          f"teams of {size}, counted on the host executor:")]


def _panels(results: Results) -> dict[str, PointTable]:
    """The teams of each size, with nothing in between."""
    points = next(iter(by_setting(results).values()), None)
    return {f"teams of {size}": own for size, own in points.by("team_size").items()} if points else {}


WORKLOAD = Workload(
    program="team",
    operation="barrier",
    families={"teams": "team"},
    small_run="--team-size 2,all --threads-per-block 64 --rounds 4",
    figures={"gpu": (by_input.of_points(
        "teams", "barriers of teams of blocks", _panels, _time, "us per barrier",
        "Barriers of teams of blocks, all teams at once", "One block per SM, nothing in between."),)},
    tables={"gpu": gpu_tables, "host": host_tables},
    question=Question("a barrier of some of the blocks", Unit("µs per barrier", 1e6), by_setting,
                      "team_size", "size of the teams", "teams of {}".format, group="Barriers"),
)
