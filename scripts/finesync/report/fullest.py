"""Which recorded GPU a document shows of a paper's table or figure: the one with the most cells."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from ..claims import ledger
from ..results.errors import UserError

# What stands in a cell without a number or a verdict.
_EMPTY = re.compile(r"not recorded|not measured|not timed|not shown|none recorded|cannot be told|^–?$")
_LINK = re.compile(r"\[(?P<label>[^\]]*)\]\((?P<up>[./]*results/)(?P<gpu>[\w-]+)/(?P<kind>tables|figures)/"
                   r"(?P<file>[\w.-]+)\)")
_MARK = re.compile(r"^<!-- table (?P<gpu>[\w-]+)/(?P<file>[\w.-]+) -->", re.MULTILINE)


def gpu_of(results: Path, kind: str, file: str) -> str:
    """The folder of the GPU with the most cells of a table, or of the table of a figure. Of equals, and of figures
    without a table, the one whose claims of the paper have the most: a page is of one GPU as far as it can be."""
    found = sorted(path.parent.parent.name for path in results.glob(f"*/{kind}/{file}"))
    if not found:
        raise UserError(f"no GPU has {kind}/{file}")
    name = Path(file).stem if file.endswith((".md", ".svg")) else file
    own, claims = f"{name}.md", f"claims-{_paper(name)}.md"
    return max(found, key=lambda gpu: tuple(filled(results / gpu / "tables" / one) for one in (own, claims)))


@functools.lru_cache(maxsize=None)
def filled(table: Path) -> int:
    """The cells of a table that say something; none without the file."""
    lines = table.read_text(encoding="utf-8").splitlines() if table.exists() else []
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("|")]
    return sum(not _EMPTY.search(cell.strip()) for row in rows[2:] for cell in row[1:])


def shown(text: str, results: Path) -> str:
    """A document whose links to tables and figures of the papers, and whose marks of such tables, name that GPU."""
    def link(found: re.Match[str]) -> str:
        if not _of_a_paper(found["file"]):
            return found[0]
        gpu = gpu_of(results, found["kind"], found["file"])
        label = found["label"].replace(_short(found["gpu"]), _short(gpu))
        return f"[{label}]({found['up']}{gpu}/{found['kind']}/{found['file']})"

    def mark(found: re.Match[str]) -> str:
        if not _of_a_paper(found["file"]):
            return found[0]
        return f"<!-- table {gpu_of(results, 'tables', found['file'] + '.md')}/{found['file']} -->"
    return _MARK.sub(mark, _LINK.sub(link, text))


def _short(gpu: str) -> str:
    """nvidia-h200: H200."""
    return gpu.split("-")[1].upper() if "-" in gpu else gpu


def _paper(name: str) -> str:
    """The paper of a table; the thesis has the most claims on barriers, and so decides on lists of all papers."""
    return next((paper for paper in ledger.titles() if paper in name), "thesis")


def _of_a_paper(file: str) -> bool:
    """Whether it is a table or figure of a paper, of its claims, or of how to measure them."""
    return file.startswith((*(f"{start}{paper}" for paper in ledger.titles() for start in ("", "claims-")), "artifact"))
