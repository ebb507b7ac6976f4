"""Tables that README and docs quote from the report on recorded runs.

A document says which table by the results file and the beginning of the line that stands above it
in the report, to which the names of rows may be added, where not all of them are wanted:

    <!-- quote nvidia-h200/barrier_gpu: The fastest, | 64 threads, no loads and stores -->
    | thread blocks per SM | 1 | ...
    <!-- end of quote -->
"""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

from .claims import claims_tables
from .errors import UserError
from .loading import Results, load_results
from .report import section

_QUOTE = re.compile(r"^<!-- quote (?P<source>\S+): (?P<what>.+?) -->\n(?P<quoted>.*?)"
                    r"^<!-- end of quote -->$", re.MULTILINE | re.DOTALL)


class Recorded:
    """The results files below a folder, each read when first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._loaded: dict[Path, Results] = {}
        self._reports: dict[str, list[str]] = {}

    def has(self, name: str) -> bool:
        """Whether a run, <machine>/<plan>, is recorded."""
        return self._path(name).exists()

    def report(self, name: str) -> list[str]:
        """What the report says of a recorded run, with the claims that its machine's runs and the
        host executor's counts answer."""
        if name not in self._reports:
            path = self._path(name)
            others = {*path.parent.glob("*.json.gz"),
                      *self.folder.glob("host-executor/*.json.gz")}
            self._reports[name] = [
                *section(self._load(path), self.folder).splitlines(),
                *claims_tables([self._load(other) for other in sorted(others)])]
        return self._reports[name]

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json.gz"

    def _load(self, path: Path) -> Results:
        if path not in self._loaded:
            self._loaded[path] = load_results(path)
        return self._loaded[path]


def quotes(text: str) -> list[tuple[str, str]]:
    """Each quote of a document: the name of the run, and what is quoted now."""
    return [(quote["source"], quote["quoted"]) for quote in _QUOTE.finditer(text)]


def renewed(text: str, recorded: Recorded) -> str:
    """A document with every quote as the recorded runs have it; others stay as they are."""
    def renew(quote: re.Match[str]) -> str:
        if not recorded.has(quote["source"]):
            return quote[0]
        heading, *names = (part.strip() for part in quote["what"].split("|"))
        lines = table_below(recorded.report(quote["source"]), heading, names)
        return (f"<!-- quote {quote['source']}: {quote['what']} -->\n"
                + "\n".join(lines) + "\n<!-- end of quote -->")
    return _QUOTE.sub(renew, text)


def table_below(report: list[str], heading: str, names: list[str]) -> list[str]:
    """The table below the line that begins so; of its rows only those named, where any are."""
    above = [place for place, line in enumerate(report) if line.startswith(heading)]
    if len(above) != 1:
        raise UserError(f"the report has {len(above)} lines that begin '{heading}'")
    table = list(takewhile(lambda line: line.startswith("|"), report[above[0] + 2:]))
    rows = {line.split("|")[1].strip(): line for line in table[2:]}
    missing = [name for name in names if name not in rows]
    if missing or not rows:
        raise UserError(f"the table below '{heading}' has no row {missing[0] if missing else ''}")
    return table if not names else [*table[:2], *(rows[name] for name in names)]
