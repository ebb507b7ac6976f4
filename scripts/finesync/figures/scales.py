"""Scales of axes: labelled ticks, and rows of crosses for points without a result."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from matplotlib import ticker, transforms
from matplotlib.axes import Axes

GAP_COLOUR = "#8b0000"
_LEAST_TICKS = 3
# Tick labels of a log axis, dense to sparse: within a decade, and of every how many decades.
_STEPS: tuple[tuple[tuple[float, ...], int], ...] = (
    ((1, 2, 5), 1), ((1, 3), 1), ((1,), 1), ((1,), 2), ((1,), 3), ((1,), 4),
    ((1, 1.5, 2, 3, 5, 7), 1))
# A log axis covers at least this factor, so that noise does not look like a difference.
_LEAST_FACTOR = 1.3
_MARGIN = 0.05  # of the data's share of an axis, below and above the data
_ROW, _LETTER, _PANEL = 9, 4.3, (126, 120)  # points; of a panel the height and width
_ABREAST = 3  # crosses in one row and place


@dataclass(frozen=True)
class Failure:
    """A point without a result: its place on the x axis, why, and the look of its line."""

    place: int
    word: str
    marker: Any
    colour: str


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Three to `most` round numbers from low to high, or a few more where that is impossible."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)

    def inside(ticks: Iterable[float]) -> list[float]:
        return [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]

    choices = [inside(step * 10.0 ** decade for decade in decades if decade % stride == 0
                      for step in steps) for steps, stride in _STEPS]
    enough = [positions for positions in choices if len(positions) >= _LEAST_TICKS]
    if enough:
        return next((positions for positions in enough if len(positions) <= most), min(enough, key=len))
    for parts in range(3, 12):
        locator = ticker.MaxNLocator(parts, steps=[1, 2, 2.5, 5, 10])
        positions = inside(locator.tick_values(low, high))
        if len(positions) >= _LEAST_TICKS:
            return positions
    return [low, high]


def log_axis(axis: Any, low: float, high: float, most: int = 9) -> None:
    """Makes x or y logarithmic, labelled with at most about `most` plain numbers."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(ticker.FixedLocator(log_ticks(low, high, most)))
    axis.set_major_formatter(ticker.FuncFormatter(
        lambda value, _: f"{value:,.10g}" if value < 1e6 else f"{value / 1e6:,.10g}M"))
    axis.set_minor_locator(ticker.NullLocator())


def fit_log(axis: Any, shown: Iterable[float], most: int = 9) -> None:
    """A log axis that is little longer than the data are."""
    low, high = _ends(shown)
    margin = (high / low) ** _MARGIN
    log_axis(axis, low / margin, high * margin, most)
    axis.axes.set(**{f"{axis.axis_name}lim": (low / margin, high * margin)})


def fit_log_y(panels: Iterable[Axes], shown: Iterable[float], at_foot: int = 0, on_top: int = 0) -> None:
    """One log y axis for panels, with room for rows of crosses below and above."""
    low, high = _ends(shown)
    margin = (high / low) ** _MARGIN
    for panel in panels:
        log_axis(panel.yaxis, low / margin, high * margin, 7)
        foot, head = (_room(rows) for rows in (at_foot, on_top))
        per_share = math.log10(high / low * margin ** 2) / (1 - foot - head)
        panel.set_ylim(low / margin / 10 ** (per_share * foot), high * margin * 10 ** (per_share * head))
        if at_foot or on_top:
            panel.spines.left.set_bounds(low / margin, high * margin)


def fit_y(panels: Iterable[Axes], shown: Iterable[float], at_foot: int = 0, on_top: int = 0) -> None:
    """The same for a linear axis."""
    low, high = _ends(shown)
    margin = _MARGIN * (high - low)
    low, high = low - margin, high + margin
    foot, head = (_room(rows) for rows in (at_foot, on_top))
    per_share = (high - low) / (1 - foot - head)
    for panel in panels:
        panel.set_ylim(low - per_share * foot, high + per_share * head)
        panel.set_yticks([tick for tick in ticker.MaxNLocator(5, steps=[1, 2, 2.5, 5, 10])
                          .tick_values(low, high) if low <= tick <= high])
        panel.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))
        if at_foot or on_top:
            panel.spines.left.set_bounds(low, high)


