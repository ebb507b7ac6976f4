"""What README and docs quote, of measurements and of code, is what the repository holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT
from finesync_results.loading import load_results
from finesync_results.quotes import Recorded, quotes, renewed
from finesync_results.tables import hash_table_tables

RECORDED = Recorded(ROOT / "results")
DOCUMENTS = {path.name: path for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]}
PROGRAMS = [*(ROOT / "docs" / "examples").glob("*.cu"),
            ROOT / "tests" / "package" / "consumer" / "counter.cu"]
QUOTING_PROGRAMS = ("README.md", "barriers.md", "semaphores.md", "servers.md")


def text_of(path: Path) -> str:
    """A file of the repository."""
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_tables_are_those_of_the_recorded_runs(name: str) -> None:
    text = text_of(DOCUMENTS[name])
    assert renewed(text, RECORDED) == text, "scripts/quote.py brings them up to date"


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_nothing_is_quoted_that_was_never_recorded(name: str) -> None:
    assert [source for source, quoted in quotes(text_of(DOCUMENTS[name]))
            if "|" in quoted and not RECORDED.has(source)] == []


@pytest.mark.parametrize("name", QUOTING_PROGRAMS)
def test_code_is_that_of_the_programs_that_the_tests_run(name: str) -> None:
    blocks = re.findall(r"^```cpp\n(.*?)^```$", text_of(DOCUMENTS[name]), re.M | re.S)
    programs = [without_spaces(text_of(path)) for path in PROGRAMS]
    assert blocks
    for block in blocks:
        # A block is made of pieces that a blank line divides; each must be in one of the programs.
        for piece in filter(None, re.split(r"\n\s*\n", block.strip("\n"))):
            assert any(without_spaces(piece) in program for program in programs), piece


def without_spaces(code: str) -> str:
    """The same, however it is indented and wherever its lines break; comments left out."""
    return re.sub(r"\s+", "", re.sub(r"//[^\n]*", "", code))


def rows_of(lines: list[str]) -> dict[str, list[str]]:
    """The cells of the table that the lines start with, by the name in front of each row."""
    rows: dict[str, list[str]] = {}
    for line in lines:
        if not line.startswith("|"):
            break
        if not line.startswith("|--"):
            name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            rows[name] = cells
    assert len(rows) > 1
    return rows


def test_readme_sums_the_locks_of_the_hash_table_up() -> None:
    lines = text_of(DOCUMENTS["README.md"]).splitlines()
    quoted = rows_of(lines[next(place for place, line in enumerate(lines)
                                if line.startswith("| distinct elements |")):])
    measured = hash_table_tables(load_results(
        ROOT / "results" / "nvidia-h200" / "ht_gpu.json.gz"))
    table = rows_of(measured[next(place for place, line in enumerate(measured)
                                  if line.startswith("|")):])
    assert quoted["distinct elements"] == table["collision factor"]
    # Of each cell, "best (grid) / full", the two rates.
    rates = {name: [re.findall(r"[\d,]+", re.sub(r"\(\d+\)", "", cell)) for cell in cells]
             for name, cells in table.items() if name not in ("collision factor", "lockfree")}
    assert quoted["the paper's spin lock"] == [best for best, _ in rates["spin"]]
    assert quoted["the same at full occupancy"] == [full for _, full in rates["spin"]]
    assert quoted["best lock for sections of one word"] == [
        best for best, _ in rates.pop("carrying")]
    assert quoted["best lock for any section"] == [
        max((cells[place][0] for cells in rates.values()),
            key=lambda text: int(text.replace(",", ""))) for place in range(len(rates["spin"]))]
