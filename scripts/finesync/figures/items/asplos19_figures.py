"""ASPLOS'19's figures 7 to 9 over all programs: bars by pair of a program and an input."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...papers import asplos19, published
from ...papers.asplos19 import MEAN, Number
from ...query.numbers import Spread, exactly
from ...results import revisions
from ...results.loading import Results
from .. import layout, scales, server_traffic
from ..lines import PANELS_A_ROW
from ..styles import Style

_BAR_IN = 0.125
_GAP = 0.8  # between pairs, in bars
_PUBLISHED = "published"
_LOOKS = {name: Style(name, colour, "o", hatch, "-") for name, colour, hatch in (
    ("the paper's servers", "#8c6d1f", "oo"), ("our servers", "#000000", ""),
    ("our best of any kind", "#3182bd", "////"), (asplos19.ORIGINALS, "#d8c690", ".."),
    ("L2", "#8c6d1f", "oo"), ("DRAM", "#3182bd", ""))}

# Numbers, or a word in their place, by panel, pair and bar.
Columns = Mapping[str, Mapping[str, Mapping[str, Number]]]


def speedups(all_results: list[Results]) -> Figure | None:
    """Figure 7: the paper's servers over the paper's locks, and ours over the best lock."""
    own = asplos19.recorded(all_results)
    theirs = {**published.server_speedups(), MEAN: published.mean_speedup()}
    columns = {}
    counts = []
    for over, found in asplos19.figure_7_panels(own).items():
        means = asplos19.means(found)
        columns[over] = {**found, MEAN: {
            name: exactly(value) if number else "none"
            for name, (value, number) in means.items()}}
        if over == next(iter(asplos19.BASELINES)):
            for pair, number in asplos19.over_originals(own, all_results).items():
                columns[over][pair] = {**columns[over][pair], asplos19.ORIGINALS: number}
        counts += [f"{number} ({name})" for name, (_, number) in means.items()]
    return _draw(
        [results for results in all_results if results.kind == "gpu"], columns, theirs, 1.0,
        "speed-up over\n{} (x)",
        "ASPLOS'19, figure 7: speed-up of servers, and of ours, over locks",
        "Speed-up over the baseline, both at their best launch configurations; medians, whiskers "
        f"from the quartiles of both. Pairs in the means, of {len(own)}: {', '.join(counts)}. "
        f"Hatched: servers, published for the {published.gpu()} (tables 3 and 4, and the mean) "
        "over that GPU's own baseline; not measured here. " + revisions.sentence(all_results))


def traffic(all_results: list[Results]) -> Figure | None:
    """Figure 8: the paper's servers and ours, a bar for each memory."""
    own = asplos19.recorded(all_results, "gpu_traffic")
    counted = [results for results in all_results if results.kind == "gpu_traffic"]
    return _draw(
        counted, asplos19.figure_8(own), {}, 100.0, "traffic of {}\n(% of published locks)",
        "ASPLOS'19, figure 8: memory traffic of servers",
        "Whole kernels, one launch each, per operation. The paper has no numbers of these bars. "
        + (server_traffic.how_counted(counted[0]) if counted else "")
        + " " + revisions.sentence(counted))


def longer_sections(all_results: list[Results]) -> Figure | None:
    """Figure 9: a line for each pair that has one."""
    found = asplos19.figure_9(asplos19.recorded(all_results))
    lines = {name: line for name, line in found.items() if line}
    if not lines:
        return None
    programs = list(dict.fromkeys(name.split("-")[0] for name in lines))
    sizes = sorted({size for line in lines.values() for size in line})
    figure, panels = layout.panels_by_row(len(programs), PANELS_A_ROW)
    shown = [1.0, *(one.median for line in lines.values() for one in line.values() if isinstance(one, Spread))]
    scales.fit_log_y(panels, shown)
    for panel, program in zip(panels, programs):
        inputs = [name for name in lines if name.startswith(f"{program}-")]
        for number, name in enumerate(inputs):
            line = {sizes.index(size): one for size, one in lines[name].items()}
            good = {place: one for place, one in line.items() if isinstance(one, Spread)}
            layout.draw_line(panel, list(good), list(good.values()),
                             layout.series_style(number, name.partition("-")[2]))
            for place, word in line.items():
                if isinstance(word, str):
                    scales.mark_gap(panel, place, 0.04, word)
        panel.set_title(program)
        panel.set_xticks(range(len(sizes)), [str(size) for size in sizes])
        panel.grid(axis="y")
        panel.legend(*layout.legend_of([panel]), loc="upper left", borderaxespad=0.2)
    layout.label_rows(panels, PANELS_A_ROW, "run time / run time without loop")
    missing = [name for name, line in found.items() if not line]
    caption = ("Published locks, at the best launch configuration that was run with the loop. "
               "Medians of the repetitions, whiskers from the quartiles of both run times."
               + (f" Not recorded: {', '.join(missing)}." if missing else "")
               + " " + revisions.sentence(all_results))
    own = [results for results in all_results if results.kind == "gpu"]
    title = f"ASPLOS'19, figure 9: run time with longer sections ({own[0].gpu_name})"
    return layout.finish(figure, title, caption, layout.together(own),
                         ([], []), "arithmetic added to the critical section (x 1,000 cycles)")


