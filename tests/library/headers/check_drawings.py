#!/usr/bin/env python3
"""Checks that the formatter keeps its hands off drawings and lists in comments.

usage: check_drawings.py ROOT

A comment line with columns (three blanks in a row) or arrows begins with //| or ///|, which
.clang-format leaves as it is; it breaks every other comment at the margin. Prints one line per
violation; exit status 1 when there is one, 2 when .clang-format has no such rule.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

FOLDERS = ("src", "inputs", "workloads", "tests", "docs")
SUFFIXES = {".cpp", ".cu", ".cuh", ".hpp"}
RULE = "CommentPragmas: '^\\|'"
DRAWING = re.compile(r"^\s*//[/!]?(?![/!]) *[^\s|].*(?:\S {3,}\S|[─│└┌┘┐]|-->|<--)")


def violations(root: Path) -> list[str]:
    return [
        f"{file.relative_to(root)}:{number}: a drawing that the formatter may break: begin it with //|"
        for folder in FOLDERS
        for file in sorted((root / folder).rglob("*"))
        if file.suffix in SUFFIXES
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if DRAWING.match(line)
    ]


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(arguments[1])
    if RULE not in (root / ".clang-format").read_text(encoding="utf-8"):
        print(f".clang-format lacks the rule {RULE}", file=sys.stderr)
        return 2
    found = violations(root)
    print("\n".join(found) or "all drawings are safe")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
