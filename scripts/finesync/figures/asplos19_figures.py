"""ASPLOS'19's figures 7 to 9 over all programs: bars by pair of a program and an input."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..papers import asplos19, published
from ..papers.asplos19 import MEAN, Number
from ..papers.paper_benchmarks import COMPETITORS
from ..results.loading import Results
from ..results.point_table import Spread
from ..results.workload import SharedDrawing
from . import layout, server_traffic
from .styles import Style

_BAR_IN = 0.115
_GAP = 0.8  # between pairs, in bars
_LOOKS = {competitor: Style(competitor, colour, "o", hatch, "-") for competitor,
          (colour, hatch) in zip(
    COMPETITORS, (("#8c6d1f", "oo"), ("#000000", ""), ("#3182bd", "////")))}
_PUBLISHED = "published"

Columns = Mapping[str, Mapping[str, Mapping[str, Number]]]


def speedups(all_results: list[Results]) -> Figure | None:
    """Figure 7: a column for each baseline, and the means of both."""
    own = asplos19.recorded(all_results)
    columns = asplos19.figure_7(own)
    theirs = {**published.server_speedups(), MEAN: published.mean_speedup()}
    with_means = {}
    counts = []
    for over, found in columns.items():
        means = asplos19.means(found)
        with_means[over] = {**found, MEAN: {
            competitor: Spread(value, value, value) if number else "none"
            for competitor, (value, number) in means.items()}}
        counts.append(", ".join(f"{number} ({competitor})" for competitor,
                                (_, number) in means.items()))
    return _draw(
        [results for results in all_results if results.kind == "gpu"], with_means, theirs, 1.0,
        "speed-up over\n{} (x)",
        "Speed-up of servers, and of ours, over locks",
        "Speed-up over the baseline, both at their best launch configurations; medians, whiskers "
        f"from the quartiles of both. Pairs in the means, of {len(own)}: "
        f"{'; '.join(dict.fromkeys(counts))}. Hatched: servers, published for the "
        f"{published.gpu()} (ASPLOS'19, tables 3 and 4, and its mean) over that GPU's own "
        "baseline; not measured here.")


def traffic(all_results: list[Results]) -> Figure | None:
    """Figure 8: a column for each memory."""
    own = asplos19.recorded(all_results, "gpu_traffic")
    counted = [results for results in all_results if results.kind == "gpu_traffic"]
    return _draw(
        counted, asplos19.figure_8(own), {}, 100.0, "{} traffic\n(% of published locks)",
        "Memory traffic of servers",
        "Whole kernels, one launch each, per operation. ASPLOS'19 has no numbers of these bars. "
        + (server_traffic.how_counted(counted[0]) if counted else ""))


def longer_sections(all_results: list[Results]) -> Figure | None:
    """Figure 9: a line for each pair that has one."""
    found = asplos19.figure_9(asplos19.recorded(all_results))
    lines = {name: line for name, line in found.items() if line}
    if not lines:
        return None
    programs = list(dict.fromkeys(name.split("-")[0] for name in lines))
    sizes = sorted({size for line in lines.values() for size in line})
    figure, panels = layout.panels_by_row(len(programs))
    shown = [1.0, *(one.median for line in lines.values() for one in line.values()
                    if isinstance(one, Spread))]
    layout.log_axis(panels[0].yaxis, min(shown), max(shown))
    for panel, program in zip(panels, programs):
        inputs = [name for name in lines if name.startswith(f"{program}-")]
        for name, colour, marker in zip(inputs, layout.SERIES_COLOURS, layout.SERIES_MARKERS):
            line = {sizes.index(size): one for size, one in lines[name].items()}
            good = {place: one for place, one in line.items() if isinstance(one, Spread)}
            layout.draw_spreads(panel, list(good), list(good.values()), color=colour,
                                marker=marker, label=name)
            for place, word in line.items():
                if isinstance(word, str):
                    layout.mark_gap(panel, place, 0.04, word, panel.get_xaxis_transform())
        panel.set_title(program)
        panel.set_xticks(range(len(sizes)), [str(size) for size in sizes])
        panel.grid(axis="y")
    panels[0].set_ylabel("run time / run time without loop")
    missing = [name for name, line in found.items() if not line]
    caption = ("Published locks, at the best launch configuration that was run with the loop. "
               "Medians of the repetitions, whiskers from the quartiles of both run times."
               + (f" Not recorded: {', '.join(missing)}." if missing else ""))
    own = [results for results in all_results if results.kind == "gpu"]
    return layout.finish(figure, f"Run time with longer critical sections ({own[0].gpu_name})", caption,
                         layout.together(own), layout.legend_of(panels), 6,
                         "arithmetic added to the critical section (x 1,000 cycles)")


def _draw(all_results: list[Results], columns: Columns, theirs: Mapping[str, float], level: float,
          label: str, title: str, caption: str) -> Figure | None:
    """A panel per column, of horizontal bars that begin at `level`. `theirs`, published numbers by
    pair, are in the first."""
    if not asplos19.has_numbers(columns):
        return None
    rows = _rows(columns, theirs)
    height = 2.3 + _BAR_IN * (max(place for own in rows.values() for place in own.values()) + 1)
    figure, panels = plt.subplots(1, len(columns), sharey=True, sharex=True,
                                  figsize=(layout.WIDTH_IN, height))
    numbers = [number for found in columns.values() for own in found.values()
               for number in own.values() if isinstance(number, Spread)]
    shown = [level, *theirs.values(), *(one.low for one in numbers), *(one.high for one in numbers)]
    low, high = min(shown), max(shown)
    for panel, (name, found) in zip(panels, columns.items()):
        layout.log_axis(panel.xaxis, low, high, most=7)
        panel.set_xlim(low / (high / low) ** 0.12, high * (high / low) ** 0.14)
        for pair, places in rows.items():
            _draw_pair(panel, places, found[pair], level)
            if pair in theirs and panel is panels[0]:
                _draw_bar(panel, places[_PUBLISHED], Spread(*[theirs[pair]] * 3), level, Style(
                    f"servers, published for the {published.gpu()}", "#ffffff", "", "//////", ""))
        panel.axvline(level, color="black", linewidth=0.9, zorder=3)
        panel.set_xlabel(label.format(name))
        panel.tick_params(axis="y", length=0)
        panel.grid(axis="x")
    middles = {pair: sum(places.values()) / len(places) for pair, places in rows.items()}
    panels[0].set_yticks(list(middles.values()), list(middles))
    panels[0].set_ylim(max(max(places.values()) for places in rows.values()) + 1, -1)
    own = [results for results in all_results if asplos19.applies(results)]
    return layout.finish(figure, f"{title} ({own[0].gpu_name})", caption, layout.together(own),
                         layout.legend_of(panels), 2)


def _rows(columns: Columns, theirs: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The places of each pair's bars: a single place if all have the same word."""
    rows: dict[str, dict[str, float]] = {}
    place = 0.0
    for pair, primitives in next(iter(columns.values())).items():
        said = {number for found in columns.values() for number in found[pair].values()}
        together = len(said) == 1 and isinstance(next(iter(said)), str)
        rows[pair] = {}
        for slot, competitor in enumerate(primitives):
            rows[pair][competitor] = place + (0 if together else slot)
        place += 1 if together else len(primitives)
        if pair in theirs:
            rows[pair][_PUBLISHED] = place
            place += 1
        place += _GAP
    return rows


