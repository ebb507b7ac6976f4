"""`sgd`: matrix factorisation under two locks per rating (ASPLOS'19)."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure

from finesync.figures import by_input
from finesync.figures.speedup import SPEEDUP
from finesync.papers import contention, paper_benchmarks, speedups
from finesync.query.points import PointRow, PointTable, Spread
from finesync.query.tables import Table, best_cell, cell_of, cells_by, median_cell, table_by, three_digits
from finesync.results.catalogue import with_roles
from finesync.results.loading import Results
from finesync.results.workload import Drawing, PaperBenchmarks, Question, Unit, Workload

FAMILIES = {"nested": "lock"}
LOCKS = with_roles("sgd", FAMILIES, *paper_benchmarks.LOCKS)
LATIN_SQUARE = "latin_square"
SERVERS = "server_movies"
FEATURES = 16  # except in the table by features


def learned(results: Results) -> PointTable:
    """All points, with the seconds of one epoch; a part of an input has its own name."""
    points = results.points.with_columns("input", "ratings", "features", "epochs", "seconds",
                                         "rmse", "sequential_rmse", "prepare_seconds", "lost_update_fraction")
    names = [name if ratings in (None, "auto") else f"{name}, {int(ratings):,} ratings"
             for name, ratings in zip(points["input"], points["ratings"])]
    return contention.with_time_per_operation(points.assign(input=names), "epochs")


def single(results: Results) -> PointTable:
    """The points of one epoch with the usual number of features, and sections of any length."""
    return learned(results).select(features=FEATURES, epochs=1)


def plain(results: Results) -> PointTable:
    """The same without added work."""
    points = single(results).with_columns(contention.SIZE_OF_SECTION)
    return points.where(~points.above(contention.SIZE_OF_SECTION))


def speedup(points: PointTable, primitive: str = LATIN_SQUARE) -> Spread | str:
    """Speed-up of the Latin square, or of servers, over the best lock, at one input."""
    return points.of_primitives(primitive).speedup_over(points.of_primitives(*LOCKS))


def tables(results: Results) -> list[Table]:
    """Times and errors, also by features and by epochs."""
    points = plain(results)
    square = learned(results).select(epochs=1).of_primitives(LATIN_SQUARE)
    long = {f"{name}, {primitive}": line
            for name, own in learned(results).select(features=FEATURES).by("input").items()
            for primitive, line in own.by_primitive().items() if len(line.values("epochs")) > 1}
    return [*([_times(points, results.gpu)] if points.values("input") else []),
            *table_by("input", points.by_primitive(), _error_cell, "errors",
                      "Root mean square error after one epoch and, in brackets, that of a "
                      "sequential run in the same order; for Hogwild, the fraction of lost "
                      "updates.", "input"),
            *table_by("features", square.by("input"),
                      partial(_milliseconds_of, number="seconds_each"), "features",
                      "ms per epoch of the Latin square, by features.", "features", 2),
            *table_by("epochs", long, partial(median_cell, number="rmse"), "more-epochs",
                      "Root mean square error, by epochs.", "epochs", 2)]


def _times(points: PointTable, gpu: dict[str, int]) -> Table:
    here = points.by("input")
    lines = cells_by("input", here, points.by_primitive(), best_cell(partial(_launch, gpu=gpu)))
    lines["sorting, once, for the Latin square"] = [
        _milliseconds_of(own.of_primitives(LATIN_SQUARE), "prepare_seconds") for own in here.values()]
    for primitive, name in ((SERVERS, "servers"), (LATIN_SQUARE, "Latin square")):
        if primitive in points.primitives():
            lines[f"{name} over the best lock"] = [
                cell_of(found, "x") if isinstance(found, Spread) else ""
                for found in (speedup(own, primitive) for own in here.values())]
    return Table("epochs", "ms per epoch of 16 features and, in brackets, the best launch "
                 "configuration (thread blocks per SM x threads).", "input", list(here), lines)


def _launch(point: PointRow, gpu: dict[str, int]) -> str:
    blocks = point["effective"]["blocks"] / gpu["sms"]
    return (f"{three_digits(point.time.median * 1e3)} "
            f"({blocks:.3g} x {point['effective']['threads_per_block']})")


def _error_cell(points: PointTable) -> str:
    point = points.fastest_point()
    if point is None:
        return ""
    lost = point.median("lost_update_fraction")
    other = f"{point.median('sequential_rmse'):.4f}" if lost is None else f"{lost:.0%} lost"
    return f"{point.median('rmse'):.4f} ({other})"


def _milliseconds_of(points: PointTable, number: str) -> str:
    return median_cell(points, number, lambda seconds: three_digits(seconds * 1e3))


def draw(results: Results) -> Figure | None:
    """ms per epoch of 16 features, each at its best grid; log scale shared by the panels."""
    points = plain(results)
    names = points.primitives()
    bars = {}
    for name in points.values("input"):
        own = points.select(input=name)
        gained = speedup(own)
        title = name + (f":\nLatin square {gained.median:.1f}x" if isinstance(gained, Spread) else "")
        bars[title] = {primitive: own.of_primitives(primitive).best_time(1e3) for primitive in names}
    return by_input.draw(results, bars, names, "ms per epoch",
                         "Matrix factorisation: time per epoch by input",
                         "Each at its best launch configuration. Above each panel: the speed-up of "
                         "the Latin square, which is measured without its sorting, over the best "
                         "lock. Hogwild loses updates.")


EPOCHS = Drawing("epochs", "an epoch of 16 features", draw)


WORKLOAD = Workload(
    program="sgd",
    operation="rating",
    families=FAMILIES,
    small_run="--input movielens-10m-like/2000 --threads-per-block 64 --tbs-per-sm 1",
    racecheck=(),
    figures={"gpu": (EPOCHS, SPEEDUP)},
    tables={"gpu": lambda results: [*tables(results), *speedups.tables(results)]},
    paper_benchmarks=PaperBenchmarks("SGD", "Listing 3", single, inputs={
        "ML": {"input": "movielens-10m-like"}, "NF": {"input": "netflix-like"},
        "RT": {"input": "rcv1-like"}}, two_locks=True),
    question=Question(
        "two objects of two kinds at once", Unit("ms per epoch", 1e3),
        lambda results: {"matrix factorisation, each at its best launch": plain(results)},
        "input", "ratings", less={"hogwild": "loses steps"},
        limited={"batches known beforehand": (LATIN_SQUARE,)}, group="Servers and tables"),
)
