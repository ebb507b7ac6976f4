"""What figures and plans were when somebody last looked at them: `pytest --accept` writes it."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from conftest import ROOT
from finesync.report import answers
from finesync.report.folder_tables import tables_of
from finesync.report.needs import needs
from finesync.results.loading import Results
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

DATA = ("plans", "variants", "catalogue")
OURS = Path(__file__).with_suffix(".json")
RESULTS = ROOT / "results"
MATPLOTLIB = matplotlib.__version__.rpartition(".")[0]  # others place ticks elsewhere


def digest(of: Any) -> str:
    return hashlib.sha256(json.dumps(of, default=str).encode()).hexdigest()[:6]


def _numbers(values: Any) -> list[str]:
    return [f"{value:.3g}" for value in np.ravel(np.asarray(values, float))]


def of_figure(figure: Figure) -> str:
    """The digest of all words, scales, lines and bars of a figure that has been drawn."""
    said: list[Any] = [[axes.get_xscale(), axes.get_yscale(), _numbers([axes.get_xlim(), axes.get_ylim()]),
                        _numbers(axes.get_position().bounds)] for axes in figure.axes]
    for artist in figure.findobj():
        if isinstance(artist, Text) and artist.get_text():
            said.append([artist.get_text(), artist.get_color(), str(artist.get_position())[:6]])
        elif isinstance(artist, Line2D):
            said.append([artist.get_color(), artist.get_marker(), str(artist.get_linestyle()),
                         artist.get_fillstyle(), _numbers(artist.get_xydata())])
        elif isinstance(artist, Rectangle):
            said.append([_numbers(artist.get_bbox().bounds), _numbers(artist.get_facecolor()), artist.get_hatch()])
        elif isinstance(artist, LineCollection):
            said.append([_numbers(segment) for segment in artist.get_segments()])
    return digest(said)


def of_results(results: Results) -> dict[str, str]:
    """The digests of the tables and answers that results have in a report."""
    return {"answers": digest([answers._need(results, need) for need in needs(results)]),
            **{table.id: digest([table.title, *table.lines]) for table in tables_of(results)}}


@functools.cache
def state(folder: Path) -> str:
    """The digest of the recorded runs in a folder of results/."""
    files = sorted([*folder.glob("*.json.gz"), *folder.glob("*.txt")])
    return digest([[path.name, hashlib.sha256(path.read_bytes()).hexdigest()] for path in files])


def folders(*always: str) -> list[Any]:
    """The folders of recorded runs, as parameters. One that is as it was when its figures were accepted
    is left to scripts/test.sh --all, but for some."""
    expected = {path.parents[1]: json.loads(path.read_text(encoding="utf-8"))
                for path in sorted(RESULTS.glob("*/expected/figures.json"))}
    found = sorted({path.parent for path in RESULTS.glob("*/*_*.json.gz")})
    return [pytest.param(folder, id=folder.name, marks=[pytest.mark.long] if folder.name not in always
                         and expected.get(folder, {}).get("from") == state(folder) else [])
            for folder in found]


def compare(accept: bool, kind: str, found: Mapping[str, str], path: Path = OURS) -> None:
    """Fails where digests differ from the accepted ones of this kind, if there are any."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if accept:
        kept |= {"matplotlib": MATPLOTLIB, kind: found}
        kept |= {} if path == OURS else {"from": state(path.parents[1])}
        path.parent.mkdir(exist_ok=True)
        lines = (f'"{name}": {json.dumps(of, sort_keys=True)}' for name, of in sorted(kept.items()))
        path.write_text("{" + ",\n ".join(lines) + "}\n", encoding="utf-8")
    elif kept and kept["matplotlib"] != MATPLOTLIB and kind not in DATA:
        pytest.skip(f"accepted as drawn by matplotlib {kept['matplotlib']}")
    elif kind in kept:
        changed = {name for name in kept[kind] | found if kept[kind].get(name) != found.get(name)}
        assert not changed, f"{kind}: look at {sorted(changed)}; if they are right: pytest --accept"
        assert path == OURS or kept["from"] == state(path.parents[1]), "results changed: pytest --accept"
