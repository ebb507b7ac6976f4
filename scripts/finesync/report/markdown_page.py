"""The report as one Markdown page: the answers, then links to each file, its tables and figures."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..claims import ledger
from ..query.points import PointRow
from ..query.tables import Table
from ..results.loading import Results
from . import runs, verdicts
from .needs import sentence
from .places import Place

_LISTED_FAILURES = 12


def page(all_places: list[Place], folder: Path) -> str:
    """The page of all places, GPUs first; files are linked relative to the report's folder."""
    lines = ["# finesync results", "", "## Answers", "",
             *([line for place in all_places if place.on_gpu for line in _answers(place)] or [runs.NO_GPU, ""])]
    for place in all_places:
        lines += [f"## {place.name}", ""]
        for results, run in zip(place.results, runs.of_place(place)):
            lines += [_links_of(results, run, folder), *([] if place.recorded else _failures(results)), ""]
        if place.on_gpu:
            names = tuple(f"{results.name}-" for results in place.results)
            lines += [f"- all programs{_links(place.folder, folder, lambda name: not name.startswith(names))}", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def answers(place: Place) -> Table:
    """What is the fastest for each need in its usual setting, at the heaviest load."""
    rows = {}
    for _, need in place.needs:
        setting, load = need.main
        rows[need.name] = [f"{setting}, {load}", sentence(need.answers[setting][load])]
    return Table("answers", "", "need", ["where", "the fastest"], rows)


def _answers(place: Place) -> Iterator[str]:
    """The verdicts by paper, and the fastest for each need."""
    yield from [f"### {place.name}", ""]
    for paper, counts in verdicts.counts(place).items():
        listed = ", ".join(f"{number} {word}" for word, number in counts.items() if number)
        yield f"- {ledger.titles()[paper]}: {listed}"
    yield from ["", *answers(place).lines, "", runs.missing(place), ""]


def _links_of(results: Results, run: Mapping[str, Any], folder: Path) -> str:
    """One results file: when and with what it was measured, how its points ended, its tables and figures."""
    facts = (run.get(fact, "") and f"{word}{run[fact]}" for fact, word in (
        ("date", ""), ("driver", "driver "), ("revision", "revision "), ("points", ""), ("left", "")))
    own = _links(results.path.parent, folder, lambda name: name.startswith(f"{results.name}-"))
    return f"- [{results.path.name}]({os.path.relpath(results.path, folder)}): {', '.join(filter(None, facts))}{own}"


def _links(place: Path, folder: Path, wanted: Callable[[str], bool]) -> str:
    """Links to the tables and figures of a place whose names are wanted."""
    return "".join(
        f"\n  - {kind}: " + ", ".join(f"[{path.stem}]({os.path.relpath(path, folder)})" for path in found)
        for kind, pattern in (("tables", "*.md"), ("figures", "*.svg"))
        if (found := [path for path in sorted((place / kind).glob(pattern)) if wanted(path.name)]))


def _failures(results: Results) -> Iterator[str]:
    failures = list(results.points.where(~results.points["ok"]))
    yield from (f"  - {_describe(point)}" for point in failures[:_LISTED_FAILURES])
    if (more := len(failures) - _LISTED_FAILURES) > 0:
        yield f"  - and {more} more"


def _describe(point: PointRow) -> str:
    axes = ", ".join(f"{axis} {value}" for axis, value in point["axes"].items())
    when = " while tuning" if point["excluded"] else ""
    return f"{point['ended']}{when}: {point['primitive']} at {axes}. {point['reason']}".rstrip()
