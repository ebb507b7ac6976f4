"""ASPLOS'19 figure 8 and table 2, hash table: traffic of servers in percent of that of locks."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from finesync_results import published
from finesync_results.figures import layout
from finesync_results.figures.styles import Styles, styles_of
from finesync_results.loading import Results
from finesync_results.points import Points, Spread, of, select, values
from finesync_results.workload import Drawing

from . import inserts
from .traffic import BASELINES, MEMORIES, NET, WHOLE, by_extent, percent

_GROUP_WIDTH = 0.88


def draw(results: Results) -> Figure | None:
    """Rows of panels for L2 and DRAM, columns for whole kernels and net of the section."""
    extents = {extent: points for extent, points in by_extent(results).items()
               if inserts.servers_in(points) and not of(points, *BASELINES).empty}
    if not extents:
        return None
    figure, panels = plt.subplots(2, len(extents), figsize=(layout.WIDTH_IN, 5.6), sharex="col",
                                  sharey="row", squeeze=False)
    for row, (memory, counter) in zip(panels, MEMORIES.items()):
        shown = [value for extent, points in extents.items()
                 for value in _all_values(points, counter, _published(points, memory, extent))]
        layout.scale_bars(row[0], [100.0, *shown])
        for axes, (extent, points) in zip(row, extents.items()):
            _draw_panel(axes, points, counter, _published(points, memory, extent),
                        styles_of(results))
        row[0].set_ylabel(f"{memory} traffic (% of spin)")
    for axes, (extent, points) in zip(panels[0], extents.items()):
        axes.set_title(extent)
    for axes, points in zip(panels[1], extents.values()):
        factors = values(points, "collision_factor")
        axes.set_xticks(range(len(factors)), [layout.count_label(factor) for factor in factors])

    caption = ("Counted by ncu in one launch. Bars and their numbers: in percent of the paper's "
               "spin lock; diamonds: of the ordered one. L2: sectors that SMs read, write and "
               "update atomically. " + _counted(results))
    if NET in extents:
        caption += (f" Hatched white: table 2 of ASPLOS'19, published for the {published.gpu()}, "
                    "not measured here.")
    return layout.finish(figure, f"Hash-table insertion, memory traffic of servers: "
                                f"{results.gpu_name}", caption, results,
                        layout.legend_of(panels.flat), 3, "collision factor (elements in the pool)")


def _published(points: Points, memory: str, extent: str) -> dict[int, float]:
    """The paper's net traffic, by the place of its collision factor; it has no other in numbers."""
    theirs = published.net_traffic() if extent != WHOLE else {}
    return {place: theirs[factor][memory.lower()]
            for place, factor in enumerate(values(points, "collision_factor")) if factor in theirs}


def _all_values(points: Points, counter: str, theirs: dict[int, float]) -> list[float]:
    found = [percent(select(points, collision_factor=factor), server, baseline, counter)
             for factor in values(points, "collision_factor")
             for server in inserts.servers_in(points) for baseline in BASELINES]
    return [value for value in found if not isinstance(value, str) and value > 0] \
        + list(theirs.values())


def _draw_panel(axes: Axes, points: Points, counter: str, theirs: dict[int, float],
                styles: Styles) -> None:
    factors = values(points, "collision_factor")
    servers = inserts.servers_in(points)
    step = _GROUP_WIDTH / (len(servers) + bool(theirs))
    for group, factor in enumerate(factors):
        here = select(points, collision_factor=factor)
        for slot, server in enumerate(servers):
            x = group - _GROUP_WIDTH / 2 + step * (slot + 0.5)
            plain, ordered = (percent(here, server, baseline, counter) for baseline in BASELINES)
            if isinstance(plain, str):
                layout.mark_gap(axes, x, 0.04, plain, axes.get_xaxis_transform())
            else:
                layout.draw_bar(axes, x, step, Spread(plain, plain, plain), styles[server],
                               clear_of=0 if isinstance(ordered, str) else ordered)
            if not isinstance(ordered, str):
                axes.plot([x], [ordered], marker="D", markersize=3.6, color="white",
                          markeredgecolor="black", linestyle="none", zorder=4,
                          label="in % of the ordered spin lock")
    for group, value in theirs.items():
        x = group - _GROUP_WIDTH / 2 + step * (len(servers) + 0.5)
        layout.draw_published(axes, x, step, value, f"published for the {published.gpu()}")
    axes.axhline(100, color="black", linewidth=0.9, zorder=3)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(factors) - 0.5)
    axes.grid(axis="y")


def _counted(results: Results) -> str:
    profiler = results.context.get("profiler", {})
    caches = {"all": "Caches were flushed before it.", "none": "Caches were left as they were."}
    return f"ncu {profiler.get('version', 'of unknown version')}. " \
        + caches.get(profiler.get("cache_control"), "")


TRAFFIC = Drawing("traffic", "traffic of a server and of the spin lock", draw)
