"""Panels with too few labelled ticks, too many lines, or little room for their data."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from .looks import series

LEAST_TICKS = 3
MOST_LINES = 8
LEAST_SHARE = 0.6  # of a panel's height
# An axis need not spread out data that differ by a smaller factor.
_FLAT = 1.3
_NUMBER = re.compile(r"[-\N{MINUS SIGN}]?[\d,]*\.?\d+[KM%]?|\$\\mathdefault.*\$")


def findings(axes: Axes) -> list[str]:
    return [f"{_name(axes)}: {finding}" for finding in (
        *_few_ticks(axes), *_many_lines(axes), *_low_data(axes), *_all_whole(axes))]


def _name(axes: Axes) -> str:
    return " ".join((axes.get_title() or axes.get_xlabel() or axes.get_ylabel() or "a panel").split())


def _few_ticks(axes: Axes) -> list[str]:
    findings_here = []
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
                 if tick.label1.get_visible() and tick.label1.get_text()
                 and low <= tick.get_loc() <= high]
        numbers = sum(bool(_NUMBER.fullmatch(tick.label1.get_text())) for tick in ticks)
        if 0 < numbers < LEAST_TICKS and not _label_each(axes, axis.axis_name, ticks):
            findings_here.append(f"{numbers} tick labels on its {axis.axis_name} axis")
    return findings_here


def _label_each(axes: Axes, name: str, ticks: list[Any]) -> bool:
    """Whether each point, and each group of bars, has its own tick."""
    panels = getattr(axes, f"get_shared_{name}_axes")().get_siblings(axes)
    at = [tick.get_loc() for tick in ticks]
    points = {value for panel in panels for line in panel.lines if _in_data(panel, line)
              for value in getattr(line, f"get_{name}data")()}
    bars = [bar.get_x() + bar.get_width() / 2 for panel in panels for bar in panel.patches
            if isinstance(bar, Rectangle)] if name == "x" else []
    if bars:
        return all(min(abs(bar - tick) for tick in at) < 0.5 for bar in bars)
    return bool(points) and points <= set(at)


def _in_data(axes: Axes, line: Line2D) -> bool:
    return bool(line.get_transform() == axes.transData)


def _many_lines(axes: Axes) -> list[str]:
    labels = series(axes).lines
    beside = labels.keys() & {text.get_text() for text in axes.texts}
    plain = [line for line in axes.lines if _in_data(axes, line) and len(line.get_xdata()) > 1
             and line.get_linestyle() not in ("None", "none", " ", "")]
    count = max(len(labels), len(plain)) - len(beside)
    return [f"{count} lines"] if count > MOST_LINES else []


def _low_data(axes: Axes) -> list[str]:
    """Panels that share an axis share their data: they are there to be compared."""
    panels = [panel for panel in axes.get_shared_y_axes().get_siblings(axes) if panel.get_visible()]
    ends = [end for panel in panels for end in _ends(panel)]
    if not ends:
        return []
    if min(ends) == max(ends) or 0 < max(ends) <= _FLAT * min(ends):
        return []
    scale = axes.yaxis.get_transform().transform
    bottom, top = sorted(scale(np.array(axes.get_ylim())))
    low, high = np.clip(scale(np.array([min(ends), max(ends)])), bottom, top)
    share = (high - low) / (top - bottom)
    return [f"data in {100 * share:.0f} % of its height"] if share < LEAST_SHARE else []


def _ends(axes: Axes) -> list[float]:
    """The lowest and the highest value of a panel."""
    low, high = axes.dataLim.intervaly
    if not np.isfinite([low, high]).all():
        return []
    if axes.get_yscale() == "log" and low <= 0:
        low = axes.dataLim.minposy
    return [low, high]


def _all_whole(axes: Axes) -> list[str]:
    """A split whose second part no bar shows."""
    shares = [text.get_text() for text in axes.texts if text.get_text().endswith(" %")]
    return ["every bar says 100 %"] if len(shares) > 1 and set(shares) <= {"99 %", "100 %"} else []
