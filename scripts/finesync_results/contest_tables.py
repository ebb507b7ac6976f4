"""Barriers, mutexes and semaphores as Markdown tables: time, fairness, counts, the fastest."""

from __future__ import annotations

from collections.abc import Callable

from . import contest
from .loading import Results
from .markdown import by_factor
from .points import Point, failure_word, select, values
from .winners import Winner, fields

_HEADING = "thread blocks per SM"
Cell = Callable[[list[Point]], str]


def contest_tables(results: Results) -> list[str]:
    """Lines for the report; none unless a barrier, mutex or semaphore was run over grids."""
    if not contest.is_contest(results):
        return []
    sweeps = contest.sweeps(contest.measured(results))
    lines: list[str] = []
    for which, points in sweeps.items():
        if results.on_gpu:
            lines += ["", f"Microseconds per {contest.OPERATIONS[results.program]}, {which}:",
                      "", *table(points, _time_cell)]
        else:
            lines += ["", f"Per {contest.OPERATIONS[results.program]}, counted on the host "
                      f"executor, {' / '.join(contest.COUNTED)}, {which}:",
                      "", *table(points, of_first_ok(lambda point: _counts(results, point)))]
    if results.on_gpu and sweeps:
        lines += _tuned(results) + _fairness(results) + _winners(results)
    return lines


def table(points: list[Point], cell: Cell) -> list[str]:
    """The lines of a table with a row per variant and a column per number of thread blocks."""
    grids = values(points, "tbs_per_sm")
    return by_factor(_HEADING, grids, {
        name: [cell(select(contest.of(points, name), tbs_per_sm=blocks)) for blocks in grids]
        for name in contest.variants(points)})


def of_first_ok(cell: Callable[[Point], str]) -> Cell:
    """A cell about the first ok point, or a word for why there is none."""
    def text(points: list[Point]) -> str:
        good = next((point for point in points if point.ok), None)
        return cell(good) if good else failure_word(points)
    return text


def three_digits(value: float) -> str:
    """Three digits at least, and no more than that after the point: 0.756, 12.2, 1,234."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def microseconds(seconds: float) -> str:
    """A time, with as many digits."""
    return three_digits(seconds * 1e6)


def _time_cell(points: list[Point]) -> str:
    best = contest.best(points)
    return microseconds(contest.time(best).median) if best else failure_word(points)


def _counts(results: Results, point: Point) -> str:
    counts = [contest.counted(results, point, prefix) for prefix in contest.COUNTED.values()]
    return " / ".join(three_digits(count.median) if count else "-" for count in counts)


def _tuned(results: Results) -> list[str]:
    lines: list[str] = []
    for which, points in contest.by_setting(contest.tuned(results)).items():
        lines += ["", f"Microseconds per {contest.OPERATIONS[results.program]} of what --tune "
                  f"finds, {which}:", "", *table(points, _tuned_cell)]
    return lines


def _tuned_cell(points: list[Point]) -> str:
    best = contest.best(points)
    if best is None:
        return failure_word(points)
    chosen = ", ".join(f"{axis.replace('_', '-')} {value}"
                       for axis, value in (best.tuned or {}).items())
    return f"{microseconds(contest.time(best).median)} ({chosen or 'nothing to choose'})"


def _fairness(results: Results) -> list[str]:
    counted = [point for point in contest.measured(results)
               if point.has("acquisitions_gini") or not point.ok]
    lines: list[str] = []
    for size in sorted({contest.setting(point).size for point in counted}):
        found = contest.main_sweep(select(counted, size=size))
        if found and any(point.ok for point in found[1]):
            which, points = found
            lines += ["", "Acquisitions per thread block in a run of fixed duration, fewest to "
                      f"most, their Gini coefficient, and 99th percentile of waits, {which}:",
                      "", *table(points, of_first_ok(_shares))]
    return lines


def _shares(point: Point) -> str:
    fewest, most, gini, wait = (
        point.counter(name).median if point.has(name) else None
        for name in ("acquisitions_min", "acquisitions_max", "acquisitions_gini", "wait_p99_ns"))
    return (f"{_whole(fewest)} to {_whole(most)}, {gini:.2f}, "
            + ("-" if wait is None else f"{microseconds(wait * 1e-9)} us"))


def _whole(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _winners(results: Results) -> list[str]:
    rows = fields(results)
    grids = sorted({blocks for row in rows for blocks in row.winners})
    library = contest.LIBRARIES[results.program]
    return ["", f"The fastest, its microseconds per {contest.OPERATIONS[results.program]}, and the "
            f"time of `{library}` over that:",
            "", *by_factor(_HEADING, grids, {
                row.label: [_winner_cell(row.winners.get(blocks, "not run")) for blocks in grids]
                for row in rows})]


def _winner_cell(winner: Winner | str) -> str:
    if isinstance(winner, str):
        return winner
    behind = winner.library if isinstance(winner.library, str) else f"{winner.library:.3g}x"
    return f"{winner.variant} {microseconds(winner.microseconds * 1e-6)} ({behind})"
