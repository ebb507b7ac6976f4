#!/usr/bin/env python3
"""Updates the tables in README and docs from the recorded ones, and the page for the papers' authors.

scripts/figures.py writes each table of the recorded runs as results/<machine>/tables/<id>.md. A
document includes one between two comments, or links to it:

    <!-- table nvidia-h200/mutex_gpu-fastest -->
    | thread blocks per SM | 1 | ...
    <!-- end of table -->

Tables and figures of the papers are those of the GPU with the most cells: the mark, or the link, is
rewritten to name it (finesync/report/fullest.py has the rule). The page for the authors,
results/for_authors.md, has the verdicts of that GPU. Prints the documents that it rewrites.

exit status: 0 all documents have the recorded tables; 2 a table is missing.
"""

import sys
sys.path.insert(0, f"{sys.path[0]}/..")  # for the scripts' package
from finesync import script  # first

import argparse
import re
from pathlib import Path


def parse(arguments: list[str] | None) -> argparse.Namespace:
    return script.Parser(__doc__).parse_args(arguments)


script.answer_first(parse)

from finesync.report import authors, fullest
from finesync.results.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
_INCLUDED = re.compile(r"^<!-- table (?P<machine>\S+)/(?P<id>\S+) -->\n.*?^<!-- end of table -->$",
                       re.MULTILINE | re.DOTALL)


def renewed(text: str, results: Path) -> str:
    """A document with every table as recorded below this folder."""
    def renew(included: re.Match[str]) -> str:
        path = results / included["machine"] / "tables" / f"{included['id']}.md"
        if not path.exists():
            raise UserError(f"there is no recorded table {included['machine']}/{included['id']}")
        _, table = path.read_text(encoding="utf-8").split("\n\n", maxsplit=1)
        return f"<!-- table {included['machine']}/{included['id']} -->\n{table}" \
            "<!-- end of table -->"
    return _INCLUDED.sub(renew, text)


def main(arguments: list[str] | None = None) -> int:
    parse(arguments)
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = document.read_text(encoding="utf-8")
        try:
            update(document, renewed(fullest.shown(text, RESULTS), RESULTS))
        except UserError as error:
            raise UserError(f"{document}: {error}") from None
    page = authors.page(RESULTS)
    if page:
        update(RESULTS / authors.NAME, page)
    return 0


def update(document: Path, text: str) -> None:
    """Writes a document that has another text, and says so."""
    if not document.exists() or document.read_text(encoding="utf-8") != text:
        document.write_text(text, encoding="utf-8")
        print(document)


if __name__ == "__main__":
    script.run(main)
