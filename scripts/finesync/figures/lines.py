"""Panels of lines, one line per variant of a primitive, over thread blocks per SM or the like."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..query.points import PointRow, PointTable, Spread
from ..results.asked import asked
from ..results.catalogue import with_roles
from ..results.loading import Results
from ..results.registry import workload_named
from ..results.sync_sweeps import Setting
from . import layout, scales
from .legibility.panels import MOST_LINES
from .scales import Failure
from .styles import Styles, styles_of

PANELS_A_ROW = 3
# A run without end, or too long for the watchdog, is not a gap in a graph of times but off its top.
_ENDLESS = ("livelock", "deadlock", "hung", "timed out")
# Where a variant has no number, it ranks as if it took this many times as long as the best.
_WITHOUT = 100.0
Value = Callable[[PointRow], "Spread | None"]
Line = Mapping[int, Spread]


@dataclass
class Drawn:
    """What a panel shows: its numbers, and the rows of crosses at its foot and top."""

    panel: Axes
    shown: list[float] = field(default_factory=list)
    at_foot: int = 0
    on_top: int = 0

    @property
    def failed(self) -> bool:
        """Whether any point is crossed out."""
        return bool(self.at_foot or self.on_top)

    def on_linear_axis(self) -> None:
        """Gives the panel a linear axis, with room for failures."""
        scales.fit_y([self.panel], self.shown, self.at_foot, self.on_top)

    def on_fitting_axis(self) -> None:
        """The same with an axis that is logarithmic only where small numbers need it."""
        if self.shown and not layout.needs_log(self.shown):
            self.on_linear_axis()
        else:
            self.on_log_axis()

    def on_log_axis(self) -> None:
        """The same with a logarithmic axis."""
        scales.fit_log_y([self.panel], self.shown, self.at_foot, self.on_top)


def draw_panel(panel: Axes, points: PointTable, names: Iterable[str], axis: str, slots: list[Any],
               value: Value, styles: Styles) -> Drawn:
    """One panel: a line for each of these variants over the values of an axis, and crosses for failures."""
    drawn = Drawn(panel)
    endless: list[Failure] = []
    others: list[Failure] = []
    for name in names:
        style, own = styles[name], points.of_variants(name)
        line = line_of(own, axis, slots, value)
        if line:
            layout.draw_line(panel, list(line), list(line.values()), style)
            drawn.shown += [spread.median for spread in line.values()]
        for slot, where in enumerate(slots):
            here = own.select(**{axis: where})
            bad = next(iter(here["ended"][~here["ok"]]), None)
            if bad and slot not in line:
                (endless if bad in _ENDLESS else others).append(Failure(slot, bad, style.marker, style.colour))
    drawn.on_top = scales.mark_failures(panel, endless, len(slots), on_top=True)
    drawn.at_foot = scales.mark_failures(panel, others, len(slots))
    layout.name_slots(panel, (f"{where:,}" for where in slots))
    return drawn


def line_of(points: PointTable, axis: str, slots: list[Any], value: Value) -> dict[int, Spread]:
    """The least numbers of a variant, by the place of their value of an axis."""
    found = {}
    for slot, where in enumerate(slots):
        good = [spread for spread in map(value, points.select(**{axis: where}).ok()) if spread]
        if good:
            found[slot] = min(good, key=lambda spread: spread.median)
    return found


def worth_a_line(panels: Iterable[Mapping[str, Line]], keep: Iterable[str] = ()) -> list[str]:
    """The names of all lines of some panels: those asked for and to `keep`, then the others from the lowest to the
    highest."""
    behind: dict[str, list[float]] = {}
    for own in panels:
        slots = sorted({slot for line in own.values() for slot in line})
        best = {slot: min(line[slot].median for line in own.values() if slot in line) for slot in slots}
        for name, line in own.items():
            behind.setdefault(name, []).extend(
                math.log(max(line[slot].median / best[slot], 1) if slot in line and best[slot] > 0
                         else _WITHOUT) for slot in slots)
    ranked = sorted(behind, key=lambda name: sum(behind[name]) / max(len(behind[name]), 1))
    first = [name for name in dict.fromkeys([*asked(), *keep]) if name in behind]
    return [*first, *(name for name in ranked if name not in first)]


def not_drawn(names: Iterable[str], styles: Styles) -> str:
    """For captions: what has no line or bar in a panel that has enough."""
    labels = "; ".join(styles[name].label for name in dict.fromkeys(names))
    return f" Left out, where no more could be told apart: {labels}." if labels else ""


def chosen(panels: Iterable[PointTable], results: Results, axis: str, slots: list[Any],
           value: Value) -> Callable[[PointTable], list[str]]:
    """Which variants of a panel's points have a line, in the order of its points: CUDA's own and
    the papers' locks, and of the others as many of the fastest as can be told apart."""
    workload = workload_named(results.program)
    keep = [*([workload.chart.library] if workload.chart else []),
            *with_roles(results.program, workload.families, "paper_lock")]
    ranked = worth_a_line(({name: line_of(line, axis, slots, value)
                            for name, line in own.by_variant().items()} for own in panels), keep)

    def of_panel(points: PointTable) -> list[str]:
        names = points.variants()
        shown = set([name for name in ranked if name in names][:MOST_LINES])
        return [name for name in names if name in shown]
    return of_panel


def figure_of_times(results: Results, panels: list[tuple[str, PointTable]], axis: str, title: str,
                    before: str, labels: str, relative: bool = False) -> Figure:
    """A panel per title and points: time per operation over the values of an axis. `before` begins
    the caption. With `relative`, over the least time at each value, which is below it."""
    slots = sorted({value for _, own in panels for value in own.values(axis)})
    names_in = chosen([own for _, own in panels], results, axis, slots, microseconds)
    figure, places = layout.panels_by_row(len(panels), PANELS_A_ROW, one_scale=False, same_x=not relative)
    styles = styles_of(results)
    failed, left_out = False, []
    for panel, (name, own) in zip(places, panels):
        names = names_in(own)
        least = _least(own, axis) if relative else {}
        drawn = draw_panel(panel, own, names, axis, slots, lambda point, least=least:
                           _over(point, least.get(point[axis])), styles)
        if relative:
            drawn.on_fitting_axis()
            panel.set_xticks(range(len(slots)), [_with_time(slot, least) for slot in slots])
        else:
            drawn.on_log_axis()
        panel.set_title(name)
        failed |= drawn.failed
        left_out += [variant for variant in own.variants() if variant not in names]
    layout.label_rows(places, PANELS_A_ROW, "time / least time" if relative else
                      f"us per {workload_named(results.program).operation}")
    caption = (f"{before}Medians of the repetitions; whiskers are quartiles."
               + (" Scales differ between panels." if len(panels) > 1 else "")
               + not_drawn(left_out, styles) + (layout.FAILURES if failed else ""))
    return layout.finish(figure, f"{title} ({results.gpu_name})", caption, results, layout.legend_of(places), labels)


def _least(points: PointTable, axis: str) -> dict[Any, float]:
    """The least microseconds at each value of an axis."""
    return {where: best.median * 1e6 for where, own in points.by(axis).items() if (best := own.fastest_time())}


def _over(point: PointRow, least: float | None) -> Spread:
    time = microseconds(point)
    return time.scaled(1 / least) if least else time


def _with_time(slot: Any, least: Mapping[Any, float]) -> str:
    return f"{slot:,}" + (f"\n{layout.short_number(least[slot])} us" if slot in least else "")


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