def _draw(all_results: list[Results], columns: Columns, theirs: Mapping[str, float], level: float,
          label: str, title: str, caption: str) -> Figure | None:
    """A panel per column, of horizontal bars that begin at `level`. `theirs`, published numbers by
    pair, are in the first."""
    if not asplos19.has_numbers(columns):
        return None
    pairs, empty = _pairs(columns, theirs)
    caption = " ".join(filter(None, [caption.strip(), empty]))
    most = max(len(bars) + bool(theirs) * (not number) for number, found in
               enumerate(columns.values()) for bars in found.values())
    tops = {pair: number * (most + _GAP) for number, pair in enumerate(pairs)}
    height = 2.3 + _BAR_IN * (most + _GAP) * len(pairs)
    figure, panels = plt.subplots(1, len(columns), sharey=True, sharex=True, figsize=(layout.WIDTH_IN, height))
    numbers = [number for found in columns.values() for own in found.values()
               for number in own.values() if isinstance(number, Spread)]
    shown = [level, *theirs.values(), *(one.low for one in numbers), *(one.high for one in numbers)]
    low, high = min(shown), max(shown)
    for panel, (name, found) in zip(panels, columns.items()):
        scales.log_axis(panel.xaxis, low, high, most=7)
        panel.set_xlim(low / (high / low) ** 0.16, high * (high / low) ** 0.16)
        for pair, top in tops.items():
            _draw_pair(panel, top, found[pair], level)
            if pair in theirs and panel is panels[0]:
                _draw_bar(panel, top + len(found[pair]), exactly(theirs[pair]), level, Style(
                    f"servers, {_PUBLISHED} for the {published.gpu()}", "#ffffff", "", "//////",
                    ""))
        panel.axvline(level, color="black", linewidth=0.9, zorder=3)
        panel.set_xlabel(label.format(name))
        panel.tick_params(axis="y", length=0)
        panel.grid(axis="x")
    panels[0].set_yticks([top + (most - 1) / 2 for top in tops.values()], pairs)
    panels[0].set_ylim(max(tops.values()) + most, -1)
    own = [results for results in all_results if asplos19.applies(results)]
    return layout.finish(figure, f"{title} ({own[0].gpu_name})", caption, layout.together(own),
                         layout.legend_of(panels))


def _pairs(columns: Columns, theirs: Mapping[str, float]) -> tuple[list[str], str]:
    """The pairs with a number, and a sentence on the others."""
    words: dict[str, set[str]] = {}
    for found in columns.values():
        for pair, bars in found.items():
            words.setdefault(pair, set()).update(
                "" if isinstance(number, Spread) else number for number in bars.values())
    shown = [pair for pair, said in words.items() if "" in said or pair in theirs]
    others: dict[str, list[str]] = {}
    for pair in words:
        if pair not in shown:
            others.setdefault(", ".join(sorted(words[pair])), []).append(pair)
    listed = "; ".join(f"{', '.join(own)} ({said})" for said, own in others.items())
    return shown, f"Not drawn: {listed}." if listed else ""


def _draw_pair(panel: Axes, top: float, found: Mapping[str, Number], level: float) -> None:
    """The bars of a pair from the top; a word that is the same for all stands once."""
    words: dict[str, float] = {}
    for place, (name, number) in enumerate(found.items()):
        if isinstance(number, Spread):
            _draw_bar(panel, top + place, number, level, _LOOKS[name])
        else:
            words.setdefault(number, top + place)
    for word, place in words.items():
        panel.plot([level], [place], marker="x", color=scales.GAP_COLOUR, markersize=3.5,
                   markeredgewidth=1.1, linestyle="none", zorder=5)
        panel.annotate(word, (level, place), xytext=(5, 0), textcoords="offset points", ha="left",
                       va="center", fontsize=7, color=scales.GAP_COLOUR, zorder=5)


def _draw_bar(panel: Axes, place: float, number: Spread, level: float, style: Style) -> None:
    """A bar from the level to the number, with the number at its end, and whiskers."""
    panel.barh(place, number.median - level, 0.9, left=level, color=style.colour,
               hatch=style.hatch, edgecolor="#555555" if style.colour == "#ffffff" else "white",
               linewidth=0.4, label=style.label)
    if number.high > number.low:
        layout.draw_spreads(panel, [place], [number], across=True, fmt="none", ecolor="#d55e00")
    right = number.median >= level
    panel.annotate(layout.short_number(number.median),
                   (number.high if right else number.low, place), fontsize=7,
                   xytext=(3 if right else -3, 0), textcoords="offset points", va="center",
                   ha="left" if right else "right")


DRAWINGS = {"asplos19-figure7": speedups, "asplos19-figure8": traffic, "asplos19-figure9": longer_sections}
NEEDS = {"asplos19-figure7": "servers and locks of two programs",
         "asplos19-figure8": "traffic of servers and locks of two programs",
         "asplos19-figure9": "longer sections under locks of two programs"}
