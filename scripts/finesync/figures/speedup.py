"""ASPLOS'19 figure 7 for one program: speed-up over locks of all other primitives, a panel for each
baseline, next to published numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..papers import paper_benchmarks, published, speedups
from ..papers.paper_benchmarks import PaperBenchmark
from ..query.numbers import Spread, exactly
from ..query.points import PointTable
from ..results.loading import Results
from ..results.workload import Drawing
from . import layout, scales
from .lines import not_drawn, worth_a_line
from .styles import Style, Styles, styles_of

_NARROWEST = 8.5  # points of a bar with a number above it
_BASELINE_LOOKS = (("#ffffff", "o", ""), ("#b5b5b5", "o", ""), ("#737373", "d", "////"))


def draw(results: Results) -> Figure | None:
    """Groups of bars by input: the best point of each primitive over the best of the baseline. Each
    baseline has a panel; stronger baselines are bars in the panels of weaker ones."""
    own = speedups.recorded(results)
    bases = speedups.baselines(own)
    names = speedups.others(own)
    if not names or "the best lock" not in bases[0]:
        return None
    known = styles_of(results)
    looks = zip(own[0].baselines(), _BASELINE_LOOKS)
    styles = {**{name: Style(name, colour, marker, hatch, "-")
                 for name, (colour, marker, hatch) in looks},
              **{name: known[name] for name in names}}
    names = _as_many_as_fit(names, own)
    shown = _telling(bases)
    figure, rows = plt.subplots(len(shown), 1, sharex=True, squeeze=False,
                                figsize=(layout.WIDTH_IN, 1.5 + 2.5 * len(shown)))
    panels: list[Axes] = list(rows.flat)
    for place, (axes, baseline) in enumerate(zip(panels, shown)):
        groups = [{**{name: here[name] for name in shown[place + 1:]},
                   **{name: pair.plain.of_primitives(name) for name in names}}
                  for pair, here in zip(own, bases)]
        _draw_panel(axes, groups, [here[baseline] for here in bases], styles, _theirs(own))
        axes.set_ylabel(f"over {baseline.replace(' at ', chr(10) + 'at ')} (x)")
    panels[-1].set_xticks(range(len(own)), [
        _tick(pair, here["the best lock"], known, results.gpu, layout.PAGE_PT * 0.9 / len(own))
        for pair, here in zip(own, bases)])
    panels[-1].set_xlabel("input, and the best lock with its grid")

    caption = (f"Bars of {results.gpu_name}: speed-up over the baseline, both at their best launch "
               "configurations (thread blocks per SM x threads); medians, whiskers from the "
               "quartiles of both."
               + not_drawn((name for name in speedups.others(own) if name not in names), known))
    if _theirs(own):
        caption += (f" Hatched: servers, published for the {published.gpu()} (ASPLOS'19, tables 3 "
                    "and 4) over that GPU's own lock; not measured here.")
    handles, labels = layout.legend_of(panels)
    return layout.finish(figure, f"Speed-up over locks: {results.program} ({results.gpu_name})",
                         caption, results, (handles, labels))


def _theirs(own: list[PaperBenchmark]) -> dict[int, float]:
    numbers = published.server_speedups()
    return {place: numbers[pair.name] for place, pair in enumerate(own) if pair.name in numbers}


def _draw_panel(axes: Axes, own: list[dict[str, PointTable]], baselines: list[PointTable],
                styles: Mapping[str, Style], theirs: Mapping[int, float]) -> None:
    measured = [{name: points.speedup_over(baseline) for name, points in here.items()}
                for here, baseline in zip(own, baselines)]
    shown = [ratio.high for group in measured for ratio in group.values() if isinstance(ratio, Spread)]
    layout.scale_bars(axes, [1.0, *theirs.values(), *shown])
    layout.draw_groups(axes, measured, styles, theirs, f"servers, published for the {published.gpu()}")
    axes.axhline(1, color="black", linewidth=0.9, zorder=3)


def _telling(bases: list[dict[str, PointTable]]) -> list[str]:
    """The baselines of panels: published locks at their best grid, unless the best lock is always
    the same point. Full occupancy is in the table: it makes locks look worse than they need be."""
    *printed, best = list(bases[0])[-2:]
    return [*(name for name in printed if not all(_same(here[name], here[best]) for here in bases)), best]


def _same(one: PointTable, other: PointTable) -> bool:
    here, there = one.fastest_point(), other.fastest_point()
    return here is not None and there is not None and here.time == there.time


def _as_many_as_fit(names: list[str], own: list[PaperBenchmark]) -> list[str]:
    """The names that have bars wide enough for the numbers above them: the fastest of the
    published servers, and the fastest of all others."""
    most = int(layout.PAGE_PT * 0.8 / len(own) / _NARROWEST) - 2  # a baseline, and published
    ranked = worth_a_line([_times(pair, names) for pair in own])
    servers = [name for name in ranked if name in own[0].names(paper_benchmarks.PRINTED_SERVER)]
    others = [name for name in ranked if name not in servers]
    shown = [*servers[:1], *others, *servers[1:]][:max(most, 2)]
    return [name for name in names if name in shown]


def _times(pair: PaperBenchmark, names: list[str]) -> dict[str, dict[int, Spread]]:
    """The time per operation of each primitive of a pair at its best."""
    best = {name: pair.plain.of_primitives(name).fastest_point() for name in names}
    return {name: {} if point is None else {0: exactly(1 / point.rate.median)} for name, point in best.items()}


def _tick(pair: PaperBenchmark, points: PointTable, styles: Styles, gpu: dict[str, Any], room: float) -> str:
    said = points.best(lambda best: f"{scales.wrapped_to(styles[best['primitive']].label, room)}\n"
                                    f"{best.grid_label(gpu)}")
    return f"{pair.name}\n{said}"


SPEEDUP = Drawing("speedup", "a lock and another primitive", draw)
