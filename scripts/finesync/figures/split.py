"""Time with and without the synchronizing operation (the thesis's figures 5.5 and 5.32)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..query.points import PointTable
from ..results import sync_sweeps
from ..results.loading import Results
from ..results.registry import workload_named
from ..results.workload import Drawing
from . import layout, scales
from .styles import Styles, styles_of

_OTHERWISE = "#d9d9d9"
_PANELS_A_ROW = 3
_LEAST_PART = 0.02  # of a bar


def drawing(title: str, shown: Sequence[str], note: str = "") -> Drawing:
    """The figure, with bars only of those `shown`, as more could not be told apart, in their main
    sweep; `note` names the figure that it reproduces."""
    return Drawing("overhead", "the time of kernels without the synchronizing operation, more than "
                   f"{_LEAST_PART:.0%} of a bar",
                   partial(draw, title=title, shown=shown, note=note))


def draw(results: Results, title: str, shown: Sequence[str], note: str) -> Figure | None:
    """One panel per number of thread blocks per SM, each with its own scale; stacked bars."""
    points = sync_sweeps.measured(results).of_variants(*shown)
    timed = points["unsynchronized_ns_per_operation"].notna()
    found = sync_sweeps.main_sweep(points.where(timed | ~points["ok"]))
    if found is None or not found[1]["ok"].any():
        return None
    which, points = found
    grids = points.grids()
    names = [name for name in shown if name in set(points["variant"])]
    if not _tells_apart(points):
        return None
    styles = styles_of(results)
    figure, panels = layout.panels_by_row(len(grids), _PANELS_A_ROW, one_scale=False)
    for panel, blocks in zip(panels, grids):
        _draw_panel(panel, points.select(tbs_per_sm=blocks), names, styles)
        panel.set_title(f"{blocks} TB{'s' * (blocks > 1)}/SM")
    for first in panels[::_PANELS_A_ROW]:
        first.set_ylabel(f"us per {workload_named(results.program).operation}")
    caption = (f"{sync_sweeps.words(which).capitalize()}. {note}Bars: medians. "
               "Grey: the same kernel without synchronization. Coloured: the time that "
               "synchronization adds, with its share of the total. Scales differ between panels.")
    return layout.finish(figure, f"{title} ({results.gpu_name})", caption, results,
                         layout.legend_of(panels))


def _tells_apart(points: PointTable) -> bool:
    """Whether any bar has two parts that can be seen."""
    splits = [parts(own.of_variants(name)) for own in points.by("tbs_per_sm").values()
              for name in own.variants()]
    return any(min(split) >= _LEAST_PART * sum(split) for split in splits if split)


def parts(points: PointTable) -> tuple[float, float] | None:
    """Microseconds per operation without and of synchronization, of the best ok point."""
    best = points.fastest_point()
    rest = None if best is None else sync_sweeps.unsynchronized(best)
    if best is None or rest is None:
        return None
    whole = best.time.median
    return min(rest, whole) * 1e6, max(whole - rest, 0.0) * 1e6


def _draw_panel(panel: Axes, points: PointTable, names: list[str], styles: Styles) -> None:
    both = {name: parts(points.of_variants(name)) for name in names}
    highest = max((sum(split) for split in both.values() if split), default=1.0)
    panel.set_ylim(0, highest * 1.3)
    for slot, (name, split) in enumerate(both.items()):
        if split is None:
            scales.mark_gap(panel, slot, 0.04, points.of_variants(name).failure_word(),
                            panel.get_xaxis_transform())
            continue
        rest, added = split
        style = styles[name]
        panel.bar(slot, rest, 0.8, color=_OTHERWISE, label="without synchronization")
        panel.bar(slot, added, 0.8, bottom=rest, color=style.colour, hatch=style.hatch,
                  edgecolor="white", linewidth=0.6, label=style.label)
        panel.annotate(f"{100 * added / (rest + added):.0f} %", (slot, rest + added),
                       xytext=(0, 3), textcoords="offset points", rotation=90, ha="center",
                       va="bottom", fontsize=8)
    panel.set_xticks([])
    panel.set_xlim(-0.6, len(names) - 0.4)
    panel.grid(axis="y")
