"""Markdown tables, most of them with a column per collision factor or the like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def by_factor(heading: str, factors: list[int], rows: Mapping[str, Iterable[str]]) -> list[str]:
    """The lines of a table: the cells of each row, by its name, in the order of the factors."""
    return by_name(heading, [f"{factor:,}" for factor in factors], rows)


def by_name(heading: str, columns: list[str], rows: Mapping[str, Iterable[str]]) -> list[str]:
    """The same with columns that have names."""
    return [_line(heading, columns),
            "|---|" + "---|" * len(columns),
            *(_line(name, cells) for name, cells in rows.items())]


def _line(name: str, cells: Iterable[str]) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"
