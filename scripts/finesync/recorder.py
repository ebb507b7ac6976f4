"""What may be recorded of a GPU: rows that tell which card measured them, under which driver, at which clock; of one
card in a file, and of one clean revision in all files.

usage: python3 -m finesync.recorder FILE...   one line and exit status 2 if they are not

Files that were recorded before programs said so stay readable.
"""

from __future__ import annotations

from . import script  # first

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .results.errors import UserError
from .results.rows_by_run import split
from .results.schemas import read_results

_CARD = {"uuid": "card", "driver_version": "driver"}
_CLOCK = "sm_clock_mhz"


def lacking(document: Mapping[str, Any]) -> str:
    """The first point of a GPU's results whose rows do not tell all, and what; empty if all do."""
    if document["context"]["finesync"]["machine"] != "gpu":
        return ""
    for run, rows in split(document):
        good = [row for row in rows if row.get("run_type") != "aggregate" and row["status"] == "ok"]
        lacks = [word for fact, word in _CARD.items() if good and fact not in run]
        lacks += ["clock"] * any(_CLOCK not in row for row in good)
        if lacks:
            why = f" ({run['unmonitored']})" if "unmonitored" in run else ""
            return f"{run['point']} does not tell its {' and '.join(lacks)}{why}"
    return ""


def _all_of(document: Mapping[str, Any], fact: str) -> list[str]:
    return sorted({str(run[fact]) for run, rows in split(document) if rows and fact in run})


def main(arguments: Sequence[str] = ()) -> int:
    revisions: set[str] = set()
    for path in map(Path, arguments or sys.argv[1:]):
        document = read_results(path)
        problem = lacking(document)
        cards = _all_of(document, "uuid")
        revisions |= set(_all_of(document, "git_revision"))
        if len(cards) > 1:
            problem = f"its rows are of the cards {' and '.join(cards)}; --fresh measures all on one"
        elif len(revisions) > 1:
            problem = f"the rows are of the revisions {' and '.join(one[:9] for one in sorted(revisions))}"
        elif "True" in _all_of(document, "git_dirty"):
            problem = "programs were built with changes that no commit holds"
        if problem:
            raise UserError(f"{path}: not recorded: {problem}")
    return 0


if __name__ == "__main__":
    script.run(main)
