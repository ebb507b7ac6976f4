"""The layout of all figures: sizes, fonts, lines and bars, legends and captions."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.markers import MarkerStyle
from matplotlib.text import Text

from ..query.numbers import Spread, exactly
from ..results import revisions
from ..results.loading import Results
from . import scales
from .styles import Style

matplotlib.use("Agg")
matplotlib.rcParams.update({
    "font.size": 8.5, "axes.titlesize": 9, "axes.labelsize": 8.5, "xtick.labelsize": 8,
    "ytick.labelsize": 8, "legend.fontsize": 8, "figure.titlesize": 10.5,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "axes.linewidth": 0.7, "xtick.major.width": 0.7, "ytick.major.width": 0.7,
    "grid.color": "#d9d9d9", "grid.linewidth": 0.6, "hatch.linewidth": 0.6,
    "lines.linewidth": 1.3, "lines.markersize": 4.5, "legend.frameon": False,
    "svg.fonttype": "none", "svg.hashsalt": "finesync",
})

WIDTH_IN = 7.2
SCREEN_IN = 14.0  # of a page for a screen of 1,440 x 900
PAGE_PT = WIDTH_IN * 72
PANELS_A_ROW = 4
CAPTION_SIZE = 8.0
_CAPTION_WIDTH = 112  # in characters
_TITLE_WIDTH = 78
TITLE_LINE_IN = 0.17
FAILURES = " Crosses: no result; the word beside them says why."  # for captions
PALE = "#c6c6c6"  # of lines that are no primitive
LEGEND_SIZE = 8.0
_GROUP_WIDTH = 0.88  # of bars beside each other
_HANDLE_PT = 31  # of a legend's entry, with the gap to the next
# Markers that look smaller than others of the same size.
_LARGER = {"*": 7.0, "d": 5.5, "1": 7.0, "2": 7.0, "3": 7.0, "4": 7.0}

# Dark to light, so that ordered series (collision factors) look ordered, also in a grey print.
_SERIES_COLOURS = ("#0d0887", "#9c179e", "#ed7953", "#dfa800", "#7f7f7f", "#2e8b57", "#000000")
_SERIES_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_SERIES_DASHES = ("-", "--", ":", "-.")


def series_style(number: int, label: str) -> Style:
    """The style of one of several series that are no primitives."""
    return Style(label, _SERIES_COLOURS[number % len(_SERIES_COLOURS)],
                 _SERIES_MARKERS[number % len(_SERIES_MARKERS)], "",
                 _SERIES_DASHES[number % len(_SERIES_DASHES)])


def count_label(value: Any) -> str:
    """Collision factors as the papers write them: 256, 1K, 128K, 16M."""
    for power, letter in ((20, "M"), (10, "K")):
        if isinstance(value, int) and value and value % 2 ** power == 0:
            return f"{value >> power}{letter}"
    return str(value)


def short_number(value: float) -> str:
    """Three digits at most before they become zeros: 0, 0.004, 0.13, 4.0, 17, 2,690."""
    if value < 0.095:
        return f"{value:.1g}"
    if value < 0.995:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 9.95 else f"{value:,.0f}" if value < 1e15 else f"{value:.1g}"


def needs_log(values: list[float]) -> bool:
    """Whether a linear axis would hide the small values."""
    return bool(values) and max(values) > 12 * min(values)


def draw_bar(axes: Axes, x: float, step: float, spread: Spread, style: Style,
             edge: str = "white", clear_of: float = 0.0) -> None:
    """A bar from the bottom of the axes with whiskers; its value is above it, and above marks up to `clear_of`."""
    floor = axes.get_ylim()[0]
    axes.bar(x, max(spread.median - floor, 0), step * 0.9, bottom=floor, color=style.colour,
             hatch=style.hatch, edgecolor=edge, linewidth=0.6, label=style.label)
    if spread.high > spread.low:
        draw_spreads(axes, [x], [spread], fmt="none", ecolor="black")
    axes.annotate(short_number(spread.median), (x, max(spread.high, clear_of, floor)),
                  xytext=(0, 7 if clear_of > spread.high else 4), textcoords="offset points",
                  rotation=90, ha="center", va="bottom", fontsize=8)


def draw_published(axes: Axes, x: float, step: float, value: float, label: str) -> None:
    """A bar of a published number: white and hatched, unlike measured ones."""
    draw_bar(axes, x, step, exactly(value), Style(label, "#ffffff", "", "//////", ""), edge="#555555")


def draw_number(axes: Axes, x: float, step: float, number: Spread | str, style: Style, gap: float = 0.03,
                clear_of: float = 0.0) -> None:
    """A bar, or a word at a height of the axes in its place."""
    if isinstance(number, str):
        scales.mark_gap(axes, x, gap, number)
    else:
        draw_bar(axes, x, step, number, style, clear_of=clear_of)


def draw_groups(axes: Axes, groups: Sequence[Mapping[str, Spread | str]], styles: Mapping[str, Style],
                theirs: Mapping[int, float] | None = None, label: str = "") -> None:
    """Groups of bars, or words, next to each other, all with the same names. `theirs` are published numbers by the
    index of a group, drawn behind its bars; `label` is their name in the legend."""
    theirs = theirs or {}
    names = list(groups[0])
    number = len(names) + bool(theirs)
    for place, found in enumerate(groups):
        for slot, name in enumerate(names):
            draw_number(axes, *bar_in_group(place, slot, number), found[name], styles[name])
    for place, value in theirs.items():
        draw_published(axes, *bar_in_group(place, len(names), number), value, label)
    fit_groups(axes, len(groups))


def bar_in_group(group: int, slot: int, number: int, width: float = _GROUP_WIDTH) -> tuple[float, float]:
    """The x of a bar in a group of this number of bars, and its width."""
    step = width / number
    return group - width / 2 + step * (slot + 0.5), step


def fit_groups(axes: Axes, number: int) -> None:
    """Makes room for groups of bars."""
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, number - 0.5)
    axes.grid(axis="y")


def name_slots(axes: Axes, names: Iterable[Any]) -> None:
    """Names the slots of an axis of lines."""
    labels = [str(name) for name in names]
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlim(-0.35, len(labels) - 0.65)
    axes.grid(axis="y")


def label_rows(panels: Sequence[Axes], across: int, label: str) -> None:
    """Labels the first panel of each row."""
    for first in panels[::across]:
        first.set_ylabel(label)


def scale_bars(axes: Axes, shown: list[float]) -> None:
    """Limits of y with room for the values above the bars; logarithmic where needed."""
    if needs_log(shown):
        bottom = min(shown) / 1.8
        scales.log_axis(axes.yaxis, bottom, max(shown), most=7)
        axes.set_ylim(bottom, max(shown) * (max(shown) / bottom) ** 0.3)
    else:
        axes.set_ylim(0, max(shown) * 1.35)


def legend_of(panels: Iterable[Axes]) -> tuple[list[Any], list[str]]:
    """One legend for several panels, each label once; lines with whiskers and bars come first."""
    handles_of: dict[str, Any] = {}
    plain: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels()):
            if isinstance(handle, tuple):
                handles_of.setdefault(label, handle[0])
            else:
                plain.setdefault(label, handle)
    both = {**handles_of, **plain}
    return list(both.values()), list(both)


def provenance(results: Results) -> str:
    """The device, its software, and when and from what revision it was measured."""
    gpu, ours = results.gpu, results.context["finesync"]
    parts = []
    if results.on_gpu:
        parts.append(results.gpu_name)
        if "sms" in gpu:
            parts.append(f"{gpu['sms']} SMs")
        if gpu.get("clock_khz"):
            parts.append(f"{gpu['clock_khz'] / 1e6:.2f} GHz")
        if versions := results.told("driver_version"):
            parts.append("driver " + " and ".join(versions))
        elif gpu.get("cuda_driver_api"):
            parts.append(f"CUDA driver API {gpu['cuda_driver_api']}")
        if gpu.get("runtime"):
            parts.append(f"CUDA {gpu['runtime']}")
        if throttled := int((results.rows["throttled"] != "").sum()):
            parts.append(f"{throttled} of {len(results.rows)} samples throttled")
    if ours.get("date"):
        parts.append(str(ours["date"])[:10])
    known = [revision for revision in revisions.of(results) if not revision.startswith("unknown")]
    if known:
        parts.append("revision " + " and ".join(known))
    return ", ".join(parts) + "."


def together(all_results: list[Results]) -> Results:
    """The first of several results with the runs of all, for the caption of their figure."""
    runs = [run for results in all_results for run in
            results.context.get("sweep", {}).get("runs", [results.context["finesync"]])]
    first = all_results[0]
    return dataclasses.replace(first, context={**first.context, "sweep": {"runs": runs}})


def panels_by_row(number: int, most: int = PANELS_A_ROW,
                  one_scale: bool = True, same_x: bool = True) -> tuple[Figure, list[Axes]]:
    """`number` panels, with tick labels below each."""
    columns = min(number, most)
    rows = -(-number // columns)
    figure, panels = plt.subplots(rows, columns, sharex=same_x, sharey=one_scale, squeeze=False,
                                  figsize=(WIDTH_IN, 3.8 + 2.4 * (rows - 1)))
    flat: list[Axes] = list(panels.flat)
    for index, panel in enumerate(flat):
        panel.set_visible(index < number)
        panel.tick_params(labelbottom=True)
    return figure, flat[:number]


def draw_spreads(axes: Axes, places: list[float], spreads: list[Spread], *, across: bool = False, **line: Any) -> None:
    """Medians as a line with markers, quartiles as whiskers; `across` swaps the two axes."""
    middle = [spread.median for spread in spreads]
    whiskers = [[spread.median - spread.low for spread in spreads], [spread.high - spread.median for spread in spreads]]
    where = {"x": middle, "y": places, "xerr": whiskers} if across else {"x": places, "y": middle, "yerr": whiskers}
    axes.errorbar(**where, capsize=1.8, elinewidth=0.8, capthick=0.8, **line)


def draw_line(axes: Axes, places: list[float], spreads: list[Spread], style: Style, label: str = "") -> None:
    """The same in a style. The white edge of a marker parts it from others below it; it would hide one of strokes."""
    glyph, strokes = str(style.marker).startswith("$"), isinstance(style.marker, tuple) and style.marker[1] == 2
    edge: dict[str, Any] = {"markeredgewidth": 0.4} if glyph else {"markeredgewidth": 1.2}
    if MarkerStyle(style.marker).is_filled() and not glyph and not strokes:
        edge = {"markeredgecolor": "white", "markeredgewidth": 0.4}
    draw_spreads(axes, places, spreads, color=style.colour, marker=style.marker,
                 linestyle=style.dashes, label=label or style.label, **edge,
                 markersize=7.0 if glyph else _LARGER.get(style.marker, 4.5))


def wrapped(caption: str, results: Results, width_in: float = WIDTH_IN) -> str:
    """The lines of a caption, with the provenance."""
    return "\n".join(textwrap.wrap(f"{caption} {provenance(results)}", int(_CAPTION_WIDTH * width_in / WIDTH_IN)))


def title_lines(title: str) -> list[str]:
    """The lines of a title; names of GPUs may be long."""
    return textwrap.wrap(title, _TITLE_WIDTH)


def height_of(text: str) -> float:
    """The inches that the lines of a caption take."""
    return 0.14 + CAPTION_SIZE * 1.35 / 72 * (text.count("\n") + 1)


def put_words(figure: Figure, title: str, text: str) -> float:
    """Puts the title at the top and a wrapped caption at the bottom; the inches of the latter."""
    height = figure.get_size_inches()[1]
    figure.text(0.012, 1 - 0.06 / height, "\n".join(title_lines(title)), ha="left", va="top",
                weight="bold", fontsize=10.5)
    figure.text(0.012, 0.05 / height, text, fontsize=CAPTION_SIZE, color="#333333", va="bottom")
    return height_of(text)


def finish(figure: Figure, title: str, caption: str, results: Results,
           legend: tuple[list[Any], list[str]], x_label: str = "") -> Figure:
    """Adds title and legend above, caption with provenance below, and makes room for them.

    `x_label` is one label for a row of panels."""
    text = wrapped(caption, results, figure.get_figwidth())
    bottom = put_words(figure, title, text)
    height = figure.get_size_inches()[1]
    more = TITLE_LINE_IN * (len(title_lines(title)) - 1)
    handles, labels = legend
    columns, legend_lines = legend_shape(figure, labels, WIDTH_IN - 0.05) if labels else (1, 0)
    figure.legend(handles, labels, ncol=columns, loc="upper left", columnspacing=1.3,
                  handlelength=1.9, handletextpad=0.5, borderpad=0, borderaxespad=0,
                  bbox_to_anchor=(0.014, 1 - (0.30 + more) / height))
    if x_label:
        figure.text(0.53, bottom / height, x_label, ha="center", va="bottom")
        bottom += 0.14
    top = 0.36 + more + 0.17 * legend_lines
    room = {"rect": (0, bottom / height, 1, 1 - top / height), "pad": 0.5}
    figure.tight_layout(**room)
    if _wrap_long(figure):
        figure.tight_layout(**room)
    return figure


def width_of(figure: Figure, words: str, size: float) -> float:
    """The points that a line of words takes."""
    renderer = figure.canvas.get_renderer()
    return renderer.get_text_width_height_descent(words, FontProperties(size=size), False)[0] * 72 / figure.dpi


def legend_shape(figure: Figure, labels: list[str], room: float) -> tuple[int, int]:
    """How many columns of a legend fit into a width in inches, and how many rows it then has. The
    first columns may have one entry more than the others."""
    widths = [width_of(figure, label, LEGEND_SIZE) for label in labels]
    for columns in range(len(labels), 1, -1):
        rows, longer = divmod(len(labels), columns)
        ends = [(rows + 1) * column if column <= longer else rows * column + longer for column in range(columns + 1)]
        if sum(_HANDLE_PT + max(widths[first:end]) for first, end in zip(ends, ends[1:])) <= room * 72:
            return columns, ends[1]
    return 1, len(labels)


def _wrap_long(figure: Figure) -> bool:
    """Breaks titles that are wider than their panel, and labels longer than their axis. Returns
    whether there were any."""
    size = figure.get_size_inches() * 72
    is_wrapped = False
    for axes in figure.axes:
        box = axes.get_position()
        for text, room in ((axes.title, box.width * size[0] + 8), (axes.yaxis.label, box.height * size[1] + 8)):
            is_wrapped |= axes.get_visible() and _wrap(figure, text, room)
    return is_wrapped


def _wrap(figure: Figure, text: Text, room: float) -> bool:
    lines = text.get_text().split("\n")
    longest = max(lines, key=len)
    width = width_of(figure, longest, text.get_fontsize())
    if width <= room:
        return False
    letters = max(int(len(longest) * room / width), 8)
    text.set_text("\n".join(part for line in lines for part in textwrap.wrap(line, letters, break_long_words=False)))
    return True
