"""FILE.partial, in which the results of a program grow (src/bench/json_reporter.cpp).

Each write adds whole rows, a line each, a tab behind the last one, and the end of the document. It
replaces the former end, so that the file is valid JSON. But SIGKILL may end a write between two pages.
Then some rows of the last write are missing, and blanks follow that have taken their room.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .errors import UserError
from .json_files import STRICT, read_json

_BEGIN_OF_ROWS = ',\n"benchmarks": ['
_END_OF_WRITE = "\t"


def read_partial(path: Path) -> Any:
    """The document with the rows of all writes that ended; a UserError as of read_json() if not even the first did."""
    try:
        return read_json(path)
    except UserError as trouble:
        text = path.read_text("utf-8", errors="replace") if path.exists() else ""
        context, found, rows = text.partition(_BEGIN_OF_ROWS)
        try:
            document = STRICT.decode(context + "}" if found else "")
        except ValueError:
            raise trouble from None
        return {**document, "benchmarks": _whole_writes(rows.split("\n")[1:])}


def _whole_writes(lines: list[str]) -> list[Any]:
    rows = []
    whole = 0
    for line in lines:
        try:
            row, end = STRICT.raw_decode(line)
        except ValueError:
            break
        rows.append(row)
        if line[end:end + 1] == _END_OF_WRITE:
            whole = len(rows)
    return rows[:whole]