def _draw_pair(panel: Axes, places: Mapping[str, float], found: Mapping[str, Number],
               level: float) -> None:
    words: dict[float, str] = {}
    for competitor, number in found.items():
        if isinstance(number, Spread):
            _draw_bar(panel, places[competitor], number, level, _LOOKS[competitor])
        else:
            words[places[competitor]] = number
    for place, word in words.items():
        panel.plot([level], [place], marker="x", color=layout.GAP_COLOUR, markersize=3.5,
                   markeredgewidth=1.1, linestyle="none", zorder=5)
        panel.annotate(word, (level, place), xytext=(5, 0), textcoords="offset points", ha="left",
                       va="center", fontsize=6.5, color=layout.GAP_COLOUR, zorder=5)


def _draw_bar(panel: Axes, place: float, number: Spread, level: float, style: Style) -> None:
    """A bar from the level to the number, with the number at its end, and whiskers."""
    panel.barh(place, number.median - level, 0.9, left=level, color=style.colour,
               hatch=style.hatch, edgecolor="#555555" if style.colour == "#ffffff" else "white",
               linewidth=0.4, label=style.label)
    if number.high > number.low:
        layout.draw_spreads(panel, [place], [number], across=True, fmt="none", ecolor="#d55e00")
    right = number.median >= level
    panel.annotate(layout.short_number(number.median),
                   (number.high if right else number.low, place), fontsize=6.5,
                   xytext=(3 if right else -3, 0), textcoords="offset points", va="center",
                   ha="left" if right else "right")


_PROGRAMS = "results of two of its programs"
DRAWINGS = tuple(
    SharedDrawing(f"asplos19-figure{number}", needs, asplos19.applies, partial(draw))
    for number, needs, draw in (
        (7, _PROGRAMS, speedups), (8, f"traffic and {_PROGRAMS}", traffic),
        (9, f"longer sections and {_PROGRAMS}", longer_sections)))
