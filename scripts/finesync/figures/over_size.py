"""Time over size, a line for each version, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from ..query.points import PointTable, Spread
from ..results.loading import Results
from . import layout, scales
from .legibility.panels import MOST_LINES
from .lines import not_drawn, worth_a_line
from .styles import styles_of


def draw(results: Results, points: PointTable, axis: str, title: str, labels: tuple[str, str],
         caption: str, floor: Mapping[int, float] | None = None) -> Figure | None:
    """ms of the fastest points of each version over the values of an axis. `labels` are those of
    the axes; `floor` is an optional lower bound by size."""
    sizes = points.values(axis)
    lines = {name: {sizes[index]: time for index, time in part.over(
                    axis, sizes, lambda point: point.time.scaled(1e3)).items()}
             for name, part in points.by_primitive().items()}
    if not any(lines.values()):
        return None
    shown = {name: lines[name] for name in _shown(lines)}
    medians = [spread.median for line in shown.values() for spread in line.values()]
    styles = styles_of(results)
    figure, panel = plt.subplots(figsize=(layout.WIDTH_IN, 4.6))
    scales.fit_log(panel.xaxis, sizes)
    scales.fit_log_y([panel], [*medians, *(floor or {}).values()])
    words: dict[int, dict[str, None]] = {}
    for name, line in shown.items():
        part = points.of_primitives(name)
        layout.draw_line(panel, list(line), list(line.values()), styles[name])
        for size in set(part.values(axis)) - set(line):
            words.setdefault(size, {})[part.select(**{axis: size}).failure_word()] = None
    for size, own_words in words.items():
        scales.mark_gap(panel, size, 0.03, ", ".join(own_words))
    if floor:
        panel.plot(list(floor), list(floor.values()), color=layout.PALE, label="floor")
    panel.set_xlabel(labels[0])
    panel.set_ylabel(labels[1])
    panel.grid(which="major")
    return layout.finish(figure, f"{title} ({results.gpu_name})",
                         f"{caption} Medians of the repetitions; whiskers are quartiles."
                         + not_drawn((name for name in lines if name not in shown), styles),
                         results, layout.legend_of([panel]))


def _shown(lines: Mapping[str, Mapping[int, Spread]]) -> list[str]:
    """Lines of two sizes or more, if there are any, and of these the lowest, in their order."""
    long = {name: line for name, line in lines.items() if len(line) > 1} or lines
    lowest = worth_a_line([long])[:MOST_LINES - 1]  # the floor is a line, too
    return [name for name in long if name in lowest]