def mark_failures(panel: Axes, failed: list[Failure], places: int, on_top: bool = False) -> int:
    """Rows of crossed-out markers at the foot of a panel, each with a word that
    says why; runs too long for an axis of times are at its top. Returns the number of rows."""
    frame = panel.get_xaxis_transform()
    end, inwards = (1, -1) if on_top else (0, 1)
    crowded: set[str] = set()  # words that have no room beside their crosses, and stand above
    line = 0
    for word, at, looks in _rows(failed):
        shift = _beside(word, at, places, len(looks))
        if shift is None and word not in crowded:
            crowded.add(word)
            _say(panel, word, at[0], end, (-4 - 3 * len(looks), inwards * (_ROW * line + 6)))
            line += 1
        for number, (marker, colour) in enumerate(looks):
            aside = 6 * (number - (len(looks) - 1) / 2)
            lifted = frame + transforms.ScaledTranslation(
                aside / 72, inwards * (_ROW * line + 6) / 72, panel.figure.dpi_scale_trans)
            for look in ({"marker": marker, "color": colour, "markerfacecolor": "white"},
                         {"marker": "x", "color": GAP_COLOUR, "markersize": 6,
                          "markeredgewidth": 1.1}):
                panel.plot(at, [end] * len(at), linestyle="none", transform=lifted, clip_on=False, zorder=5, **look)
        if shift:
            x, away, side = shift
            _say(panel, word, x, end, (away, inwards * (_ROW * line + 6)), side)
        line += 1
    return line


def _say(panel: Axes, word: str, x: float, end: float, away: tuple[float, float], side: str = "left") -> None:
    panel.annotate(word, (x, end), xycoords=panel.get_xaxis_transform(), xytext=away, ha=side,
                   textcoords="offset points", va="center", fontsize=8, color=GAP_COLOUR,
                   zorder=6, annotation_clip=False)


def mark_gap(axes: Axes, x: float, y: float, word: str, beside: bool = False) -> None:
    """An x, with a word above or next to it, for a measurement that failed or is missing. The height y, or
    x with a word next to it, is a share of the axes."""
    transform = axes.get_yaxis_transform() if beside else axes.get_xaxis_transform()
    axes.plot([x], [y], marker="x", color=GAP_COLOUR, markersize=5, markeredgewidth=1.3,
              linestyle="none", transform=transform, clip_on=False, zorder=5)
    above = {"xytext": (0, 5), "rotation": 90, "ha": "center", "va": "bottom"}
    right = {"xytext": (5, 0), "ha": "left", "va": "center"}
    axes.annotate(word, (x, y), xycoords=transform, textcoords="offset points", fontsize=8,
                  color=GAP_COLOUR, zorder=5, **(right if beside else above))


def wrapped_to(words: str, room: float, letter: float = _LETTER) -> str:
    """Words in lines of at most this width in points."""
    return textwrap.fill(words, max(int(room / letter), 6), break_long_words=False, break_on_hyphens=False)


def _ends(shown: Iterable[float]) -> tuple[float, float]:
    """The least and greatest number, further apart if they are nearly the same."""
    known = list(shown) or [1.0, 10.0]
    low, high = min(known), max(known)
    if low > 0 and high < _LEAST_FACTOR * low:
        more = (_LEAST_FACTOR * low / high) ** 0.5
        return low / more, high * more
    return low, high if low < high else low + 1


def _room(rows: int) -> float:
    """The share of a panel's height that rows of crosses take."""
    return min((_ROW * rows + 3) / _PANEL[0], 0.45) if rows else 0.0


def _rows(failed: list[Failure]) -> list[tuple[str, list[int], list[tuple[Any, str]]]]:
    """The word, the places and the looks of each row: lines that fail alike share one."""
    of_line: dict[tuple[str, Any, str], list[int]] = {}
    for point in failed:
        of_line.setdefault((point.word, point.marker, point.colour), []).append(point.place)
    alike: dict[tuple[str, tuple[int, ...]], list[tuple[Any, str]]] = {}
    for (word, marker, colour), at in of_line.items():
        alike.setdefault((word, tuple(sorted(at))), []).append((marker, colour))
    return [(word, list(at), looks[first:first + _ABREAST])
            for (word, at), looks in alike.items() for first in range(0, len(looks), _ABREAST)]


def _beside(word: str, at: list[int], places: int, abreast: int) -> tuple[float, float, str] | None:
    """Where a word has room beside its crosses: x, points away from it, and its near side."""
    need = (_LETTER * len(word) + 6) * places / _PANEL[1]
    away = 4 + 3 * abreast
    if at[0] + 0.3 >= need:
        return at[0], -away, "right"
    return (at[-1], away, "left") if places - 1 - at[-1] + 0.3 >= need else None
