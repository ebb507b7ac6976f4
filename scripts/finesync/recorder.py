"""What may be recorded of a GPU: rows that tell which card measured them, under which driver, at which clock.

usage: python3 -m finesync.recorder FILE...   one line and exit status 2 if a row does not

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


def main(arguments: Sequence[str] = ()) -> int:
    for path in map(Path, arguments or sys.argv[1:]):
        if lacks := lacking(read_results(path)):
            raise UserError(f"{path}: not recorded: {lacks}")
    return 0


if __name__ == "__main__":
    script.run(main)
