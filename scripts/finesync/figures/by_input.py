"""A panel for each input, with a bar for each primitive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from matplotlib.figure import Figure

from ..query.points import PointTable, Spread
from ..results.loading import Results
from ..results.workload import Drawing
from . import layout
from .styles import styles_of


_MOST_IN_NARROW = 11


def of_points(name: str, needs: str, panels: Callable[[Results], Mapping[str, PointTable]],
              value: Callable[[PointTable], Spread | str], unit: str, title: str, caption: str) -> Drawing:
    """The figure of points by the titles of panels, a bar for each line of a table, in the order of rows."""
    def draw_all(results: Results) -> Figure | None:
        lines = {panel: points.by_line() for panel, points in panels(results).items()}
        first: dict[str, int] = {}
        for name, own in (item for line in lines.values() for item in line.items()):
            first[name] = min(first.get(name, own.frame.index[0]), own.frame.index[0])
        return draw(results, {panel: {name: value(own) for name, own in line.items()}
                              for panel, line in lines.items()},
                    sorted(first, key=first.__getitem__), unit, title, caption)
    return Drawing(name, needs, draw_all)


def draw(results: Results, bars: Mapping[str, Mapping[str, Spread | str]],
         primitives: Sequence[str], unit: str, title: str, caption: str) -> Figure | None:
    """`bars` maps panel titles to bars, or words that say why there are none. All panels have the
    same places for primitives and the same scale."""
    shown = [one.median for own in bars.values() for one in own.values() if isinstance(one, Spread)]
    if not shown:
        return None
    styles = styles_of(results)
    # Numbers stand above bars, which must not be too narrow for them.
    wide = len(primitives) > _MOST_IN_NARROW
    figure, panels = layout.panels_by_row(len(bars), 2 if wide else layout.PANELS_A_ROW)
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
