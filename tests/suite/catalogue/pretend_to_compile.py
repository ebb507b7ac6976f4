"""Stands in for a compiler where a test asks only what would be compiled: writes an empty object,
and which files of the project the source includes, directly or not."""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.MULTILINE)


def main(words: list[str]) -> None:
    """Entry point: a compiler's command line."""
    folders = [Path(word[2:]) for word in words if word.startswith("-I")]
    left, seen = [Path(words[words.index("-c") + 1])], set()
    while left:
        file = left.pop()
        if file in seen:
            continue
        seen.add(file)
        for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            found = [folder / name for folder in (file.parent, *folders)]
            left += [path for path in found if path.is_file()][:1]
    made = Path(words[words.index("-o") + 1])
    made.write_bytes(b"")
    Path(words[words.index("-MF") + 1]).write_text(
        f"{words[words.index('-MT') + 1]}: " + " ".join(map(str, seen)) + "\n", encoding="utf-8")


main(sys.argv[1:])
