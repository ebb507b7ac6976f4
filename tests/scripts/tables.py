"""Reading the tables of a report."""

from __future__ import annotations

from finesync.papers.claims import claims_of
from finesync.results.loading import Results
from finesync.results.markdown import Table


def rows_below(tables: list[Table], title: str) -> dict[str, list[str]]:
    """The cells of the table whose title starts so, by the name in front of each row."""
    (found,) = (table for table in tables if table.title.startswith(title))
    rows: dict[str, list[str]] = {}
    for line in found.lines:
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        rows[name] = cells
    return rows


def claims_below(title: str, *all_results: Results) -> dict[str, list[str]]:
    """What a paper printed and what was measured, by claim, of the only table of claims."""
    ((_, table),) = [own for tables in claims_of(list(all_results)).values() for own in tables]
    rows = rows_below([table], title)
    return {claim: cells for claim, cells in rows.items() if claim not in ("claim", "---")}
