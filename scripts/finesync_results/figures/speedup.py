"""ASPLOS'19 figure 7, hash table: speed-up of servers over locks, as published and as tuned.

In a run without servers the bars are its locks.
"""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import hash_table, published
from ..loading import Results
from ..points import Point, Spread, failure_word, of, primitives, select, values
from . import style

NAME = "speedup"
PROGRAMS, ON_GPU = ("ht",), True
NEEDS = "a lock, and a server or another lock"
TUNED = "tuned_lock"
_GROUP_WIDTH = 0.88


def draw(results: Results) -> Figure | None:
    """Bars by collision factor, over Listing 1 at full occupancy and over the tuned lock."""
    points = hash_table.inserts(results)
    servers = hash_table.servers_in(points)
    bars = servers or [name for name in primitives(points) if name != hash_table.LISTING_1]
    if not bars or not of(points, *hash_table.LOCKS):
        return None
    factors = values(points, "collision_factor")
    groups = [select(points, collision_factor=factor) for factor in factors]
    listing_1 = [hash_table.at_full_occupancy(here, results.gpu) for here in groups]
    locks = [of(here, *hash_table.LOCKS) for here in groups]
    own = [{**({TUNED: lock} if servers else {}),
            **{name: of(here, name) for name in bars}}
           for here, lock in zip(groups, locks)]

    figure, panels = plt.subplots(2, 1, figsize=(style.WIDTH_IN, 6.4), sharex=True)
    _draw_panel(panels[0], factors, own, listing_1)
    _draw_panel(panels[1], factors, [{name: here[name] for name in bars} for here in own], locks)
    panels[0].set_ylabel("over Listing 1 at\nfull occupancy (x)")
    panels[1].set_ylabel("over the tuned lock (x)")
    panels[1].set_xticks(range(len(factors)), [_tick(factor, lock)
                                               for factor, lock in zip(factors, locks)])
    panels[1].set_xlabel("collision factor (elements in the pool), and its tuned lock with its "
                         "grid")

    full = {hash_table.grid_label(point) for here in listing_1 for point in here}
    caption = (f"Bars of {results.gpu_name}: run time of the baseline over that of each primitive "
               "at its own best grid; medians, whiskers from the quartiles of both. Full "
               f"occupancy: {' or '.join(sorted(full)) or 'not run'}. Tuned lock: the best of all "
               "locks over all grids (thread blocks per SM x threads).")
    if _published(factors):
        caption += (f" Hatched white: servers, published for the {published.gpu()} (ASPLOS'19, "
                    "table 3), over that GPU's own spin lock, not measured here.")
    return style.finish(figure, f"Hash-table insertion, speed-up over locks: {results.gpu_name}",
                        caption, results, style.legend_of(panels), 3 if servers else 4)


def speedups(own: Mapping[str, list[Point]], baseline: list[Point]) -> dict[str, Spread | None]:
    """Speed-up of the best of each over the best of the baseline; None where either has none."""
    base = hash_table.best(baseline)
    best = {name: hash_table.best(points) for name, points in own.items()}
    return {name: hash_table.rate(point).over(hash_table.rate(base)) if base and point else None
            for name, point in best.items()}


def _published(factors: list[int]) -> dict[int, float]:
    """The paper's speed-ups, by the place of their collision factor."""
    return {place: 1 / published.latency()[factor]["run_time_normalised"]
            for place, factor in enumerate(factors) if factor in published.latency()}


def _draw_panel(axes: Axes, factors: list[int], own: list[dict[str, list[Point]]],
                baselines: list[list[Point]]) -> None:
    theirs = _published(factors)
    measured = [speedups(here, baseline) for here, baseline in zip(own, baselines)]
    shown = [spread.high for group in measured for spread in group.values() if spread]
    style.scale_bars(axes, [1.0, *theirs.values(), *shown])
    step = _GROUP_WIDTH / (len(own[0]) + bool(theirs))
    for group, found in enumerate(measured):
        for slot, (name, spread) in enumerate(found.items()):
            x = group - _GROUP_WIDTH / 2 + step * (slot + 0.5)
            if spread:
                style.draw_bar(axes, x, step, spread, style.look(name))
                continue
            failed = own[group][name]
            word = failure_word(baselines[group] if hash_table.best(failed) else failed)
            style.mark_gap(axes, x, 0.03, word, axes.get_xaxis_transform())
    for group, value in theirs.items():
        x = group - _GROUP_WIDTH / 2 + step * (len(own[group]) + 0.5)
        style.draw_published(axes, x, step, value, f"servers, published for the {published.gpu()}")
    axes.axhline(1, color="black", linewidth=0.9, zorder=3)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(factors) - 0.5)
    axes.grid(axis="y")


def _tick(factor: int, locks: list[Point]) -> str:
    best = hash_table.best(locks)
    tuned = (f"{style.look(best.primitive).label}\n{hash_table.grid_label(best)}" if best
             else failure_word(locks))
    return f"{style.count_label(factor)}\n{tuned}"
