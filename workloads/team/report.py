"""`team`: barriers of teams of blocks, all teams at once (docs/library/barriers.md)."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync.figures import by_input
from finesync.results.loading import COUNTED, Results
from finesync.query.tables import Table, counts_table, table_by, three_digits
from finesync.query.points import PointTable, Spread
from finesync.results.workload import Drawing, Question, Unit, Workload

_TIME = "seconds_per_operation"
_COUNTS = dict(zip(("atomics", "fences", "polls"), COUNTED))


def measured(results: Results) -> PointTable:
    points = results.points.with_columns("team_size", "crossing", "words", "rounds", _TIME)
    return points.assign(variant=points["primitive"])


def by_setting(results: Results) -> dict[str, PointTable]:
    """The points compared by their time: teams apart or crossing, with words or without."""
    points = measured(results).compared_by(_TIME)
    names = {("no", 0): "teams apart, nothing in between", ("no", 1): "teams apart, a word passed on",
             ("yes", 0): "rows and columns in turn, nothing in between",
             ("yes", 1): "rows and columns in turn, a word passed on"}
    settings = {name: points.select(crossing=crossing, words=words)
                for (crossing, words), name in names.items()}
    return {name: own for name, own in settings.items() if not own.empty}


def _time(points: PointTable) -> Spread | None:
    """Microseconds of a barrier, of the first ok point."""
    best = points.ok()
    found = None if best.empty else best.first().spread(_TIME)
    return found.scaled(1e6) if found else None


def _cell(points: PointTable) -> str:
    found = _time(points)
    return three_digits(found.median) if found else points.failure_word()


def _of_variants(points: PointTable) -> dict[str, PointTable]:
    return {name: points.of_variants(name) for name in points.variants()}


def gpu_tables(results: Results) -> list[Table]:
    return [table for number, (name, own) in enumerate(by_setting(results).items())
            for table in table_by("team_size", _of_variants(own), _cell, f"teams-{number}",
                                  f"Microseconds per barrier, {name}:", "blocks of a team")]


def host_tables(results: Results) -> list[Table]:
    points = measured(results).with_columns(*_COUNTS.values())
    return [table for size in points.values("team_size")[:1]
            for table in counts_table(
                points.select(team_size=size), _COUNTS, "team",
                lambda point: int(point["axes"]["rounds"]),
                f"Operations per barrier, teams of {size}, counted on the host executor:")]


def draw(results: Results) -> Figure | None:
    """A panel for each size of the teams, with nothing in between."""
    points = next(iter(by_setting(results).values()), None)
    if points is None:
        return None
    panels = {f"teams of {size}": own for size, own in points.by("team_size").items()}
    bars = {title: {name: _time(own) or own.failure_word() for name, own in _of_variants(panel).items()}
            for title, panel in panels.items()}
    return by_input.draw(results, bars, points.variants(), "us per barrier",
                         "Barriers of teams of blocks, all teams at once",
                         "One block per SM, nothing in between.")


WORKLOAD = Workload(
    program="team",
    operation="barrier",
    families={"teams": "team"},
    small_run="--team-size 2,all --threads-per-block 64 --rounds 4",
    figures={"gpu": (Drawing("teams", "barriers of teams of blocks", draw),)},
    tables={"gpu": gpu_tables, "host": host_tables},
    question=Question("a barrier of some of the blocks", Unit("µs per barrier", 1e6), by_setting,
                      "team_size", "size of the teams", "teams of {}".format),
)
