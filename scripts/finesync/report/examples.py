"""A family's primitives in use: the lines of a program in docs/library/examples that the catalogue names."""

from __future__ import annotations

import functools
import textwrap
from typing import Any

from ..results import catalogue
from ..results.errors import UserError
from ..results.registry import ROOT

_FOLDER = "docs/library/examples"


@functools.lru_cache(maxsize=None)
def of_family(family: str) -> dict[str, Any] | None:
    """The program's path in the repository, and the lines; None without an example, or without documents."""
    example = catalogue.example(family)
    path = f"{_FOLDER}/{example['file']}" if example else ""
    if example is None or not (ROOT / path).exists():
        return None
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    return {"file": path, "lines": [line for words in example["lines"] for line in _statement(words, lines, path)]}


def _statement(words: str, lines: list[str], path: str) -> list[str]:
    """The one statement with these words, from the start of its line; a UserError if there are none, or several."""
    first = [place for place, line in enumerate(lines) if words in line.partition("//")[0]]
    if len(first) != 1:
        raise UserError(f"{path} has {len(first)} lines with {words!r}, which the catalogue names")
    ends = (place for place in range(first[0], len(lines))
            if lines[place].partition("//")[0].rstrip().endswith((";", "{", "}")))
    return textwrap.dedent("\n".join(lines[first[0]:next(ends) + 1])).splitlines()
