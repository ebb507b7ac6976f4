"""Writes the report: the page for a browser, and the Markdown page beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..results.errors import UserError, writing
from ..results.loading import Results
from . import html_page, markdown_page
from .places import places


def pages_of(report: Path) -> tuple[Path, Path]:
    """The page for a browser and the Markdown page, FILE.html and FILE.md for a FILE of either
    kind; a UserError for a folder."""
    if report.is_dir() or report.suffix not in (".html", ".md"):
        raise UserError(f"{report} is not a page: name FILE.html or FILE.md")
    return report.with_suffix(".html"), report.with_suffix(".md")


def write(all_results: Sequence[Results], report: Path, last_line: str = "") -> tuple[Path, Path]:
    """Writes both pages of some results, each with this last line."""
    all_places = places(all_results)
    paths = pages_of(report)
    texts = html_page.page(all_places, report.parent), markdown_page.page(all_places, report.parent)
    for path, text in zip(paths, texts):
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + last_line, encoding="utf-8")
    return paths
