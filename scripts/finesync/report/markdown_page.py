"""The report as one Markdown page: contents and answers, then provenance, tables and figures."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path

from ..claims import ledger
from ..claims import tables as claims
from ..figures import shared
from ..items.tables import tables
from ..query.points import PointRow
from ..query.tables import Table
from ..results import applications
from ..results.loading import Results
from ..results.registry import workload_of
from . import runs, verdicts
from .needs import sentence
from .places import Place

_LISTED_FAILURES = 12


@functools.lru_cache(maxsize=None)
def tables_of(results: Results) -> list[Table]:
    workload = workload_of(results)
    maker = workload.tables.get(results.kind) if workload else None
    return maker(results) if maker else []


def page(all_places: list[Place], folder: Path, mix_revisions: bool = False) -> str:
    """The page of all places, GPUs first; figures are linked relative to the report's folder."""
    answers = [line for place in all_places for line in _answers(place)]
    sections = {"Answers": answers or [runs.NO_GPU]}
    for place in all_places:
        for results in place.results:
            sections[f"{place.name}: {results.name}"] = _section(results, folder)
        if together := _together(place, folder, mix_revisions):
            sections[f"{place.name}: all programs"] = together
    lines = ["# finesync results", "", "## Contents", "",
             *(f"- [{heading}](#{_anchor(heading)})" for heading in sections)]
    for heading, section in sections.items():
        lines += ["", f"## {heading}", "", *section]
    return "\n".join(lines).rstrip("\n") + "\n"


def _answers(place: Place) -> Iterator[str]:
    """The verdicts by paper, and the fastest for each need in its usual setting."""
    if not place.on_gpu:
        return
    yield from [f"### {place.name}", ""]
    for paper, counts in verdicts.counts(place).items():
        listed = ", ".join(f"{number} {word}" for word, number in counts.items() if number)
        yield f"- {ledger.titles()[paper]}: {listed}"
    rows = {}
    for _, need in place.needs:
        setting, load = need.main
        rows[need.name] = [f"{setting}, {load}", sentence(need.answers[setting][load])]
    yield from ["", *Table("answers", "", "need", ["where", "the fastest"], rows).lines, "", runs.missing(place), ""]


def _section(results: Results, folder: Path) -> list[str]:
    """One results file."""
    counts = results.points["ended"].value_counts(sort=False).sort_values(ascending=False, kind="stable")
    ours = results.context["finesync"]
    sweep = results.context.get("sweep", {})
    lines = [sweep["description"], ""] if sweep.get("description") else []
    if not results.on_gpu:
        lines += [f"Counted on the {results.gpu_name}: counts, no times.", ""]
    link = os.path.relpath(results.path, folder)
    facts = {"results": f"[{link}]({link})", "date": ours.get("date"), "host": ours.get("host"),
             "driver": runs.driver(results), "CUDA driver API": results.gpu.get("cuda_driver_api"),
             "revision": ours.get("git_revision")}
    lines += [f"- {key}: {value}" for key, value in facts.items() if value]
    if "points_planned" in sweep:
        lines.append(f"- points of the plan finished: {sweep['points_done']} of "
                     f"{sweep['points_planned']}")
    lines.append("- combinations: " + ", ".join(f"{number} {word}" for word, number in counts.items()))
    for table in tables_of(results):
        lines += ["", table.title, "", *table.lines]
    lines += _links(sorted((results.path.parent / "figures").glob(f"{results.name}-*.svg")), folder)
    failures = list(results.points.where(~results.points["ok"]))
    if failures:
        lines += ["", "Without a result:", "", *(f"- {_describe(point)}" for point in failures[:_LISTED_FAILURES])]
    more = len(failures) - _LISTED_FAILURES
    return [*lines, f"- and {more} more"] if more > 0 else lines


def _together(place: Place, folder: Path, mix_revisions: bool) -> list[str]:
    """The tables and figures of all results of a place."""
    if not place.on_gpu:
        return []
    lines: list[str] = []
    for table in [*claims.of_judged(place.judged, place.claimed),
                  *tables([*place.results, *place.counted], mix_revisions).values(),
                  *applications.of_gpu(place.results)]:
        lines += ["", table.title, "", *table.lines]
    drawn = (place.folder / "figures" / f"{name}.svg" for name in shared.names())
    return [*lines, *_links([path for path in drawn if path.exists()], folder)][1:]


def _links(figures: list[Path], folder: Path) -> list[str]:
    return [line for figure in figures for line in ("", f"![{figure.stem}]({os.path.relpath(figure, folder)})")]


def _anchor(heading: str) -> str:
    """The place of a heading, as GitHub and others name it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _describe(point: PointRow) -> str:
    axes = ", ".join(f"{axis} {value}" for axis, value in point["axes"].items())
    when = " while tuning" if point["excluded"] else ""
    return f"{point['ended']}{when}: {point['primitive']} at {axes}. {point['reason']}".rstrip()
