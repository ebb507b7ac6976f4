"""How long a flow takes, and what it took: points and tables."""

from __future__ import annotations

from finesync_results import collisions
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_name, three_digits
from finesync_results.points import (Point, Points, failure_word, fastest, median, of, primitives,
                                     select, spread, with_columns)

PROGRAM = "maxflow"
FAMILIES = {"flows": "lock", "locks": "many"}
OURS = "persistent"
BASELINE = "topological"
MESHES = ("mesh", "washington")  # of --rows and --columns
_AUTO = "auto"


def measured(results: Results) -> Points:
    """All points, each of one flow, with the name of its network and, of a mesh, its rows times columns."""
    points = with_columns(results.points, "input", "rows", "columns", "seconds", "searches",
                          "levels", "rounds", "first_phase_ms")
    columns = [rows if columns == _AUTO else columns
               for rows, columns in zip(points["rows"], points["columns"])]
    points = points.assign(columns=columns)
    is_mesh = points["input"].isin(MESHES)
    names = [f"{name} {int(rows):,} x {int(columns):,}" if mesh else name for mesh, name, rows,
             columns in zip(is_mesh, points["input"], points["rows"], points["columns"])]
    size = (points["rows"] * points["columns"]).where(is_mesh)
    return collisions.counted(points.assign(network=names, size=size, flows=1), "flows")


def networks(points: Points) -> list[str]:
    """Meshes by their size, then the others."""
    return list(points.sort_values(["size", "network"])["network"].unique())


def tables(results: Results) -> list[Table]:
    """Times and speed-ups by network, and the work of our version."""
    points = measured(results)
    names = networks(points)
    if not names:
        return []
    here = {name: select(points, network=name) for name in names}
    return [_times(points, here), *_first_phases(points, here), *_speedups(points, here),
            *_work(points, here)]


def _times(points: Points, here: dict[str, Points]) -> Table:
    lines = {who: [_time_cell(of(own, who)) for own in here.values()]
             for who in primitives(points)}
    return Table("times", "ms for a flow, both phases, each at its best grid and pace. The name of "
                 "a lock is that of the worklist whose nodes have such a lock each:",
                 by_name("network", list(here), lines))


def _first_phases(points: Points, here: dict[str, Points]) -> list[Table]:
    lines = {who: [_first_phase_cell(fastest(of(own, who))) for own in here.values()]
             for who in primitives(points)}
    known = {who: cells for who, cells in lines.items() if any(cells)}
    if not known:
        return []
    return [Table("first-phase", "ms of these for the first phase, behind which the flow's value "
                  "is known:", by_name("network", list(here), known))]


def _speedups(points: Points, here: dict[str, Points]) -> list[Table]:
    others = [who for who in primitives(points) if who != OURS]
    if OURS not in primitives(points) or not others:
        return []
    lines = {who: [_over(of(own, OURS), of(own, who)) for own in here.values()] for who in others}
    return [Table("speedups", f"How many times as fast `{OURS}` is as:",
                  by_name("network", list(here), lines))]


def _work(points: Points, here: dict[str, Points]) -> list[Table]:
    lines = {f"{who}: {number}": [_number_cell(fastest(of(own, who)), number)
                                  for own in here.values()]
             for who in (BASELINE, OURS) if who in primitives(points)
             for number in ("searches", "levels", "rounds")}
    if not lines:
        return []
    return [Table("work", "Global relabellings, levels of all their searches, and rounds between "
                  "them:", by_name("network", list(here), lines))]


def _time_cell(points: Points) -> str:
    point = fastest(points)
    found = None if point is None else spread(point, "seconds")
    return three_digits(found.median * 1e3) if found else failure_word(points)


def _first_phase_cell(point: Point | None) -> str:
    value = None if point is None else median(point, "first_phase_ms")
    return "" if value is None else three_digits(value)


def _over(mine: Points, theirs: Points) -> str:
    quick, slow = fastest(mine), fastest(theirs)
    if quick is None or slow is None:
        return "-"
    return f"{three_digits(slow['seconds'] / quick['seconds'])}x"


def _number_cell(point: Point | None, number: str) -> str:
    value = None if point is None else median(point, number)
    return "" if value is None else f"{value:,.0f}"
