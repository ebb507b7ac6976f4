"""ASPLOS'19 figure 7: speed-up over locks, a panel for each baseline, beside what was published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import collisions, published
from ..loading import Results
from ..points import Points, Spread, failure_word
from . import layout
from .styles import Style, Styles, styles_of

_GROUP_WIDTH = 0.88


@dataclass(frozen=True)
class Panels:
    """What is compared with what. Baselines are points by name; they are bars too, where they are
    over another."""

    # Each panel's baseline and how its axis says it, and the baselines that are bars of it.
    labels: Mapping[str, str]
    others: Mapping[str, tuple[str, ...]]
    styles: Mapping[str, Style]
    # The baseline whose best primitive and grid stand below the bars, and the one that is said to
    # fill the GPU.
    named: str
    full: str | None = None


def draw(results: Results, panels: Panels, baselines: Mapping[Any, Mapping[str, Points]],
         bars: Mapping[Any, Mapping[str, Points]], title: str, axis: str, columns: int,
         theirs: Mapping[int, float] | None = None) -> Figure:
    """Groups of bars, of collision factors or of inputs, which `axis` says: of each, the best of
    its points over the best of the baseline's. `theirs` are the published ones."""
    theirs = theirs or {}
    factors = list(baselines)
    own_styles = styles_of(results)
    styles = {**panels.styles, **{name: own_styles[name] for own in bars.values() for name in own}}
    figure, rows = plt.subplots(len(panels.labels), 1, sharex=True,
                                figsize=(layout.WIDTH_IN, 1.5 + 2.5 * len(panels.labels)))
    for axes, (baseline, label) in zip(rows, panels.labels.items()):
        own = [{**{name: baselines[factor][name] for name in panels.others[baseline]},
                **bars[factor]} for factor in factors]
        _draw_panel(axes, own, [baselines[factor][baseline] for factor in factors], styles,
                    {place: theirs[factor] for place, factor in enumerate(factors)
                     if factor in theirs})
        axes.set_ylabel(label)
    rows[-1].set_xticks(range(len(factors)), [
        _tick(factor, baselines[factor][panels.named], own_styles, results.gpu)
        for factor in factors])
    rows[-1].set_xlabel(f"{axis}, and {panels.named}, with its grid")

    caption = (f"Bars of {results.gpu_name}: run time of the baseline over that of each primitive "
               "at its own best grid (thread blocks per SM x threads); medians, whiskers from the "
               "quartiles of both.")
    if panels.full is not None:
        full = sorted({label for own in baselines.values()
                       for label in collisions.grid_labels(own[panels.full], results.gpu)})
        caption += f" Full occupancy: {' or '.join(full) or 'not run'}."
    if set(factors) & set(theirs):
        caption += (f" Hatched white: servers, published for the {published.gpu()} (ASPLOS'19, "
                    "tables 3 and 4), over that GPU's own spin lock, not measured here.")
    return layout.finish(figure, f"{title}: {results.gpu_name}", caption, results,
                         layout.legend_of(rows), columns)


def speedups(own: Mapping[str, Points], baseline: Points) -> dict[str, Spread | str]:
    """Speed-up of the best of each over the best of the baseline, or a word for why there is
    none."""
    return {name: collisions.ratio(points, baseline) for name, points in own.items()}


def _draw_panel(axes: Axes, own: list[dict[str, Points]], baselines: list[Points],
                styles: Mapping[str, Style], theirs: Mapping[int, float]) -> None:
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
    axes.set_xlim(-0.5, len(own) - 0.5)
    axes.grid(axis="y")


def _tick(group: int | str, points: Points, styles: Styles, gpu: dict[str, Any]) -> str:
    best = collisions.best(points)
    said = failure_word(points) if best is None else \
        f"{styles[best['primitive']].label}\n{collisions.grid_label(best, gpu)}"
    return f"{group if isinstance(group, str) else layout.count_label(group)}\n{said}"
