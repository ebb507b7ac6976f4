"""Reading the tables of a report."""

from __future__ import annotations

from finesync_results.markdown import Table


def rows_below(tables: list[Table], title: str) -> dict[str, list[str]]:
    """The cells of the table whose title starts so, by the name in front of each row."""
    (found,) = (table for table in tables if table.title.startswith(title))
    rows: dict[str, list[str]] = {}
    for line in found.lines:
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        rows[name] = cells
    return rows
