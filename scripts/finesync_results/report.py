"""The report: what was measured where, how it ended, and the figures, as one Markdown page."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from .claims import claims_tables
from .contest_tables import contest_tables
from .fences import fence_tables
from .figures import ACROSS
from .loading import Results
from .points import Point, gather
from .server_tables import server_tables
from .tables import hash_table_tables
from .traffic import traffic_tables

_LISTED_FAILURES = 12


def section(results: Results, folder: Path) -> str:
    """One results file; figures are linked relative to the folder of the report."""
    points = gather(results.rows)
    counts = Counter(point.status for point in points)
    ours = results.context["finesync"]
    sweep = results.context.get("sweep", {})
    lines = [f"## {results.gpu_name if results.on_gpu else 'Host executor'}: {results.name}",
             "", sweep.get("description", ""), ""]
    if not results.on_gpu:
        lines += [f"Counted on the {results.gpu_name}: counts, no times.", ""]
    link = os.path.relpath(results.path, folder)
    facts = {"results": f"[{link}]({link})", "date": ours.get("date"), "host": ours.get("host"),
             "driver": results.gpu.get("driver"), "revision": ours.get("git_revision")}
    lines += [f"- {key}: {value}" for key, value in facts.items() if value]
    if "points_planned" in sweep:
        lines.append(f"- points of the plan finished: {sweep['points_done']} of "
                     f"{sweep['points_planned']}")
    lines.append("- combinations: " + ", ".join(f"{number} {status}"
                                                 for status, number in counts.most_common()))
    lines += [f"  - {_describe(point)}" for point in _failures(points)[:_LISTED_FAILURES]]
    more = len(_failures(points)) - _LISTED_FAILURES
    if more > 0:
        lines.append(f"  - and {more} more")
    lines += [*hash_table_tables(results), *server_tables(results), *traffic_tables(results),
              *contest_tables(results), *fence_tables(results)]
    drawn = sorted((results.path.parent / "figures").glob(f"{results.name}-*.png"))
    for figure in drawn:
        lines += ["", f"![{figure.stem}]({os.path.relpath(figure, folder)})"]
    return "\n".join(lines) + "\n"


def page(all_results: list[Results], folder: Path) -> str:
    """The whole report."""
    lines = ["# finesync results", "", *(section(results, folder) for results in all_results),
             *claims_tables(all_results)]
    for place in dict.fromkeys(results.path.parent for results in all_results):
        for module in ACROSS:
            figure = place / "figures" / f"{module.NAME}.png"
            if figure.exists():
                lines += ["", f"![{figure.stem}]({os.path.relpath(figure, folder)})"]
    return "\n".join(lines).rstrip("\n") + "\n"


def _failures(points: list[Point]) -> list[Point]:
    return [point for point in points if not point.ok]


def _describe(point: Point) -> str:
    axes = ", ".join(f"{axis} {value}" for axis, value in point.axes.items())
    when = " while tuning" if point.excluded else ""
    return f"{point.status}{when}: {point.primitive} at {axes}. {point.reason}".rstrip()
