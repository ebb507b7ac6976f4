"""The points of a results file: selection, and spreads of the measured numbers."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from .numbers import Spread
from .selection import Selection

Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class PointRow:
    """A primitive with a value for every axis, how its runs ended, and what was measured."""

    cells: pd.Series
    time_column: str

    def __getitem__(self, column: str) -> Any:
        return self.cells[column]

    def spread(self, number: str) -> Spread | None:
        """A number; None if it was not measured."""
        if pd.isna(self.cells.get(number)):
            return None
        return Spread(*(self.cells[f"{number}{end}"] for end in ("_low", "", "_high")),
                      cards=self.cells.get("cards", frozenset()))

    def median(self, number: str) -> float | None:
        """The same without quartiles."""
        value = self.cells.get(number)
        return None if pd.isna(value) else float(value)

    @property
    def time(self) -> Spread:
        """The seconds by which ok points of its table are compared."""
        found = self.spread(self.time_column)
        assert found is not None
        return found

    @property
    def rate(self) -> Spread:
        """Operations per second of an ok point whose table counts operations."""
        seconds = self.spread("seconds")
        assert seconds is not None
        return seconds.inverse().scaled(self["operations"])

    def grid_label(self, gpu: dict[str, Any]) -> str:
        """The launch of a point that ran: thread blocks per SM x threads."""
        blocks = self["effective"]["blocks"] / gpu["sms"]
        said = f"{blocks:.0f}" if blocks.is_integer() else f"{blocks:.1f}"
        return f"{said} x {self['effective']['threads_per_block']}"


@dataclass(frozen=True, eq=False)
class PointTable:
    """Points, a row each; loading.Results lists the columns. Every selection is a table again.

    `time_column` names the seconds by which points are compared. `why` is the word for a table without points, if it is
    not that they were not run."""

    frame: pd.DataFrame
    time_column: str = "seconds"
    why: str = ""

    def __len__(self) -> int:
        return len(self.frame)

    def __iter__(self) -> Iterator[PointRow]:
        return (PointRow(cells, self.time_column) for _, cells in self.frame.iterrows())

    def __contains__(self, column: str) -> bool:
        return column in self.frame

    def __getitem__(self, column: str) -> pd.Series:
        return self.frame[column]

    @property
    def empty(self) -> bool:
        """Whether there are no points."""
        return self.frame.empty

    def where(self, wanted: Any) -> PointTable:
        """The points whose value in a column, or in a list of truth values, is true."""
        # A list without elements would name no column.
        which = np.array(wanted, dtype=bool) if isinstance(wanted, list) else wanted
        return dataclasses.replace(self, frame=self.frame[which])

    def at(self, selection: Selection) -> PointTable:
        """The points at the axes of a selection, or with what ran where they leave that open."""
        return self.where([selection.fits({**(ran or {}), **axes})
                           for ran, axes in zip(self["effective"], self["axes"])])

    def compared_by(self, time_column: str) -> PointTable:
        """The same points, compared by other seconds."""
        return dataclasses.replace(self, time_column=time_column)

    def none(self, why: str = "") -> PointTable:
        """No points, with the same columns, and why."""
        return dataclasses.replace(self, frame=self.frame[:0], why=why)

    def assign(self, **columns: Any) -> PointTable:
        """The points with other columns, or further ones."""
        return dataclasses.replace(self, frame=self.frame.assign(**columns))

    def with_columns(self, *names: str) -> PointTable:
        """The points with these columns, empty if they had none."""
        return dataclasses.replace(self, frame=self.frame.reindex(
            columns=list(dict.fromkeys([*self.frame.columns, *names]))))

    def sorted_by(self, *columns: str) -> PointTable:
        """The points in the order of these columns."""
        return dataclasses.replace(self, frame=self.frame.sort_values(list(columns)))

    def column_of(self, objects: list[Any]) -> pd.Series:
        """A column that holds these objects, one a point."""
        return pd.Series(objects, self.frame.index, dtype=object)

    def select(self, **axes: Any) -> PointTable:
        """The points whose axes have these values; an axis that a point lacks counts as equal."""
        wanted = np.ones(len(self), dtype=bool)
        for axis, value in axes.items():
            if axis in self:
                wanted &= (self[axis].eq(value) | self[axis].isna()).to_numpy()
        return self.where(wanted)

    def of_primitives(self, *names: str) -> PointTable:
        return self.where(self["primitive"].isin(names))

    def of_variants(self, *names: str) -> PointTable:
        """The points of these variants of primitives (see sync_sweeps)."""
        return self.where(self["variant"].isin(names))

    def ok(self) -> PointTable:
        """The points with every repetition ok."""
        return self.where(self["ok"])

    def main_sweep_points(self) -> PointTable:
        """The points of a sweep, without those that --tune chose, each at another grid."""
        return self.where(self["tuned"].isna())

    def at_full_occupancy(self, gpu: dict[str, Any]) -> PointTable:
        """The points that ran with as many threads or thread blocks as the SMs hold."""
        sms, blocks, threads = (gpu.get(what, math.inf) for what in ("sms", "max_blocks_per_sm", "max_threads_per_sm"))
        full = [bool(ran) and (ran["blocks"] >= sms * blocks
                               or ran["blocks"] * ran["threads_per_block"] >= sms * threads)
                for ran in self["effective"]]
        return dataclasses.replace(self, frame=self.frame.loc[full])

    def by_columns(self, *columns: str) -> dict[Any, PointTable]:
        """The points of each combination of values of several columns, in their order."""
        return {place: dataclasses.replace(self, frame=own) for place, own in self.frame.groupby(list(columns))}

    def by(self, axis: str) -> dict[Any, PointTable]:
        """The points of each value of an axis."""
        return {value: self.select(**{axis: value}) for value in self.values(axis)}

    def by_primitive(self) -> dict[str, PointTable]:
        """The points of each primitive, in order of first appearance."""
        return {name: self.of_primitives(name) for name in self.primitives()}

    def by_variant(self) -> dict[str, PointTable]:
        """The points of each variant, in order of first appearance."""
        return {name: self.of_variants(name) for name in self.variants()}

    def by_line(self) -> dict[str, PointTable]:
        """The points of each variant; of each primitive if these have no variants."""
        return self.by_variant() if "variant" in self else self.by_primitive()

    def above(self, axis: str, limit: int = 0) -> pd.Series:
        """For each point, whether an axis is a number above a limit."""
        return pd.to_numeric(self[axis], errors="coerce") > limit

    def values(self, axis: str) -> list[Any]:
        """The values that an axis takes, sorted, numbers before names."""
        return in_order(self[axis].dropna() if axis in self else ())

    def grids(self) -> list[int]:
        return self.values("tbs_per_sm")

    def primitives(self) -> list[str]:
        """The primitives in order of first appearance."""
        return list(self["primitive"].unique())

    def variants(self) -> list[str]:
        """The variants in order of first appearance."""
        return list(self["variant"].unique())

    def grid_labels(self, gpu: dict[str, Any]) -> list[str]:
        """The launches of all points that ran."""
        return sorted({point.grid_label(gpu) for point in self if point["effective"]})

    def first(self) -> PointRow:
        return PointRow(self.frame.iloc[0], self.time_column)

    def fastest_point(self) -> PointRow | None:
        """The ok point with the least median time, so each primitive counts at its best grid."""
        known = self[self.time_column].dropna() if self.time_column in self else []
        return PointRow(self.frame.loc[known.idxmin()], self.time_column) if len(known) else None

    def first_ok(self) -> PointRow | None:
        good = self.ok()
        return None if good.empty else good.first()

    def best(self, say: Callable[[PointRow], Answer | None], first: bool = False) -> Answer | str:
        """What is said of the fastest point, or of the first ok one; a word if no point is ok, or if nothing
        is said."""
        found = self.first_ok() if first else self.fastest_point()
        answer = None if found is None else say(found)
        return self.failure_word() if answer is None else answer

    def over(self, axis: str, slots: list[Any], say: Callable[[PointRow], Answer]) -> dict[int, Answer]:
        """What is said of the fastest point at each value of an axis, by the place of the value. A
        value at which no point is ok is left out."""
        found = {place: self.select(**{axis: value}).fastest_point() for place, value in enumerate(slots)}
        return {place: say(point) for place, point in found.items() if point is not None}

    def best_time(self, factor: float) -> Spread | str:
        """The time of the fastest point in another unit, or a word if no point is ok."""
        return self.best(lambda point: point.time.scaled(factor))

    def fastest_time(self) -> Spread | None:
        point = self.fastest_point()
        return None if point is None else point.time

    def first_spread(self, low: str, middle: str, high: str) -> Spread | str:
        """The numbers of the first point that has all three; a word if no point has."""
        known = self.frame[[low, middle, high]].dropna()
        return self.failure_word() if known.empty else Spread(*known.iloc[0])

    def speedup_over(self, baseline: PointTable) -> Spread | str:
        """The rate of the fastest point over that of the baseline's, or a word that says why there is none."""
        best, base = self.fastest_point(), baseline.fastest_point()
        if best is None or base is None:
            return (self if best is None else baseline).failure_word()
        return best.rate.over(base.rate)

    def time_limit(self) -> float | None:
        """The least seconds per operation of points that all ran out of time; None if one did not."""
        if self.empty or "waited_ms" not in self or self["waited_ms"].isna().any():
            return None
        return float((self["waited_ms"].astype(float) / 1e3 / self["operations"]).min())

    def failure_word(self) -> str:
        """The word to write if no point is ok: how most of them ended, or why there are none."""
        counts = Counter(word for word in self["ended"] if word != "ok")
        return counts.most_common(1)[0][0] if counts else self.why or "not run"


def in_order(values: Iterable[Any]) -> list[Any]:
    """Different values, sorted, numbers before names."""
    return sorted(set(values), key=lambda value: (isinstance(value, str), value))


def no_points(*columns: str) -> PointTable:
    """A table without points, for results that were not recorded."""
    return PointTable(pd.DataFrame(columns=["primitive", "ok", "ended", *columns]).astype({"ok": bool}))
