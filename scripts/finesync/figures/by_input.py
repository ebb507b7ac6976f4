"""A panel for each input, with a bar for each primitive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from matplotlib.figure import Figure

from ..query.points import PointTable, Spread
from ..query.tables import three_digits
from ..results.loading import Results
from ..results.registry import workload_named
from ..results.workload import Drawing
from . import layout
from .legibility.bars import MOST_LEVEL
from .lines import PANELS_A_ROW, not_drawn, worth_a_line
from .styles import styles_of

_MOST_IN_NARROW = 11
Bars = Mapping[str, Mapping[str, Spread | str]]


def of_points(name: str, needs: str, panels: Callable[[Results], Mapping[str, PointTable]],
              value: Callable[[PointTable], Spread | str], unit: str, title: str, caption: str,
              relative: bool = False) -> Drawing:
    """The figure of points by the titles of panels, a bar for each line of a table, in the order of rows."""
    def draw_all(results: Results) -> Figure | None:
        lines = {panel: points.by_line() for panel, points in panels(results).items()}
        first: dict[str, int] = {}
        for name, own in (item for line in lines.values() for item in line.items()):
            first[name] = min(first.get(name, own.frame.index[0]), own.frame.index[0])
        return draw(results, {panel: {name: value(own) for name, own in line.items()}
                              for panel, line in lines.items()},
                    sorted(first, key=first.__getitem__), unit, title, caption, relative)
    return Drawing(name, needs, draw_all)


def draw(results: Results, bars: Bars, primitives: Sequence[str], unit: str, title: str, caption: str,
         relative: bool = False) -> Figure | None:
    """`bars` maps panel titles to bars, or words that say why there are none. All panels have the
    same places for primitives and the same scale. With `relative` bars are over the least of their panel, and there
    are no more than can be told apart if all are level."""
    styles = styles_of(results)
    without = {name: word for own in bars.values() for name, word in own.items() if isinstance(word, str)
               and not any(isinstance(other.get(name), Spread) for other in bars.values())}
    primitives = [name for name in primitives if name not in without]
    if relative:
        bars, kept = _over_least(bars, unit), _kept(results, bars)
        caption += not_drawn((name for name in primitives if name not in kept), styles)
        primitives = [name for name in primitives if name in kept]
        whole = {name: own for name, own in bars.items() if own.keys() >= set(primitives)}
        bars, unit = whole or bars, "time / least time"
    caption += "".join(f" No result: {styles[name].label} ({word})." for name, word in without.items())
    shown = [one.median for own in bars.values() for name in primitives
             if isinstance(one := own.get(name), Spread)]
    if not shown:
        return None
    # Numbers stand above bars, which must not be too narrow for them.
    wide = len(primitives) > _MOST_IN_NARROW
    columns = 2 if wide or relative and len(bars) in (2, 4) else PANELS_A_ROW if relative else layout.PANELS_A_ROW
    figure, panels = layout.panels_by_row(len(bars), columns)
    layout.scale_bars(panels[0], shown)
    for panel, (name, own) in zip(panels, bars.items()):
        for place, primitive in enumerate(primitives):
            layout.draw_number(panel, place, 1, own.get(primitive, "not run"), styles[primitive])
        panel.set_title(name)
        panel.set_xticks([])
        panel.set_xlim(-0.6, len(primitives) - 0.4)
        panel.grid(axis="y")
    panels[0].set_ylabel(unit)
    return layout.finish(figure, f"{title} ({results.gpu_name})",
                         f"{caption} Medians of the repetitions, whiskers are quartiles."
                         + layout.FAILURES * (len(shown) < len(bars) * len(primitives)), results,
                         layout.legend_of(panels))


def _kept(results: Results, bars: Bars) -> list[str]:
    """CUDA's own, and of the others with a number in any panel the fastest."""
    workload = workload_named(results.program)
    times = [{name: {0: one} for name, one in own.items() if isinstance(one, Spread)} for own in bars.values()]
    return worth_a_line(times, workload.question.library if workload.question else ())[:MOST_LEVEL]


def _over_least(bars: Bars, unit: str) -> Bars:
    """The bars as multiples of the least of their panel, whose title has it."""
    found: dict[str, Mapping[str, Spread | str]] = {}
    for name, own in bars.items():
        least = min((one.median for one in own.values() if isinstance(one, Spread)), default=1.0)
        found[f"{name}\n1 is {three_digits(least)} {unit}"] = {
            primitive: one.scaled(1 / least) if isinstance(one, Spread) else one for primitive, one in own.items()}
    return found
