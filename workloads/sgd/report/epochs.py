"""Who learns how fast, and how well."""

from __future__ import annotations

from finesync_results import collisions, pairs
from finesync_results.catalogue import with_roles
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor, by_name, three_digits
from finesync_results.points import (Point, Points, Spread, failure_word, least, median, of,
                                     primitives, select, spread, values, with_columns)

FAMILIES = {"nested": "lock"}
LOCKS = with_roles("sgd", FAMILIES, *pairs.LOCKS)
TIMETABLE = "bipartite_timetable"
SERVERS = "server_movies"
FEATURES = 16  # where a table is not about them


def learned(results: Results) -> Points:
    """All points, with the seconds of one epoch; of a part of an input, with its name."""
    points = with_columns(results.points, "input", "ratings", "features", "epochs", "seconds",
                          "rmse", "sequential_rmse", "prepare_seconds", "share_lost")
    names = [name if ratings in (None, "auto") else f"{name}, {int(ratings):,} ratings"
             for name, ratings in zip(points["input"], points["ratings"])]
    return collisions.counted(points.assign(input=names), "epochs")


def single(results: Results) -> Points:
    """Those of one epoch and of the usual number of features."""
    return select(learned(results), features=FEATURES, epochs=1)


def best(points: Points) -> Point | None:
    """The ok point of the shortest epoch."""
    return least(points, "seconds_each")


def milliseconds(point: Point) -> Spread:
    """Of an epoch of an ok point."""
    seconds = spread(point, "seconds")
    assert seconds is not None
    return seconds.scaled(1e3 / point["epochs"])


def speedup(points: Points, who: str = TIMETABLE) -> Spread | None:
    """Of the timetable, or the servers, over the best lock, at one input."""
    fastest, lock = best(of(points, who)), best(of(points, *LOCKS))
    if fastest is None or lock is None:
        return None
    return milliseconds(lock).over(milliseconds(fastest))


def tables(results: Results) -> list[Table]:
    """Times, errors, and what more features and more epochs make of both."""
    points = single(results)
    inputs = values(points, "input")
    found = []
    if inputs:
        here = {name: select(points, input=name) for name in inputs}
        found += [_times(points, here, results.gpu), _errors(points, here)]
    return [*found, *_by_features(results), *_by_epochs(results)]


def _times(points: Points, here: dict[str, Points], gpu: dict[str, int]) -> Table:
    lines = {name: [_time_cell(of(own, name), gpu) for own in here.values()]
             for name in primitives(points)}
    lines["sorting, once, before the timetable"] = [
        _cell(best(of(own, TIMETABLE)), "prepare_seconds", 1e3) for own in here.values()]
    for who, name in ((SERVERS, "servers"), (TIMETABLE, "timetable")):
        if who in primitives(points):
            lines[f"{name} over the best lock"] = [_ratio_cell(speedup(own, who))
                                                   for own in here.values()]
    return Table("epochs", "ms per epoch of 16 features and, in brackets, the grid at which it is "
                 "shortest (thread blocks per SM x threads).",
                 by_name("input", list(here), lines))


def _ratio_cell(ratio: Spread | None) -> str:
    return "" if ratio is None else f"{three_digits(ratio.median)}x"


def _errors(points: Points, here: dict[str, Points]) -> Table:
    lines = {name: [_error_cell(best(of(own, name))) for own in here.values()]
             for name in primitives(points)}
    return Table("errors", "Root mean square error after one epoch and, in brackets, that of the "
                 "same order one rating after the other; of Hogwild, the part of the steps that "
                 "is lost.", by_name("input", list(here), lines))


def _by_features(results: Results) -> list[Table]:
    points = of(select(learned(results), epochs=1), TIMETABLE)
    numbers = values(points, "features")
    if len(numbers) < 2:
        return []
    lines = {name: [_cell(best(select(points, input=name, features=number)), "seconds_each", 1e3)
                    for number in numbers] for name in values(points, "input")}
    return [Table("features", "ms per epoch of the timetable, by features.",
                  by_factor("features", numbers, lines))]


def _by_epochs(results: Results) -> list[Table]:
    points = select(learned(results), features=FEATURES)
    numbers = values(points, "epochs")
    if len(numbers) < 2:
        return []
    lines = {f"{name}, {who}": [_cell(best(of(select(points, input=name, epochs=number), who)),
                                      "rmse", 1) for number in numbers]
             for name in values(points, "input") for who in primitives(select(points, input=name))
             if len(values(of(select(points, input=name), who), "epochs")) > 1}
    return [Table("more-epochs", "Root mean square error, by epochs.",
                  by_factor("epochs", numbers, lines))]


def _time_cell(points: Points, gpu: dict[str, int]) -> str:
    point = best(points)
    if point is None:
        return failure_word(points)
    blocks = point["ran"]["blocks"] / gpu["sms"]
    return (f"{three_digits(milliseconds(point).median)} "
            f"({blocks:.3g} x {point['ran']['threads_per_block']})")


def _error_cell(point: Point | None) -> str:
    if point is None:
        return ""
    lost = median(point, "share_lost")
    beside = f"{median(point, 'sequential_rmse'):.4f}" if lost is None else f"{lost:.0%} lost"
    return f"{median(point, 'rmse'):.4f} ({beside})"


def _cell(point: Point | None, number: str, factor: float) -> str:
    value = None if point is None else median(point, number)
    return "" if value is None else three_digits(value * factor)
