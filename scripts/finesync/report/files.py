"""Writes the report: the page for a browser, and the Markdown page beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..results.errors import UserError
from ..results.loading import Results
from . import html_page, markdown_page
from .places import places


def write(all_results: Sequence[Results], report: Path, mix_revisions: bool = False) -> list[Path]:
    """Writes both pages of some results, FILE.html and FILE.md for a FILE of either kind."""
    found = places(all_results)
    pages = {report.with_suffix(".html"): html_page.page(found), report.with_suffix(".md"):
             markdown_page.page(found, report.parent, mix_revisions)}
    for path, text in pages.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UserError(f"{path}: cannot write ({error.strerror})") from None
    return list(pages)
