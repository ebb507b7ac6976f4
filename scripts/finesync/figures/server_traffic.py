"""ASPLOS'19 figure 8 and table 2: traffic of servers in percent of that of locks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..papers import published
from ..papers.sync_traffic import MEMORIES, NET, Comparison, by_extent, percent, published_percent
from ..query.numbers import exactly
from ..query.points import PointTable
from ..results.loading import Results
from ..results.workload import Drawing
from . import layout
from .styles import Styles, styles_of



def drawing(comparison: Comparison, title: str, what_collides: str) -> Drawing:
    """The figure of a comparison."""
    return Drawing("traffic", "traffic of a server and of a lock", partial(
        draw, comparison=comparison, title=title, what_collides=what_collides))


def draw(results: Results, comparison: Comparison, title: str, what_collides: str) -> Figure | None:
    """Rows of panels for L2 and DRAM, columns for whole kernels and net of the section."""
    extents = {extent: points for extent, points in by_extent(results, comparison.section).items()
               if comparison.decides(points)}
    if not extents:
        return None
    styles = styles_of(results)
    paper, *others = (styles[name].label for name in comparison.baselines)
    figure, panels = plt.subplots(2, len(extents), figsize=(layout.WIDTH_IN, 5.6), sharex="col",
                                  sharey="row", squeeze=False)
    for row, (memory, counter) in zip(panels, MEMORIES.items()):
        theirs = {extent: published_percent(comparison, points, memory, extent) for extent, points in extents.items()}
        shown = [value for extent, points in extents.items()
                 for value in _all_values(points, comparison, counter, theirs[extent])]
        layout.scale_bars(row[0], [100.0, *shown])
        for axes, (extent, points) in zip(row, extents.items()):
            _draw_panel(axes, points, comparison, counter, theirs[extent], styles)
        row[0].set_ylabel(f"{memory} traffic (% of {paper})")
    for axes, (extent, points) in zip(panels[0], extents.items()):
        axes.set_title(extent)
    for axes, points in zip(panels[1], extents.values()):
        factors = list(points.by("collision_factor"))
        axes.set_xticks(range(len(factors)), [layout.count_label(factor) for factor in factors])

    caption = (f"Counted by ncu in one launch. Bars and their numbers: in percent of {paper}; "
               f"diamonds: of {' and of '.join(others)}. L2: sectors that SMs read, write and "
               "update atomically. " + how_counted(results))
    if NET in extents:
        caption += (f" Hatched: ASPLOS'19, table 2, published for the {published.gpu()}; not "
                    "measured here.")
    return layout.finish(figure, f"{title}: memory traffic of servers ({results.gpu_name})", caption,
                         results, layout.legend_of(panels.flat),
                         f"{what_collides} (the paper's collision factor)")


def _all_values(points: PointTable, comparison: Comparison, counter: str, theirs: Mapping[int, float]) -> list[float]:
    found = [percent(here, server, baseline, counter)
             for here in points.by("collision_factor").values()
             for server in comparison.servers_in(points) for baseline in comparison.baselines]
    return [value for value in found if not isinstance(value, str) and value > 0] + list(theirs.values())


def _draw_panel(axes: Axes, points: PointTable, comparison: Comparison, counter: str,
                theirs: Mapping[int, float], styles: Styles) -> None:
    factors = list(points.by("collision_factor"))
    servers = comparison.servers_in(points)
    number = len(servers) + bool(theirs)
    for group, factor in enumerate(factors):
        here = points.select(collision_factor=factor)
        for slot, server in enumerate(servers):
            x, step = layout.bar_in_group(group, slot, number)
            of_paper, *of_others = (percent(here, server, baseline, counter) for baseline in comparison.baselines)
            diamonds = {name: value for name, value in zip(comparison.baselines[1:], of_others)
                        if not isinstance(value, str)}
            bar = of_paper if isinstance(of_paper, str) else exactly(of_paper)
            layout.draw_number(axes, x, step, bar, styles[server], 0.04, max(diamonds.values(), default=0))
            for name, value in diamonds.items():
                axes.plot([x], [value], marker="D", markersize=3.6, color="white",
                          markeredgecolor="black", linestyle="none", zorder=4,
                          label=f"in % of {styles[name].label}")
    for group, factor in enumerate(factors):
        if factor in theirs:
            layout.draw_published(axes, *layout.bar_in_group(group, len(servers), number), theirs[factor],
                                  f"published for the {published.gpu()}")
    axes.axhline(100, color="black", linewidth=0.9, zorder=3)
    layout.fit_groups(axes, len(factors))


def how_counted(results: Results) -> str:
    """The profiler, and whether caches were empty."""
    profiler = results.context.get("profiler", {})
    caches = {"all": "Caches were flushed before it.", "none": "Caches were left as they were."}
    return f"ncu {profiler.get('version', 'of unknown version')}. " + caches.get(profiler.get("cache_control"), "")
