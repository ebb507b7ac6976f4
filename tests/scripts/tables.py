"""Reading the tables of a report."""

from __future__ import annotations


def rows_below(lines: list[str], heading: str) -> dict[str, list[str]]:
    """The cells of the table below a line that starts so, by the name in front of each row."""
    start = next(i for i, line in enumerate(lines) if line.startswith(heading)) + 2
    rows: dict[str, list[str]] = {}
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        rows[name] = cells
    return rows
