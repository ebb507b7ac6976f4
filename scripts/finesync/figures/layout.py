"""The layout of all figures: sizes, fonts, axes, legends, captions, and marks of failed points."""

from __future__ import annotations

import dataclasses
import math
import textwrap
from collections.abc import Iterable
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib import ticker, transforms
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..results import revisions
from ..results.loading import Results
from ..results.point_table import Spread
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
PANELS_A_ROW = 4
CAPTION_SIZE = 8.0
_PANEL_HEIGHT_IN = 2.2
GAP_COLOUR = "#8b0000"
_LEAST_TICKS = 3
_CAPTION_WIDTH = 112  # in characters
_TITLE_WIDTH = 78
TITLE_LINE_IN = 0.17
FAILURES = " x: no result; the label says why."  # for captions

# Dark to light, so that ordered series (collision factors) look ordered, also in a grey print.
SERIES_COLOURS = ("#0d0887", "#9c179e", "#ed7953", "#dfa800", "#7f7f7f", "#bfbfbf", "#000000")
SERIES_MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def count_label(value: Any) -> str:
    """Collision factors as the papers write them: 256, 1K, 128K."""
    if isinstance(value, int) and value >= 1024 and value % 1024 == 0:
        return f"{value // 1024}K"
    return str(value)


def short_number(value: float) -> str:
    """Three digits at most before they become zeros: 0, 0.13, 4.0, 17, 2,690."""
    if value == 0:
        return "0"
    if value < 0.995:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"


def log_axis(axis: Any, low: float, high: float, most: int = 9) -> None:
    """Makes x or y logarithmic, labelled with at most about `most` plain numbers."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    steps = [(1.0, 2.0, 5.0), (1.0, 3.0), (1.0,)]
    decades = math.log10(high / low) + 0.3
    between = next((step for step in steps if len(step) * decades <= most), steps[-1])
    locator = ticker.LogLocator(subs=between)
    shown = [tick for tick in locator.tick_values(low, high) if low <= tick <= high]
    if len(shown) < _LEAST_TICKS:
        axis.set_major_locator(ticker.MaxNLocator(most - 1, steps=[1, 2, 5, 10]))
    else:
        axis.set_major_locator(locator)
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(ticker.NullFormatter())


def needs_log(values: list[float]) -> bool:
    """Whether a linear axis would hide the small values."""
    return bool(values) and max(values) > 12 * min(values)


def mark_gap(axes: Axes, x: float, y: float, word: str, transform: Any,
             beside: bool = False) -> None:
    """An x, with a word above or next to it, for a measurement that failed or is missing."""
    axes.plot([x], [y], marker="x", color=GAP_COLOUR, markersize=5, markeredgewidth=1.3,
              linestyle="none", transform=transform, clip_on=False, zorder=5)
    above = {"xytext": (0, 5), "rotation": 90, "ha": "center", "va": "bottom"}
    right = {"xytext": (5, 0), "ha": "left", "va": "center"}
    axes.annotate(word, (x, y), xycoords=transform, textcoords="offset points", fontsize=8,
                  color=GAP_COLOUR, zorder=5, **(right if beside else above))


def _room(stacked: int) -> float:
    """The share of a panel's height that a stack of failures and its words take."""
    return (9 * stacked + 48) / (_PANEL_HEIGHT_IN * 72) if stacked else 0.05


def leave_linear_room_for_failures(panels: Iterable[Axes], low: float, high: float,
                                   stacked: int, stacked_on_top: int) -> None:
    """Limits of a linear y axis from low to high, with five ticks, clear of the marks."""
    foot, head = map(_room, (stacked, stacked_on_top))
    per_share = (high - low) / (1 - foot - head)
    for panel in panels:
        panel.set_ylim(low - per_share * foot, high + per_share * head)
        panel.set_yticks([low + (high - low) * step / 4 for step in range(5)])
        panel.spines.left.set_bounds(low, high)


def leave_room_for_failures(panels: Iterable[Axes], low: float, high: float,
                            stacked: int, stacked_on_top: int = 0) -> None:
    """Limits of a log y axis that keep the data clear of the marks of failed points, at the foot
    and at the top."""
    foot, head = map(_room, (stacked, stacked_on_top))
    decades = math.log10(high / low) or 0.5
    floor, top = low / 10 ** (decades * 0.04), high * 10 ** (decades * 0.06)
    for panel in panels:
        per_share = decades / (1 - foot - head)
        panel.set_ylim(low / 10 ** (per_share * foot),
                       high * 10 ** (per_share * head) if stacked_on_top else top)
        panel.yaxis.set_major_locator(ticker.FixedLocator(
            [tick for tick in panel.yaxis.get_majorticklocs() if floor <= tick <= top]))
        panel.yaxis.set_minor_locator(ticker.NullLocator())
        panel.spines.left.set_bounds(floor, top)


