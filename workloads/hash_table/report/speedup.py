"""ASPLOS'19 figure 7, hash table: speed-up of servers over locks, as published and as tuned.

In a run without servers the bars are its locks.
"""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from finesync_results import published
from finesync_results.figures import layout
from finesync_results.figures.styles import Style, Styles, styles_of
from finesync_results.loading import Results
from finesync_results.points import Points, Spread, each, failure_word, of, primitives
from finesync_results.workload import Drawing

from . import inserts

TUNED = "tuned lock"
_TUNED_STYLE = Style(TUNED, "#9ecae1", "d", "////", "-")
_GROUP_WIDTH = 0.88


def draw(results: Results) -> Figure | None:
    """Bars by collision factor, over Listing 1 at full occupancy and over the tuned lock."""
    points = inserts.inserts(results)
    servers = inserts.servers_in(points)
    bars = servers or [name for name in primitives(points) if name != inserts.LISTING_1]
    if not bars or of(points, *inserts.LOCKS).empty:
        return None
    groups = inserts.by_factor(points)
    factors = list(groups)
    listing_1 = [inserts.at_full_occupancy(here, results.gpu) for here in groups.values()]
    locks = [of(here, *inserts.LOCKS) for here in groups.values()]
    own = [{**({TUNED: lock} if servers else {}),
            **{name: of(here, name) for name in bars}}
           for here, lock in zip(groups.values(), locks)]
    styles = styles_of(results)

    figure, panels = plt.subplots(2, 1, figsize=(layout.WIDTH_IN, 6.4), sharex=True)
    _draw_panel(panels[0], factors, own, listing_1, styles)
    _draw_panel(panels[1], factors, [{name: here[name] for name in bars} for here in own], locks,
                styles)
    panels[0].set_ylabel("over Listing 1 at\nfull occupancy (x)")
    panels[1].set_ylabel("over the tuned lock (x)")
    panels[1].set_xticks(range(len(factors)), [_tick(factor, lock, styles)
                                               for factor, lock in zip(factors, locks)])
    panels[1].set_xlabel("collision factor (elements in the pool), and its tuned lock with its "
                         "grid")

    full = {inserts.grid_label(point) for here in listing_1 for point in each(here)}
    caption = (f"Bars of {results.gpu_name}: run time of the baseline over that of each primitive "
               "at its own best grid; medians, whiskers from the quartiles of both. Full "
               f"occupancy: {' or '.join(sorted(full)) or 'not run'}. Tuned lock: the best of all "
               "locks over all grids (thread blocks per SM x threads).")
    if _published(factors):
        caption += (f" Hatched white: servers, published for the {published.gpu()} (ASPLOS'19, "
                    "table 3), over that GPU's own spin lock, not measured here.")
    return layout.finish(figure, f"Hash-table insertion, speed-up over locks: {results.gpu_name}",
                        caption, results, layout.legend_of(panels), 3 if servers else 4)


def speedups(own: Mapping[str, Points], baseline: Points) -> dict[str, Spread | None]:
    """Speed-up of the best of each over the best of the baseline; None where either has none."""
    base = inserts.best(baseline)
    best = {name: inserts.best(points) for name, points in own.items()}
    return {name: None if base is None or point is None
            else inserts.rate(point).over(inserts.rate(base)) for name, point in best.items()}


def _published(factors: list[int]) -> dict[int, float]:
    """The paper's speed-ups, by the place of their collision factor."""
    return {place: 1 / published.latency()[factor]["run_time_normalised"]
            for place, factor in enumerate(factors) if factor in published.latency()}


def _draw_panel(axes: Axes, factors: list[int], own: list[dict[str, Points]],
                baselines: list[Points], styles: Styles) -> None:
    theirs = _published(factors)
    measured = [speedups(here, baseline) for here, baseline in zip(own, baselines)]
    shown = [spread.high for group in measured for spread in group.values() if spread]
    layout.scale_bars(axes, [1.0, *theirs.values(), *shown])
    step = _GROUP_WIDTH / (len(own[0]) + bool(theirs))
    for group, found in enumerate(measured):
        for slot, (name, spread) in enumerate(found.items()):
            x = group - _GROUP_WIDTH / 2 + step * (slot + 0.5)
            if spread:
                layout.draw_bar(axes, x, step, spread,
                               _TUNED_STYLE if name == TUNED else styles[name])
                continue
            failed = own[group][name]
            word = failure_word(failed if inserts.best(failed) is None else baselines[group])
            layout.mark_gap(axes, x, 0.03, word, axes.get_xaxis_transform())
    for group, value in theirs.items():
        x = group - _GROUP_WIDTH / 2 + step * (len(own[group]) + 0.5)
        layout.draw_published(axes, x, step, value, f"servers, published for the {published.gpu()}")
    axes.axhline(1, color="black", linewidth=0.9, zorder=3)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(factors) - 0.5)
    axes.grid(axis="y")


def _tick(factor: int, locks: Points, styles: Styles) -> str:
    best = inserts.best(locks)
    tuned = failure_word(locks) if best is None else \
        f"{styles[best['primitive']].label}\n{inserts.grid_label(best)}"
    return f"{layout.count_label(factor)}\n{tuned}"


SPEEDUP = Drawing("speedup", "a lock, and a server or another lock", draw)
