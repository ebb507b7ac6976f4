"""Quotes of the report in documents: found, renewed, and refused where there is nothing to quote."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import synthetic_contest
from conftest import ROOT
from finesync_results.errors import UserError
from finesync_results.quotes import Recorded, quotes, renewed, table_below
from synthetic_contest import point

REPORT = ["text", "A table, of which", "", "| place | 1 |", "|---|---|", "| one | 2 |",
          "| two | 3 |", "", "A table"]
DOCUMENT = """Before.

<!-- quote gpu/mutex_gpu: Microseconds per hand-off, 64 threads, 10 loads and stores: -->
what was there
<!-- end of quote -->
Between.
<!-- quote gpu/mutex_gpu: The fastest, | 64 threads, 10 loads and stores -->
<!-- end of quote -->
<!-- quote gpu/barrier_gpu: Microseconds per barrier -->
Not recorded yet.
<!-- end of quote -->
"""


@pytest.fixture(name="recorded")
def fixture_recorded(tmp_path: Path) -> Recorded:
    """One run of locks."""
    (tmp_path / "gpu").mkdir()
    made = synthetic_contest.document("mutex", [
        row for name, time in (("spin", 2.0), ("ticket", 1.0)) for blocks in (1, 2)
        for row in point("mutex", name, time, tbs_per_sm=blocks)])
    (tmp_path / "gpu" / "mutex_gpu.json.gz").write_bytes(gzip.compress(json.dumps(made).encode()))
    return Recorded(tmp_path)


def test_the_table_below_a_line_may_be_had_whole_or_by_rows() -> None:
    assert table_below(REPORT, "A table, of", []) == REPORT[3:7]
    assert table_below(REPORT, "A table, of", ["two"]) == [*REPORT[3:5], REPORT[6]]


@pytest.mark.parametrize(("heading", "names", "complaint"), [
    ("A picture", [], "0 lines that begin 'A picture'"),
    ("A table", [], "2 lines that begin"),
    ("A table, of", ["three"], "no row three"),
    ("text", [], "no row")])
def test_what_the_report_does_not_say_is_refused(
        heading: str, names: list[str], complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        table_below(REPORT, heading, names)


def test_quotes_become_what_the_report_says_and_stay_so(recorded: Recorded) -> None:
    new = renewed(DOCUMENT, recorded)
    (_, times), (_, fastest), (_, barriers) = quotes(new)
    assert times.splitlines()[2:] == ["| spin | 2 | 2 |", "| ticket | 1 | 1 |"]
    assert "what was there" not in new and "| ticket 1 (not run) |" in fastest
    assert barriers == "Not recorded yet.\n"
    assert new.startswith("Before.\n") and "<!-- end of quote -->\nBetween.\n" in new
    assert renewed(new, recorded) == new


def test_a_quote_of_what_a_recorded_run_does_not_hold_is_an_error(recorded: Recorded) -> None:
    with pytest.raises(UserError, match="0 lines that begin 'Microseconds per barrier'"):
        renewed(DOCUMENT.replace("barrier_gpu", "mutex_gpu"), recorded)


def test_the_script_rewrites_what_is_out_of_date_and_says_what_is_missing(
        recorded: Recorded, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "scripts", tree / "scripts",
                    ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "results" / "published", tree / "results" / "published")
    shutil.copytree(recorded.folder / "gpu", tree / "results" / "gpu")
    (tree / "README.md").write_text("Nothing quoted.\n", encoding="utf-8")
    (tree / "docs").mkdir()
    page = tree / "docs" / "page.md"
    page.write_text(DOCUMENT, encoding="utf-8")

    def run(code: int) -> tuple[str, str]:
        done = subprocess.run([sys.executable, str(tree / "scripts" / "quote.py")], text=True,
                              capture_output=True, timeout=60, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout, done.stderr

    assert run(0)[0] == f"{page}\nnot recorded: gpu/barrier_gpu\n"
    assert page.read_text(encoding="utf-8") == renewed(DOCUMENT, recorded)
    assert run(0)[0] == "not recorded: gpu/barrier_gpu\n"
    page.write_text(DOCUMENT.replace("Microseconds", "Hours"), encoding="utf-8")
    assert run(2)[1] == \
        f"quote: {page}: the report has 0 lines that begin 'Hours per hand-off, 64 threads, 10 " \
        "loads and stores:'\n"
