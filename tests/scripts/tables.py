"""Made-up results, and reading the tables of a report."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import synthetic
from conftest import ROOT
from finesync.query.tables import Table
from finesync.results.loading import Results, load_results
from forked import run_script
from matplotlib.figure import Figure
from matplotlib.text import Text


def results_of(folder: Path, program: str, *points: list[dict[str, Any]],
               machine: str = "gpu", **changes: Any) -> Results:
    """The results of a program with the rows of some points; `changes` are of its context."""
    document = {"context": synthetic.context(machine, program=program, **changes),
                "benchmarks": [row for own in points for row in own]}
    return load_results(synthetic.write(folder / f"{program}_{machine[:4]}.json", document))


def draw(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs figures.py and checks its exit status."""
    done = run_script(ROOT / "scripts" / "figures.py", "--only", *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def words_of(figure: Figure | None) -> list[str]:
    """All that a figure says."""
    assert figure is not None
    return [text.get_text().replace("\n", " ") for text in figure.findobj(Text)]


def all_ended(document: dict[str, Any], ended: str, folder: Path) -> Results:
    """A document's results if all its rows had ended so."""
    for row in document["benchmarks"]:
        row |= synthetic.ending(ended)
    return load_results(synthetic.write(folder / "bad.json", document))


def rows_below(tables: list[Table], title: str) -> dict[str, list[str]]:
    """The cells of the table whose title starts so, by the name in front of each row."""
    (found,) = (table for table in tables if table.title.startswith(title))
    rows: dict[str, list[str]] = {}
    for line in found.lines:
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        rows[name] = cells
    return rows
