"""The papers' own programs beside the forms that are printed after them: tables of one GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..query.points import PointTable, in_order, no_points
from ..query.tables import Table, three_digits
from ..results.loading import Results
from ..results.originals import Form, Originals

# A form is near its original if it takes at least half, and at most twice, its time.
NEAR = (0.5, 2.0)
NOT_RECORDED = "not recorded"
_GRID = "tbs_per_sm"
# Axes that make the columns of a table.
_COLUMNS = {_GRID: "thread blocks per SM", "input": "graph", "rows": "rows and columns"}
_WORDS = {"threads_per_block": "{} threads", "ldst": "{} loads and stores", "size": "size {}",
          "tile_size": "tiles of {}", "rounds": "{} rounds"}

Row = Mapping[str, Any]
_WHY = "why it is not within half and twice"


def tables(own: Originals, ours: Iterable[Results]) -> list[Table]:
    """All tables; `ours` are the results of the same GPU."""
    times = {results.program: results for results in ours if results.kind == "gpu"}
    papers = dict.fromkeys(form.paper for form in own.forms if own.rows_of(form))
    return [_provenance(own), *(_compared(own, paper, times) for paper in papers), *_others(own), *_checks(own)]


def ratios(own: Originals, form: Form, ours: Results | None) -> dict[str, float]:
    """The form's time over the original's, by load, where both ended."""
    found = {}
    for row in own.rows_of(form):
        time, theirs = _time_of(form, row, ours), _seconds(row)
        if isinstance(time, float) and theirs:
            found[load_in_words(row["axes"])] = time / theirs
    return found


def unlike(own: Originals, form: Form, ours: Results | None) -> list[str]:
    """The loads at which the form did not run with the original's blocks, threads or rounds, a line each; what an
    original does not tell is not compared."""
    found = []
    for row in own.rows_of(form):
        points = _points_of(form, row, ours)
        best = None if points.empty else points.compared_by(_column(row)).fastest_point()
        theirs = {name: value for name, value in row["axes"].items() if name in ("threads_per_block", "rounds")}
        if _GRID in row["axes"]:
            theirs["blocks"] = row["axes"][_GRID] * own.gpu["sms"]
        ran = {**best["axes"], **best["effective"]} if best else theirs
        if any(ran.get(name) != value for name, value in theirs.items()):
            here = {name: ran.get(name) for name in theirs}
            found.append(f"{form.original}, {form.name}, {load_in_words(row['axes'])}: {theirs}, here {here}")
    return found


def is_near(ratio: float) -> bool:
    low, high = NEAR
    return low <= ratio <= high


def _provenance(own: Originals) -> Table:
    rows = {suite["suite"]: [
        f"[{suite['revision'][:9]}]({suite['repository']}/tree/{suite['revision']})",
        f"{suite['date']}, {suite['toolkit']}, driver {suite['gpu']['driver']}", suite["method"],
        "<br>".join(f"`{change}`: {text}" for change, text in suite["changes"].items())
        or "nothing", "; ".join(suite["unknown"])] for suite in own.suites.values()}
    return Table("provenance", f"The originals on the {own.gpu['name']}:", "programs",
                 ["revision", "run", "how", "changed", "not known"], rows, blanks={"not known": "nothing"})


def _compared(own: Originals, paper: str, times: Mapping[str, Results]) -> Table:
    forms = [form for form in own.forms if form.paper == paper and own.rows_of(form)]
    over = forms[0].over
    columns = in_order({row["axes"][over] for form in forms for row in own.rows_of(form)})
    rows: dict[str, list[str]] = {}
    for form in forms:
        ours = times.get(form.program)
        far = [ratio for ratio in ratios(own, form, ours).values() if not is_near(ratio)]
        for load, found in _by_load(own.rows_of(form), over).items():
            backs_off = " with back-off" if form.axes.get("backoff") == "yes" else ""
            rows[f"{_named(form.original, form.changed, load)}: `{form.name}`{backs_off}"] = [
                *(_cell(form, found[column], ours) if column in found else ""
                  for column in columns),
                form.why if far else ""]
    columns, rows = _without_empty_end([*columns, _WHY], rows)
    return Table(
        paper, f"Originals and our printed forms on the {own.gpu['name']}: microseconds of the "
        f"original, of the form, and the latter over the former, by {_COLUMNS[over]}:",
        "original: printed form", columns, rows, blanks={_WHY: "it is, or nothing is compared"})


def _without_empty_end(columns: list[Any], rows: dict[str, list[str]]) -> tuple[list[Any], dict[str, list[str]]]:
    """A table without its last column, if no row has a word there."""
    if any(cells[-1] for cells in rows.values()):
        return columns, rows
    return columns[:-1], {label: cells[:-1] for label, cells in rows.items()}


def _others(own: Originals) -> list[Table]:
    """Originals that no form is compared with, by program."""
    rows: dict[str, list[Row]] = {}
    for suite in own.suites.values():
        for row in suite["rows"]:
            if not any(form.is_of(row) for form in own.forms):
                rows.setdefault(row["program"], []).append(row)
    return [_by_columns(
        f"others-{program}", f"Further originals on the {own.gpu['name']}, microseconds per "
        "operation, or of a whole run where it says so, by", alone, _theirs,
        lambda row: ": a whole run" if "us" in row else "") for program, alone in rows.items()]


def _checks(own: Originals) -> list[Table]:
    """What was wrong, of all that was verified."""
    rows = [row for suite in own.suites.values() for row in suite["checks"]]
    return [_by_columns(
        "checks", f"Wrong results of originals on the {own.gpu['name']}, of all that were "
        "verified, by", rows, lambda row: f"{row['wrong']:,} of {row['of']:,}",
        lambda row: f": {row['what']}")] if rows else []


def _by_columns(name: str, title: str, rows: Sequence[Row], cell: Callable[[Row], str],
                more: Callable[[Row], str]) -> Table:
    """A table of rows of one program or several, whose columns are the values of one axis."""
    over = next(axis for axis in _COLUMNS if axis in rows[0]["axes"])
    found: dict[str, dict[Any, Row]] = {}
    for row in rows:
        label = _named(row["original"], row["changed"], load_in_words(row["axes"], over))
        found.setdefault(label + more(row), {})[row["axes"][over]] = row
    steps = in_order({step for own in found.values() for step in own})
    return Table(name, f"{title} {_COLUMNS[over]}:", "original", steps, {
        label: [cell(own[step]) if step in own else "" for step in steps]
        for label, own in found.items()})


def _named(original: str, changed: Iterable[str], load: str) -> str:
    changes = "".join(f" + {change}" for change in sorted(changed))
    return f"`{original}`{changes}" + (f", {load}" if load else "")


def _by_load(rows: Sequence[Row], over: str) -> dict[str, dict[Any, Row]]:
    """Rows by their load in words, without the axis of the columns and the length of a run, and by that axis."""
    found: dict[str, dict[Any, Row]] = {}
    for row in rows:
        found.setdefault(load_in_words(row["axes"], over, "rounds"), {})[row["axes"][over]] = row
    return found


def load_in_words(axes: Mapping[str, Any], *without: str) -> str:
    """A load without some of its axes."""
    return ", ".join(
        _WORDS.get(axis, f"{axis} {{}}").format(f"{value:,}" if isinstance(value, int) else value)
        for axis, value in axes.items() if axis not in without)


def _cell(form: Form, row: Row, ours: Results | None) -> str:
    time, theirs = _time_of(form, row, ours), _seconds(row)
    mine = time if isinstance(time, str) else three_digits(time * 1e6)
    ratio = f", {three_digits(time / theirs)}x" if isinstance(time, float) and theirs else ""
    return f"{_theirs(row)} / {mine}{ratio}"


def _theirs(row: Row) -> str:
    seconds = _seconds(row)
    return three_digits(seconds * 1e6) if seconds else str(row["ended"])


def _seconds(row: Row) -> float | None:
    """Seconds per operation, or of the run; None if it did not end."""
    microseconds = row.get("us_per_operation", row.get("us"))
    return None if microseconds is None else microseconds * 1e-6


def _time_of(form: Form, row: Row, ours: Results | None) -> float | str:
    """The form's time at the row's load, or a word that says why there is none."""
    points = _points_of(form, row, ours)
    if points.empty:
        return NOT_RECORDED
    return points.compared_by(_column(row)).best(lambda best: float(best.time.median))


def _points_of(form: Form, row: Row, ours: Results | None) -> PointTable:
    """The form's points at the row's load."""
    return no_points() if ours is None else ours.points.of_primitives(form.name).select(**row["axes"], **form.axes)


def _column(row: Row) -> str:
    """The time that the row has."""
    return "seconds" if "us" in row else "seconds_per_operation"
