"""Whether a figure can be read at the size at which it is shown.

`findings` names what a reader would stumble over: one line each, none for a legible figure.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from . import bars, looks, panels, ticks, words
from .recorder import drawn_words


def findings(figure: Figure) -> list[str]:
    """What is wrong with a figure that is drawn and not yet closed."""
    drawn = drawn_words(figure)
    seen = [axes for axes in figure.axes if axes.get_visible() and axes.axison]
    return [*words.findings(figure, drawn),
            *ticks.findings(seen),
            *(finding for axes in seen for kind in (panels, bars, looks) for finding in kind.findings(axes))]
