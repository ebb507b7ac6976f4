"""ASPLOS'19 figure 7, hash table: speed-up of servers over locks, as published and as tuned.

In a run without servers the bars are its locks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
from finesync_results import published
from finesync_results.figures import layout
from finesync_results.figures.styles import Style, styles_of
from finesync_results.loading import Results
from finesync_results.points import Points, Spread, failure_word, of, primitives
from finesync_results.workload import Drawing
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import inserts
from .inserts import ANY_DATA, BEST_GRID, FULL, THE_WORD

# Baselines are bars too, where they are over another.
_BASELINES = {BEST_GRID: Style(BEST_GRID, "#b5b5b5", "o", "", "-"),
              ANY_DATA: Style(ANY_DATA, "#9ecae1", "d", "////", "-"),
              THE_WORD: Style(THE_WORD, "#3182bd", "d", "||||", "-")}
# Each panel's baseline, and the baselines that are bars of it.
_PANELS = {FULL: (BEST_GRID, ANY_DATA, THE_WORD), BEST_GRID: (ANY_DATA, THE_WORD),
           ANY_DATA: (THE_WORD,)}
_LABELS = {FULL: "over Listing 1 at\nfull occupancy (x)",
           BEST_GRID: "over Listing 1 at\nits best grid (x)",
           ANY_DATA: "over the best lock that\nprotects any data (x)"}
_GROUP_WIDTH = 0.88


def draw(results: Results) -> Figure | None:
    """Bars by collision factor, a panel for each baseline."""
    points = inserts.inserts(results)
    servers = inserts.servers_in(points)
    bars = servers or [name for name in primitives(points) if name != inserts.LISTING_1]
    groups = inserts.by_factor(points)
    if not bars or not groups or of(points, *inserts.LOCKS).empty:
        return None
    factors = list(groups)
    baselines = [inserts.baselines(here, results.gpu) for here in groups.values()]
    own_styles = styles_of(results)
    styles = {**_BASELINES, **{name: own_styles[name] for name in bars}}
    figure, panels = plt.subplots(len(_PANELS), 1, figsize=(layout.WIDTH_IN, 9.0), sharex=True)
    for panel, (baseline, others) in zip(panels, _PANELS.items()):
        own = [{**{name: bases[name] for name in (others if servers else ())},
                **{name: of(here, name) for name in bars}}
               for here, bases in zip(groups.values(), baselines)]
        _draw_panel(panel, factors, own, [bases[baseline] for bases in baselines], styles)
        panel.set_ylabel(_LABELS[baseline])
    panels[-1].set_xticks(range(len(factors)), [
        _tick(factor, bases[ANY_DATA], own_styles[_best_name(bases[ANY_DATA])].label, results.gpu)
        for factor, bases in zip(factors, baselines)])
    panels[-1].set_xlabel("collision factor (elements in the pool), and its best lock that "
                          "protects any data, with its grid")

    full = sorted({label for bases in baselines
                   for label in inserts.grid_labels(bases[FULL], results.gpu)})
    caption = (f"Bars of {results.gpu_name}: run time of the baseline over that of each primitive "
               "at its own best grid (thread blocks per SM x threads); medians, whiskers from the "
               f"quartiles of both. Full occupancy: {' or '.join(full) or 'not run'}.")
    if _published(factors):
        caption += (f" Hatched white: servers, published for the {published.gpu()} (ASPLOS'19, "
                    "tables 3 and 4), over that GPU's own spin lock, not measured here.")
    return layout.finish(figure, f"Hash-table insertion, speed-up over locks: {results.gpu_name}",
                         caption, results, layout.legend_of(panels), 2 if servers else 4)


def speedups(own: Mapping[str, Points], baseline: Points) -> dict[str, Spread | str]:
    """Speed-up of the best of each over the best of the baseline, or a word for why there is
    none."""
    return {name: inserts.ratio(points, baseline) for name, points in own.items()}


def _published(factors: list[int]) -> dict[int, float]:
    """The paper's speed-ups, by the place of their collision factor."""
    theirs = published.server_speedups()
    return {place: theirs[factor] for place, factor in enumerate(factors) if factor in theirs}


def _draw_panel(axes: Axes, factors: list[int], own: list[dict[str, Points]],
                baselines: list[Points], styles: Mapping[str, Style]) -> None:
    theirs = _published(factors)
    measured = [speedups(here, baseline) for here, baseline in zip(own, baselines)]
    shown = [ratio.high for group in measured for ratio in group.values()
             if isinstance(ratio, Spread)]
    layout.scale_bars(axes, [1.0, *theirs.values(), *shown])
    step = _GROUP_WIDTH / (len(own[0]) + bool(theirs))
    for group, found in enumerate(measured):
        for slot, (name, ratio) in enumerate(found.items()):
            x = group - _GROUP_WIDTH / 2 + step * (slot + 0.5)
            if isinstance(ratio, Spread):
                layout.draw_bar(axes, x, step, ratio, styles[name])
            else:
                layout.mark_gap(axes, x, 0.03, ratio, axes.get_xaxis_transform())
    for group, value in theirs.items():
        x = group - _GROUP_WIDTH / 2 + step * (len(own[group]) + 0.5)
        layout.draw_published(axes, x, step, value, f"servers, published for the {published.gpu()}")
    axes.axhline(1, color="black", linewidth=0.9, zorder=3)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(factors) - 0.5)
    axes.grid(axis="y")


def _best_name(locks: Points) -> str:
    best = inserts.best(locks)
    return "" if best is None else str(best["primitive"])


def _tick(factor: int, locks: Points, label: str, gpu: dict[str, Any]) -> str:
    best = inserts.best(locks)
    lock = failure_word(locks) if best is None else f"{label}\n{inserts.grid_label(best, gpu)}"
    return f"{layout.count_label(factor)}\n{lock}"


SPEEDUP = Drawing("speedup", "a lock, and a server or another lock", draw)
