"""Panels of lines, one line per variant of a primitive, over thread blocks per SM or the like."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes

from .. import contest
from ..contest import Setting
from ..points import Point, Spread, select, values
from . import style

# What runs for ever is no gap in a graph of times but off its top.
_ENDLESS = ("livelock", "deadlock")
Value = Callable[[Point], Spread | None]


@dataclass
class Drawn:
    """What panels that share a y axis hold: all medians, and the highest stacks of failures."""

    panels: list[Axes] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    at_foot: int = 0
    on_top: int = 0

    @property
    def failed(self) -> bool:
        """Whether any point is crossed out."""
        return bool(self.at_foot or self.on_top)

    def on_linear_axis(self, low: float, high: float) -> None:
        """Gives the panels a linear axis with room for what failed."""
        style.leave_linear_room_for_failures(self.panels, low, high, self.at_foot, self.on_top)

    def on_log_axis(self) -> None:
        """Gives the panels one logarithmic axis with room for what failed."""
        low, high = (min(self.shown), max(self.shown)) if self.shown else (1.0, 10.0)
        style.log_axis(self.panels[0].yaxis, low, high)
        style.leave_room_for_failures(self.panels, low, high, self.at_foot, self.on_top)


def draw_panel(drawn: Drawn, panel: Axes, points: list[Point], axis: str, places: list[Any],
               value: Value) -> None:
    """One panel: a line per variant over the places of an axis, and marks where none is."""
    failed: dict[tuple[int, bool], list[tuple[str, str, str]]] = {}
    for name in contest.variants(points):
        look = style.look(name)
        line: dict[int, Spread] = {}
        for place, where in enumerate(places):
            own = select(contest.of(points, name), **{axis: where})
            good = [spread for spread in map(value, (point for point in own if point.ok)) if spread]
            bad = next((point.status for point in own if not point.ok), None)
            if good:
                line[place] = min(good, key=lambda spread: spread.median)
            elif bad:
                failed.setdefault((place, bad in _ENDLESS), []).append(
                    (bad, look.marker, look.colour))
        if line:
            style.draw_spreads(panel, list(line), list(line.values()), color=look.colour,
                               marker=look.marker, linestyle=look.dashes, label=look.label,
                               markeredgecolor="white", markeredgewidth=0.4)
            drawn.shown += [spread.median for spread in line.values()]
    for (place, endless), marks in failed.items():
        style.mark_failures(panel, place, marks, on_top=endless)
        drawn.on_top = max(drawn.on_top, len(marks) if endless else 0)
        drawn.at_foot = max(drawn.at_foot, 0 if endless else len(marks))
    drawn.panels.append(panel)
    panel.set_xticks(range(len(places)), [f"{where:,}" for where in places])
    panel.set_xlim(-0.35, len(places) - 0.65)
    panel.grid(axis="y")


def positive(spread: Spread | None) -> Spread | None:
    """What can be drawn on a logarithmic axis."""
    return spread if spread and spread.low > 0 else None


def unbroken(words: str, width: int) -> str:
    """Lines that break after commas only."""
    kept = words.replace(" ", "\N{NO-BREAK SPACE}").replace(",\N{NO-BREAK SPACE}", ", ")
    return "\n".join(textwrap.wrap(kept, width)).replace("\N{NO-BREAK SPACE}", " ")


def titles(settings: Iterable[Setting]) -> tuple[list[str], str]:
    """For each setting what tells it from the others, and what all of them share."""
    words = [which.words() for which in settings]
    shared = {part: word for part, word in words[0].items()
              if all(own.get(part) == word for own in words)}
    return ([", ".join(word for part, word in own.items() if part not in shared)
             for own in words], ", ".join(shared.values()))


def grids(points: Iterable[Point]) -> list[int]:
    """The numbers of thread blocks per SM."""
    return values(points, "tbs_per_sm")