def mark_failures(panel: Axes, x: float, failed: list[tuple[str, str, str]],
                  on_top: bool = False) -> None:
    """A stack of crossed-out markers at the foot of a panel, with words above them that name the
    failures. Runs too long for an axis of times hang from its top instead.

    `failed` holds a word, and the marker and the colour of the line, for each point at this x.
    """
    frame = panel.get_xaxis_transform()
    end, inwards = (1, -1) if on_top else (0, 1)
    for number, (_, marker, colour) in enumerate(failed):
        lifted = frame + transforms.ScaledTranslation(0, inwards * (9 * number + 7) / 72,
                                                      panel.figure.dpi_scale_trans)
        panel.plot([x], [end], marker=marker, color=colour, markerfacecolor="white",
                   linestyle="none", transform=lifted, clip_on=False, zorder=5)
        panel.plot([x], [end], marker="x", color=GAP_COLOUR, markersize=6, markeredgewidth=1.1,
                   linestyle="none", transform=lifted, clip_on=False, zorder=6)
    words = ", ".join(dict.fromkeys(word for word, _, _ in failed))
    panel.annotate(words, (x, end), xycoords=frame, xytext=(0, inwards * (9 * len(failed) + 5)),
                   rotation=90, textcoords="offset points", ha="center",
                   va="top" if on_top else "bottom", fontsize=8, color=GAP_COLOUR, zorder=6)


def draw_bar(axes: Axes, x: float, step: float, spread: Spread, style: Style,
             edge: str = "white", clear_of: float = 0.0) -> None:
    """A bar from the bottom of the axes with whiskers; its value is above it, and above marks up to
    `clear_of`."""
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
    draw_bar(axes, x, step, Spread(value, value, value), Style(label, "#ffffff", "", "//////", ""),
             edge="#555555")


def scale_bars(axes: Axes, shown: list[float]) -> None:
    """Limits of y with room for the values above the bars; logarithmic where needed."""
    if needs_log(shown):
        bottom = min(shown) / 1.8
        log_axis(axes.yaxis, bottom, max(shown), most=7)
        axes.set_ylim(bottom, max(shown) * (max(shown) / bottom) ** 0.3)
    else:
        axes.set_ylim(0, max(shown) * 1.35)


def legend_of(panels: Iterable[Axes]) -> tuple[list[Any], list[str]]:
    """One legend for several panels, each label once; lines with whiskers and bars come first."""
    found: dict[str, Any] = {}
    plain: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels()):
            if isinstance(handle, tuple):
                found.setdefault(label, handle[0])
            else:
                plain.setdefault(label, handle)
    both = {**found, **plain}
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
    """`number` panels, with tick labels below those without a panel under them, or below all if
    their x differ."""
    columns = min(number, most)
    rows = -(-number // columns)
    figure, panels = plt.subplots(rows, columns, sharex=same_x, sharey=one_scale, squeeze=False,
                                  figsize=(WIDTH_IN, 3.8 + 2.4 * (rows - 1)))
    flat: list[Axes] = list(panels.flat)
    for place, panel in enumerate(flat):
        panel.set_visible(place < number)
        panel.tick_params(labelbottom=place + columns >= number or not same_x)
    return figure, flat[:number]


def draw_spreads(axes: Axes, places: list[float], spreads: list[Spread], *, across: bool = False,
                 **line: Any) -> None:
    """Medians as a line with markers, quartiles as whiskers; `across` swaps the two axes."""
    middle = [spread.median for spread in spreads]
    whiskers = [[spread.median - spread.low for spread in spreads],
                [spread.high - spread.median for spread in spreads]]
    where = {"x": middle, "y": places, "xerr": whiskers} if across else \
            {"x": places, "y": middle, "yerr": whiskers}
    axes.errorbar(**where, capsize=1.8, elinewidth=0.8, capthick=0.8, **line)


def wrapped(caption: str, results: Results) -> str:
    """The lines of a caption, with the provenance."""
    return "\n".join(textwrap.wrap(f"{caption} {provenance(results)}", _CAPTION_WIDTH))


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
           legend: tuple[list[Any], list[str]], columns: int, x_label: str = "") -> Figure:
    """Adds title and legend above, caption with provenance below, and makes room for them.

    `x_label` is one label for a row of panels.
    """
    text = wrapped(caption, results)
    bottom = put_words(figure, title, text)
    height = figure.get_size_inches()[1]
    more = TITLE_LINE_IN * (len(title_lines(title)) - 1)
    handles, labels = legend
    figure.legend(handles, labels, ncol=columns, loc="upper left", columnspacing=1.3,
                  handlelength=1.9, handletextpad=0.5, borderpad=0, borderaxespad=0,
                  bbox_to_anchor=(0.014, 1 - (0.30 + more) / height))
    legend_lines = -(-len(labels) // columns)
    if x_label:
        figure.text(0.53, bottom / height, x_label, ha="center", va="bottom")
        bottom += 0.14
    top = 0.36 + more + 0.17 * legend_lines
    figure.tight_layout(rect=(0, bottom / height, 1, 1 - top / height), pad=0.5)
    return figure
