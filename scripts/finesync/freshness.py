"""What drawings were made from, so that only stale ones are drawn again.

FOLDER/figures/drawn.json has for each results file of the folder, and for what they are joined in
(""), a digest of all that the drawings are made from, their names, and the lines about figures that
are left out. A report has the digest in its last line. A drawing that was deleted is stale, too.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

import matplotlib

from .results.asked import asked
from .results.errors import UserError
from .results.json_files import read_json, write_json
from .results.revisions import STATED

ROOT = Path(__file__).resolve().parents[2]
KEPT = "drawn.json"
# What draws: the scripts, and the names, plans and published numbers that they read.
_SOURCES = ("scripts/figures.py", "scripts/finesync/**/*", "scripts/finesync_catalogue/*",
            "src/catalogue/*", "workloads/**/*", "results/published/**/*")
_KINDS = (".py", ".json", ".html", ".css", ".js")

# The drawings that were written, and a line for each that is left out.
Drawn = tuple[list[Path], list[str]]


def digest(*parts: str | Path) -> str:
    """A digest of texts, and of files by path and contents."""
    total = hashlib.sha256()
    for part in parts:
        contents = part.read_bytes() if isinstance(part, Path) and part.is_file() else b""
        for piece in (str(part).encode(), contents):
            total.update(len(piece).to_bytes(8, "little") + piece)
    return total.hexdigest()


@functools.cache
def of_what_draws(matplotlib_version: str) -> str:
    """The same of all but the results."""
    sources = {path for pattern in _SOURCES for path in ROOT.glob(pattern) if path.suffix in _KINDS}
    return digest(matplotlib_version, *sorted(sources))


class Drawings:
    """The drawings of some results files, and those that join them with all files at hand."""

    def __init__(self, files: list[Path], others: list[Path], *options: str) -> None:
        self._folders = {path.parent: _read(path.parent) for path in files}
        code = digest(of_what_draws(matplotlib.__version__), *asked())
        joined = digest(code, *options, *files, *others, *(folder / STATED for folder in self._folders))
        # Of each part, before it is read: a file that changes meanwhile is stale.
        self._digests = {**{path: digest(code, path) for path in files}, **dict.fromkeys(self._folders, joined)}
        # The last line of a report: what it was made from.
        self.mark = f"<!-- drawn from {joined} -->\n"

    def of(self, part: Path) -> Drawn | None:
        """Of a results file, or of a folder: what joins its files. None if it is stale."""
        folder, name = self._place(part)
        kept = self._folders[folder].get(name, {})
        paths = [folder / "figures" / drawing for drawing in kept.get("drawings", ())]
        if kept.get("from") != self._digests[part] or not all(path.exists() for path in paths):
            return None
        return paths, kept["left_out"]

    def all(self, pages: Iterable[Path]) -> list[Drawn] | None:
        """Of all files and folders; None if one, or a page of the report, is stale."""
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if not all(page.read_text(encoding="utf-8").endswith(self.mark) for page in pages):
                return None
            drawn = [self.of(part) for part in self._digests]
            return None if None in drawn else [each for each in drawn if each]
        return None

    def keep(self, drawn: dict[Path, Drawn]) -> None:
        """Remembers the drawings of all files and folders; a part that is not given has none."""
        for part, made_from in self._digests.items():
            folder, name = self._place(part)
            paths, left_out = drawn.get(part, ([], []))
            self._folders[folder][name] = {"from": made_from, "left_out": left_out,
                                           "drawings": [path.name for path in paths]}
        for folder, parts in self._folders.items():
            (folder / "figures").mkdir(exist_ok=True)
            write_json(_file(folder), parts)

    def _place(self, part: Path) -> tuple[Path, str]:
        return (part, "") if part in self._folders else (part.parent, part.name)


def _file(folder: Path) -> Path:
    return folder / "figures" / KEPT


def _read(folder: Path) -> dict[str, dict]:
    with contextlib.suppress(UserError):
        if isinstance(kept := read_json(_file(folder)), dict):
            return kept
    return {}
