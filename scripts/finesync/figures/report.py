"""The report, one Markdown page: provenance, outcomes, tables and figures of all results."""

from __future__ import annotations

import functools
import os
from pathlib import Path

from ..claims import tables as claims
from ..items.tables import tables
from ..results import application_tables
from ..results.loading import Results
from ..results.markdown import Table
from ..results.point_table import PointRow
from ..results.registry import workload_of
from . import shared

_LISTED_FAILURES = 12


@functools.lru_cache(maxsize=None)
def tables_of(results: Results) -> list[Table]:
    workload = workload_of(results)
    maker = workload.tables.get(results.kind) if workload else None
    return maker(results) if maker else []


def section(results: Results, folder: Path) -> str:
    """One results file; figures are linked relative to the folder of the report."""
    counts = results.points["ended"].value_counts(sort=False).sort_values(
        ascending=False, kind="stable")
    ours = results.context["finesync"]
    sweep = results.context.get("sweep", {})
    lines = [f"## {results.gpu_name if results.on_gpu else 'Host executor'}: {results.name}",
             "", sweep.get("description", ""), ""]
    if not results.on_gpu:
        lines += [f"Counted on the {results.gpu_name}: counts, no times.", ""]
    link = os.path.relpath(results.path, folder)
    facts = {"results": f"[{link}]({link})", "date": ours.get("date"), "host": ours.get("host"),
             "driver": " and ".join(results.told("driver_version")),
             "CUDA driver API": results.gpu.get("cuda_driver_api"), "revision": ours.get("git_revision")}
    lines += [f"- {key}: {value}" for key, value in facts.items() if value]
    if "points_planned" in sweep:
        lines.append(f"- points of the plan finished: {sweep['points_done']} of "
                     f"{sweep['points_planned']}")
    lines.append("- combinations: " + ", ".join(f"{number} {word}"
                                                for word, number in counts.items()))
    failures = list(results.points.where(~results.points["ok"]))
    lines += [f"  - {_describe(point)}" for point in failures[:_LISTED_FAILURES]]
    more = len(failures) - _LISTED_FAILURES
    if more > 0:
        lines.append(f"  - and {more} more")
    for table in tables_of(results):
        lines += ["", table.title, "", *table.lines]
    drawn = sorted((results.path.parent / "figures").glob(f"{results.name}-*.png"))
    for figure in drawn:
        lines += ["", f"![{figure.stem}]({os.path.relpath(figure, folder)})"]
    return "\n".join(lines) + "\n"


def page(all_results: list[Results], folder: Path, mix_revisions: bool = False) -> str:
    lines = ["# finesync results", "", *(section(results, folder) for results in all_results)]
    counted = [results for results in all_results if not results.on_gpu]
    for place in dict.fromkeys(results.path.parent for results in all_results):
        own = [results for results in all_results if results.path.parent == place]
        for table in [*claims.of_gpu([*own, *counted]), *tables(own, mix_revisions).values(),
                      *application_tables.of_gpu(own)]:
            lines += ["", table.title, "", *table.lines]
        for figure in (place / "figures" / f"{name}.png" for name in shared.names()):
            if figure.exists():
                lines += ["", f"![{figure.stem}]({os.path.relpath(figure, folder)})"]
    return "\n".join(lines).rstrip("\n") + "\n"


def _describe(point: PointRow) -> str:
    axes = ", ".join(f"{axis} {value}" for axis, value in point["axes"].items())
    when = " while tuning" if point["excluded"] else ""
    return f"{point['ended']}{when}: {point['primitive']} at {axes}. {point['reason']}".rstrip()
