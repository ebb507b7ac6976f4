"""Runs the commands of a chapter as a reader would, and compares what they print.

usage: run_chapter.py DOCUMENT CHAPTER SCRATCH_FOLDER FILE...

The chapter's cmake block becomes CMakeLists.txt beside the FILEs. Each "$ command" of its console
block must print the lines that follow it there, however they are wrapped; without any, it must
succeed.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path


def chapter_of(text: str, title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    if found is None:
        sys.exit(f"no chapter '{title}'")
    return found[1]


def block_of(chapter: str, kind: str) -> str:
    found = re.findall(rf"^```{kind}\n(.*?)^```$", chapter, re.M | re.S)
    if len(found) != 1:
        sys.exit(f"{len(found)} blocks of {kind}")
    return found[0]


def commands_in(console: str) -> list[tuple[str, str]]:
    """Each command with the text that it prints."""
    return [(command, printed) for command, printed
            in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ ).*\n)*)", console, re.M)]


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def main() -> int:
    document, title, folder, *files = sys.argv[1:]
    chapter = chapter_of(Path(document).read_text(encoding="utf-8"), title)
    scratch = Path(folder)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    (scratch / "CMakeLists.txt").write_text(block_of(chapter, "cmake"), encoding="utf-8")
    for file in files:
        shutil.copy(file, scratch)
    wrong = 0
    for command, expected in commands_in(block_of(chapter, "console")):
        done = subprocess.run(["bash", "-c", command], cwd=scratch, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        as_shown = in_one_line(done.stdout) == in_one_line(expected)
        if as_shown if expected else done.returncode == 0:
            print(f"as shown: {command}")
        else:
            wrong += 1
            print(f"{command}\nprints:\n{done.stdout}instead of:\n{expected}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
