"""Time with and without the synchronizing operation (the thesis's figures 5.5 and 5.32)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from .. import sync_sweeps
from ..loading import Results
from ..points import Points, failure_word, select
from ..workload import Drawing, workload_of
from . import layout
from .styles import Styles, styles_of

_OTHERWISE = "#d9d9d9"
_PANELS_A_ROW = 3


def drawing(title: str, shown: Sequence[str], note: str = "") -> Drawing:
    """The figure: bars of those `shown`, as bars of more could not be told apart; `note` says what
    it reproduces."""
    return Drawing("split", "the time of kernels without the synchronizing operation",
                   partial(draw, title=title, shown=shown, note=note))


def draw(results: Results, title: str, shown: Sequence[str], note: str) -> Figure | None:
    """One panel per number of thread blocks per SM, each with its own scale; stacked bars."""
    points = sync_sweeps.measured(results)
    found = sync_sweeps.main_sweep(points[points["rest_ns_per_operation"].notna() | ~points["ok"]])
    if found is None or not found[1]["ok"].any():
        return None
    which, points = found
    grids = sync_sweeps.grids(points)
    names = [name for name in shown if name in set(points["variant"])]
    if not names:
        return None
    styles = styles_of(results)
    figure, panels = layout.panels_by_row(len(grids), _PANELS_A_ROW, one_scale=False)
    for panel, blocks in zip(panels, grids):
        _draw_panel(panel, select(points, tbs_per_sm=blocks), names, styles)
        panel.set_title(f"{blocks} TB{'s' * (blocks > 1)}/SM")
    for first in panels[::_PANELS_A_ROW]:
        first.set_ylabel(f"us per {workload_of(results.program).operation}")
    own = [styles[name] for name in names]
    legend = [Patch(facecolor=style.colour, hatch=style.hatch, edgecolor="white") for style in own]
    caption = (f"{sync_sweeps.words(which).capitalize()}. {note}Bars: medians. "
               "Grey: the same kernel without the synchronizing operation; coloured: what that "
               "adds, and its share in percent. Each panel has its own scale.")
    return layout.finish(figure, f"{title}: {results.gpu_name}", caption, results,
                         ([*legend, Patch(facecolor=_OTHERWISE)],
                          [*(style.label for style in own), "the rest"]), 4)


def parts(points: Points) -> tuple[float, float] | None:
    """Microseconds per operation without and of synchronization, of the best ok point."""
    best = sync_sweeps.best(points)
    alone = None if best is None else sync_sweeps.unsynchronized(best)
    if best is None or alone is None:
        return None
    whole = sync_sweeps.time(best).median
    return min(alone, whole) * 1e6, max(whole - alone, 0.0) * 1e6


def _draw_panel(panel: Axes, points: Points, names: list[str], styles: Styles) -> None:
    both = {name: parts(sync_sweeps.of(points, name)) for name in names}
    highest = max((sum(split) for split in both.values() if split), default=1.0)
    panel.set_ylim(0, highest * 1.3)
    for slot, (name, split) in enumerate(both.items()):
        if split is None:
            layout.mark_gap(panel, slot, 0.04, failure_word(sync_sweeps.of(points, name)),
                            panel.get_xaxis_transform())
            continue
        alone, added = split
        style = styles[name]
        panel.bar(slot, alone, 0.8, color=_OTHERWISE)
        panel.bar(slot, added, 0.8, bottom=alone, color=style.colour, hatch=style.hatch,
                  edgecolor="white", linewidth=0.6)
        panel.annotate(f"{100 * added / (alone + added):.0f} %", (slot, alone + added),
                       xytext=(0, 3), textcoords="offset points", rotation=90, ha="center",
                       va="bottom", fontsize=8)
    panel.set_xticks([])
    panel.set_xlim(-0.6, len(names) - 0.4)
    panel.grid(axis="y")
