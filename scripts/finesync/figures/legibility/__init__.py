"""Whether a figure can be read at the size at which it is shown.

`findings` names what a reader would stumble over: one line each, none for a legible figure.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from . import looks, panels, words
from .recorder import drawn_words


def findings(figure: Figure) -> list[str]:
    """What is wrong with a figure that is drawn and not yet closed."""
    drawn = drawn_words(figure)
    seen = [axes for axes in figure.axes if axes.get_visible() and axes.axison]
    return [*words.findings(figure, drawn),
            *(finding for axes in seen for finding in panels.findings(axes)),
            *(finding for axes in seen for finding in looks.findings(axes))]
