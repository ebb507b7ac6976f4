"""A panel for each input, with a bar for each primitive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from ..results.loading import Results
from ..results.point_table import Spread
from . import layout
from .styles import styles_of


def draw(results: Results, bars: Mapping[str, Mapping[str, Spread]], primitives: Sequence[str],
         unit: str, title: str, caption: str) -> Figure | None:
    """`bars` maps panel titles to bars. All panels have the same places for primitives and the same
    log scale."""
    shown = [one.median for own in bars.values() for one in own.values()]
    if not shown:
        return None
    styles = styles_of(results)
    figure, panels = layout.panels_by_row(len(bars))
    layout.scale_bars(panels[0], shown)
    for panel, (name, own) in zip(panels, bars.items()):
        for place, primitive in enumerate(primitives):
            if primitive in own:
                layout.draw_bar(panel, place, 1, own[primitive], styles[primitive])
        panel.set_title(name)
        panel.set_xticks([])
        panel.grid(axis="y")
    panels[0].set_ylabel(unit)
    return layout.finish(figure, f"{title} ({results.gpu_name})",
                         f"{caption} Medians of the repetitions, whiskers are quartiles.", results,
                         layout.legend_of(panels), 3)
