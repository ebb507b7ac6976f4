"""Markdown tables, most of them with a column per collision factor or the like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table of a report, its stable id, and its title."""

    id: str
    title: str
    lines: list[str]


def by_number(heading: str, factors: list[int], rows: Mapping[str, Iterable[str]]) -> list[str]:
    """The lines of a table: each row's name and cells, in the order of the factors."""
    return by_name(heading, [f"{factor:,}" for factor in factors], rows)


def by_name(heading: str, columns: list[str], rows: Mapping[str, Iterable[str]]) -> list[str]:
    """The same with columns that have names."""
    return [_line(heading, columns),
            "|---|" + "---|" * len(columns),
            *(_line(name, cells) for name, cells in rows.items())]


def three_digits(value: float) -> str:
    """At least three digits, and as few as possible after the point: 0.756, 12.2, 1,234."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _line(name: str, cells: Iterable[str]) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"
