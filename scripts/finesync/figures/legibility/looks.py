"""Series of one panel that look alike: to the colour-blind, or in a grey print.

Colours are compared in CIELAB: all of it as seen with deuteranopia (simulated after Machado,
Oliveira and Fernandes, 2009), and its lightness alone for a grey print.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.container import BarContainer
from matplotlib.lines import Line2D

LEAST_DISTANCE = 10.0  # in CIELAB; from 2.3 on patches side by side can be told apart
LEAST_LIGHTNESS = 7.0
_DEUTERANOPIA = np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                          [-0.011820, 0.042940, 0.968881]])
_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = _XYZ.sum(axis=1)


@dataclass(frozen=True)
class Look:
    """A colour, and what else tells a series from others: a line's marker and dashes, a bar's hatch."""

    colour: tuple[float, float, float]
    others: tuple[Any, ...]


@dataclass
class Series:
    """The looks of a panel's series by their labels."""

    lines: dict[str, Look] = field(default_factory=dict)
    bars: dict[str, Look] = field(default_factory=dict)


def series(axes: Axes) -> Series:
    """The labelled lines, of one point or more, and bars of a panel."""
    labelled = Series()
    for handle, label in zip(*axes.get_legend_handles_labels()):
        if isinstance(handle, BarContainer):
            bar = handle.patches[0]
            labelled.bars[label] = Look(to_rgb(bar.get_facecolor()), (bar.get_hatch() or "",))
            continue
        line = handle[0] if isinstance(handle, tuple) else handle
        if isinstance(line, Line2D):
            marker = str(line.get_marker()), line.get_fillstyle()
            dashes = line.get_linestyle()
            labelled.lines[label] = Look(to_rgb(line.get_color()), (marker,) if dashes == "None" else (marker, dashes))
    return labelled


def findings(axes: Axes) -> list[str]:
    labelled = series(axes)
    return [f"{name} and {other_name} look alike {how}" for looks in (labelled.lines, labelled.bars)
            for (name, look), (other_name, other_look) in combinations(looks.items(), 2)
            if (how := alike(look, other_look))]


def alike(first: Look, second: Look) -> str:
    """Under which conditions two looks cannot be told apart; "" if they can."""
    if all(left != right for left, right in zip(first.others, second.others)):
        return ""
    blind = np.hypot.reduce(_lab(_seen(first.colour)) - _lab(_seen(second.colour)))
    grey = abs(_lab(first.colour)[0] - _lab(second.colour)[0])
    return " and ".join([*(["with deuteranopia"] if blind < LEAST_DISTANCE else []),
                         *(["in grey"] if grey < LEAST_LIGHTNESS else [])])


def _linear(colour: Any) -> Any:
    colour = np.asarray(colour)
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def _seen(colour: Any) -> Any:
    """A colour with deuteranopia."""
    linear = np.clip(_DEUTERANOPIA @ _linear(colour), 0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def _lab(colour: Any) -> Any:
    part = _XYZ @ _linear(colour) / _WHITE
    root = np.where(part > 0.008856, np.cbrt(part), 7.787 * part + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])
