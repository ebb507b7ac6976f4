"""Draws a figure nowhere and notes where its words and markers would be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.text import Text


@dataclass(frozen=True)
class Line:
    """A line of words, its letters' points, and the corners of its rectangle, in points from the lower left corner of
    the figure. All lines of one text have the same number; only a single line has its `text`."""

    said: str
    size: float
    corners: Any
    number: int
    text: Text | None


@dataclass
class Drawn:
    """The lines of words of a figure, and the boxes (left, bottom, right, top) of its markers."""

    lines: list[Line] = field(default_factory=list)
    markers: list[tuple[float, float, float, float]] = field(default_factory=list)


def drawn_words(figure: Figure) -> Drawn:
    """All that is visible of a figure's words and markers."""
    dpi = figure.dpi
    figure.set_dpi(72)  # a pixel is a point
    recorder = _Recorder()
    figure.draw(recorder)
    figure.set_dpi(dpi)
    return recorder.drawn


class _Recorder(RendererBase):
    """A backend without a picture."""

    def __init__(self) -> None:
        super().__init__()
        self.drawn = Drawn()
        self._texts = 0

    def open_group(self, s: str, gid: Any = None) -> None:
        self._texts += s == "text"

    def flipy(self) -> bool:
        return False

    def draw_path(self, gc: Any, path: Any, transform: Any, rgbFace: Any = None) -> None:
        pass

    def draw_image(self, gc: Any, x: float, y: float, im: Any, transform: Any = None) -> None:
        pass

    def draw_markers(self, gc: Any, marker_path: Any, marker_trans: Any, path: Any, trans: Any,
                     rgbFace: Any = None) -> None:
        shape = marker_path.get_extents(marker_trans)
        for x, y in trans.transform(path.vertices):
            self.drawn.markers.append((x + shape.x0, y + shape.y0, x + shape.x1, y + shape.y1))

    def draw_text(self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float,
                  ismath: Any = False, mtext: Any = None) -> None:
        width, height, below = self.get_text_width_height_descent(s, prop, ismath)
        if not s.strip():
            return
        turn = np.radians(angle)
        across, up = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        corners = [np.array([x, y]) + right * across + top * up for right, top in (
            (0, -below), (width, -below), (width, height - below), (0, height - below))]
        self.drawn.lines.append(Line(s, prop.get_size_in_points(), np.array(corners), self._texts, mtext))
