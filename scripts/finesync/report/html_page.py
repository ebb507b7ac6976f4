"""The report as one file for a browser: no network, and never more than its limit."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from ..results.registry import ROOT
from . import answers, plain, runs, verdicts
from .places import Place

MOST_BYTES = 2_000_000
_PARTS = Path(__file__).parent / "page"


def page(all_places: list[Place], folder: Path) -> str:
    """The page of all places, for a folder. Figures that no longer fit are named instead of shown."""
    data, tables = data_of(all_places, folder), plain.parts(all_places)
    too_long = len(_filled(data, tables).encode()) - MOST_BYTES
    for place in reversed(data["places"]):
        for figure in reversed(place["figures"]):
            if too_long > 0:
                too_long -= len(figure.pop("svg"))
    return _filled(data, tables)


def data_of(all_places: list[Place], folder: Path) -> dict[str, Any]:
    """All that the page shows; the page itself holds no result."""
    gpus = [place for place in all_places if place.on_gpu]
    return {"places": [{**runs.about(place), "needs": answers.of_place(place),
                        "verdicts": verdicts.of_place(place), "counts": verdicts.counts(place),
                        "figures": runs.figures(place)} for place in gpus],
            "runs": [run for place in all_places for run in runs.of_place(place)],
            # Pages outside the repository name its files without a link.
            "root": f"{os.path.relpath(ROOT, folder)}/" if folder.resolve().is_relative_to(ROOT) else "",
            "primitives": answers.primitives(all_places), "examples": answers.examples(),
            "missing": "" if gpus else runs.NO_GPU, **(verdicts.papers() if gpus else {})}


def _filled(data: dict[str, Any], tables: dict[str, str]) -> str:
    # Without '<' no text of a result can end the script element that holds it.
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    parts = {**tables, "STYLE": _part("page.css"), "DATA": packed,
             "SCRIPT": "".join(_part(name) for name in ("elements.js", "answers.js", "claims.js",
                                                        "page.js"))}
    return re.sub("@([A-Z]+)@", lambda mark: parts[mark[1]], _part("page.html"))


def _part(name: str) -> str:
    return (_PARTS / name).read_text(encoding="utf-8")
