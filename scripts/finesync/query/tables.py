"""Markdown tables, most of them with a row per primitive and a column per value of an axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .points import PointRow, PointTable, Spread, in_order


# Counts of the host executor, by their names in tables.
COUNTS = {"atomics": "count_rmw", "fences": "count_fence", "polls": "count_poll"}
# What an empty cell shows.
DASH = "\N{EN DASH}"
_EMPTY = ("", "-")
_UNDER = "under "


@dataclass(frozen=True)
class Table:
    """A table of a report: its stable id, its title, the heading of its rows' names, the names or
    numbers of its columns, and the cells of each row. `blank` says why a cell is empty, unless its
    column has a reason of its own in `blanks` or its number is one that a paper may have."""

    id: str
    title: str
    heading: str
    columns: Sequence[Any]
    rows: Mapping[str, Sequence[str]]
    blank: str = "not measured"
    blanks: Mapping[str, str] = field(default_factory=dict)

    @property
    def lines(self) -> list[str]:
        """The table in Markdown, without its title. Below it stands why cells are empty."""
        columns = [name if isinstance(name, str) else f"{name:,}" for name in self.columns]
        whys = {why: None for name, cells in self.rows.items()
                for column, cell in zip(columns, cells) if cell in _EMPTY
                for why in [self._why(name, column)]}
        return [_line(self.heading, columns), "|---|" + "---|" * len(columns),
                *(_line(name, [DASH if cell in _EMPTY else cell for cell in cells])
                  for name, cells in self.rows.items()),
                *(["", f"{DASH}: {'; '.join(sorted(whys, key=_of_one_column))}."] if whys else [])]

    def _why(self, row: str, column: str) -> str:
        if column in self.blanks:
            return f"{_UNDER}\"{column}\", {self.blanks[column]}"
        return "not published" if "published" in row + column else self.blank


def cells_by(axis: str, values: Iterable[Any], rows: Mapping[str, PointTable],
             cell: Callable[[PointTable], str]) -> dict[str, list[str]]:
    """The cells of each row of points, one per value of an axis."""
    return {name: [cell(points.select(**{axis: value})) for value in values] for name, points in rows.items()}


def table_by(axis: str, rows: Mapping[str, PointTable], cell: Callable[[PointTable], str],
             name: str, title: str, heading: str, least: int = 1) -> list[Table]:
    """A table with a column per value of an axis; none if these are fewer than `least`."""
    values = in_order({value for points in rows.values() for value in points.values(axis)})
    return [Table(name, title, heading, values, cells_by(axis, values, rows, cell))] if len(values) >= least else []


def time_cell(factor: float) -> Callable[[PointTable], str]:
    """Cells with the time of the fastest point in another unit, or a word if no point is ok."""
    return best_cell(lambda point: three_digits(point.time.median * factor))


def best_cell(say: Callable[[PointRow], str | None], first: bool = False) -> Callable[[PointTable], str]:
    """Cells that say something of the fastest point, or of the first ok one; or a word if no point is ok."""
    return lambda points: points.best(say, first)


def spread_cell(*columns: str) -> Callable[[PointTable], str]:
    """Cells with the middle of three numbers of the first point that has all, or a word."""
    return lambda points: cell_of(points.first_spread(*columns))


def tables_by(groups: Mapping[Any, PointTable], axis: str, cell: Callable[[PointTable], str], name: str,
              title: str, heading: str, least: int = 1) -> list[Table]:
    """A table of each group with a row for each line; "{group}" in name and title
    is the group, and "{number}" its place from 1."""
    return [table for number, (group, own) in enumerate(groups.items(), 1)
            for table in table_by(axis, own.by_line(), cell, name.format(group=group, number=number),
                                  title.format(group=group, number=number), heading, least)]


def speedup_cell(points: PointTable, base: PointTable) -> str:
    """The speed-up of the fastest of some points over the fastest of others."""
    own, other = points.fastest_time(), base.fastest_time()
    return f"{three_digits(other.median / own.median)}x" if own and other else "-"


def counts_table(points: PointTable, counts: Mapping[str, str], heading: str,
                 number_of: Callable[[PointRow], int], title: str) -> list[Table]:
    """Counts of the host executor per operation: a row per primitive, of its first point, with
    the number of operations that it did; none without points."""
    rows = {}
    for name, own in points.by_primitive().items():
        number = number_of(own.first())
        rows[name] = [three_digits((own.first().median(count) or 0.0) / number) if number else "-"
                      for count in counts.values()]
    return [Table("operations", title, heading, list(counts), rows)] if rows else []


def counts_per_round(points: PointTable, heading: str, title: str) -> list[Table]:
    """The same of programs whose operation is a round."""
    return counts_table(points.with_columns("rounds", *COUNTS.values()), COUNTS, heading,
                        lambda point: int(point["axes"]["rounds"]), title)


def three_digits(value: float) -> str:
    """At least three digits, and as few as possible after the point: 0.756, 12.2, 1,234; from
    1e+15 on no more than three."""
    return f"{value:,.0f}" if 100 <= value < 1e15 else f"{value:.3g}"


def cell_of(number: Spread | str, unit: str = "") -> str:
    """The median of a number with its unit, or the word in its place."""
    return number if isinstance(number, str) else f"{three_digits(number.median)}{unit}"


def median_cell(points: PointTable, number: str, write: Callable[[float], str] = three_digits) -> str:
    """A number of the fastest point; an empty cell if it was not measured."""
    best = points.fastest_point()
    value = None if best is None else best.median(number)
    return "" if value is None else write(value)


def _of_one_column(why: str) -> bool:
    return why.startswith(_UNDER)


def _line(name: str, cells: Iterable[str]) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"
