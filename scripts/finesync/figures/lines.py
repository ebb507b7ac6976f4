"""Panels of lines, one line per variant of a primitive, over thread blocks per SM or the like."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..results.loading import Results
from ..results.point_table import PointRow, PointTable, Spread
from ..results.registry import workload_named
from ..results.sync_sweeps import Setting
from . import layout
from .styles import Styles, styles_of

_PANELS_A_ROW = 3
# A run without end, or too long for the watchdog, is not a gap in a graph of times but off its top.
_ENDLESS = ("livelock", "deadlock", "hung", "timed out")
Value = Callable[[PointRow], "Spread | None"]


@dataclass
class Drawn:
    """Contents of panels that share a y axis: all medians, and the highest stacks of failures."""

    styles: Styles
    panels: list[Axes] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    at_foot: int = 0
    on_top: int = 0

    @property
    def failed(self) -> bool:
        """Whether any point is crossed out."""
        return bool(self.at_foot or self.on_top)

    def on_linear_axis(self, low: float, high: float) -> None:
        """Gives the panels a linear axis with room for failures."""
        layout.leave_linear_room_for_failures(self.panels, low, high, self.at_foot, self.on_top)

    def on_log_axis(self) -> None:
        """Gives the panels one logarithmic axis with room for failures."""
        low, high = (min(self.shown), max(self.shown)) if self.shown else (1.0, 10.0)
        layout.log_axis(self.panels[0].yaxis, low, high)
        layout.leave_room_for_failures(self.panels, low, high, self.at_foot, self.on_top)


def draw_panel(drawn: Drawn, panel: Axes, points: PointTable, axis: str, slots: list[Any],
               value: Value) -> None:
    """One panel: a line per variant over the values of an axis, and marks for failures."""
    failed: dict[tuple[int, bool], list[tuple[str, str, str]]] = {}
    for name in points.variants():
        style = drawn.styles[name]
        line: dict[int, Spread] = {}
        for slot, where in enumerate(slots):
            own = points.of_variants(name).select(**{axis: where})
            good = [spread for spread in map(value, own.ok()) if spread]
            bad = next(iter(own["ended"][~own["ok"]]), None)
            if good:
                line[slot] = min(good, key=lambda spread: spread.median)
            elif bad:
                failed.setdefault((slot, bad in _ENDLESS), []).append(
                    (bad, style.marker, style.colour))
        if line:
            layout.draw_spreads(panel, list(line), list(line.values()), color=style.colour,
                                marker=style.marker, linestyle=style.dashes, label=style.label,
                                markeredgecolor="white", markeredgewidth=0.4)
            drawn.shown += [spread.median for spread in line.values()]
    for (slot, endless), marks in failed.items():
        layout.mark_failures(panel, slot, marks, on_top=endless)
        drawn.on_top = max(drawn.on_top, len(marks) if endless else 0)
        drawn.at_foot = max(drawn.at_foot, 0 if endless else len(marks))
    drawn.panels.append(panel)
    panel.set_xticks(range(len(slots)), [f"{where:,}" for where in slots])
    panel.set_xlim(-0.35, len(slots) - 0.65)
    panel.grid(axis="y")


def figure_of_times(results: Results, panels: list[tuple[str, PointTable]], axis: str, title: str,
                    before: str, labels: str) -> Figure:
    """A panel per title and points: time per operation over the values of an axis. `before` begins
    the caption."""
    slots = sorted({value for _, own in panels for value in own.values(axis)})
    figure, places = layout.panels_by_row(len(panels), _PANELS_A_ROW)
    drawn = Drawn(styles_of(results))
    for panel, (name, own) in zip(places, panels):
        draw_panel(drawn, panel, own, axis, slots, microseconds)
        panel.set_title(name)
    drawn.on_log_axis()
    for first in places[::_PANELS_A_ROW]:
        first.set_ylabel(f"us per {workload_named(results.program).operation}")
    caption = (f"{before}Medians of the repetitions, whiskers are quartiles."
               + (layout.FAILURES if drawn.failed else ""))
    return layout.finish(figure, f"{title} ({results.gpu_name})", caption, results,
                         layout.legend_of(places), 4, labels)


def microseconds(point: PointRow) -> Spread:
    """The time per operation of an ok point."""
    return point.time.scaled(1e6)


def positive(spread: Spread | None) -> Spread | None:
    """The spread, if a logarithmic axis can show it."""
    return spread if spread and spread.low > 0 else None


def unbroken(words: str, width: int) -> str:
    """Lines that break after commas only."""
    kept = words.replace(" ", "\N{NO-BREAK SPACE}").replace(",\N{NO-BREAK SPACE}", ", ")
    return "\n".join(textwrap.wrap(kept, width)).replace("\N{NO-BREAK SPACE}", " ")


def titles(settings: Iterable[Setting]) -> tuple[list[str], str]:
    """For each setting its difference from the others; and the part that all of them share."""
    said = [[word for _, word in setting] for setting in settings]
    shared = [len(set(words)) == 1 for words in zip(*said)]
    return ([", ".join(word for word, same in zip(words, shared) if word and not same)
             for words in said],
            ", ".join(word for word, same in zip(said[0], shared) if word and same))
