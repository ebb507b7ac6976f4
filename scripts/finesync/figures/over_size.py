"""Time over size, a line for each version, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from ..results.loading import Results
from ..results.point_table import PointTable
from . import layout
from .styles import styles_of


def draw(results: Results, points: PointTable, axis: str, title: str, labels: tuple[str, str],
         caption: str, floor: Mapping[int, float] | None = None) -> Figure | None:
    """ms of the fastest points of each version over the values of an axis. `labels` are those of
    the axes; `floor` is an optional lower bound by size."""
    sizes = points.values(axis)
    lines = {name: {size: found.scaled(1e3) for size in sizes
                    if (found := own.select(**{axis: size}).fastest_time())}
             for name in points.primitives() for own in [points.of_primitives(name)]}
    shown = [one.median for line in lines.values() for one in line.values()]
    if not shown:
        return None
    styles = styles_of(results)
    figure, panel = plt.subplots(figsize=(layout.WIDTH_IN, 4.6))
    layout.log_axis(panel.xaxis, min(sizes), max(sizes))
    layout.log_axis(panel.yaxis, min([*shown, *(floor or {}).values()]), max(shown))
    for name, line in lines.items():
        style = styles[name]
        if line:
            layout.draw_spreads(panel, list(line), list(line.values()), label=style.label,
                                color=style.colour, marker=style.marker, linestyle=style.dashes)
        for size in set(points.of_primitives(name).values(axis)) - set(line):
            layout.mark_gap(panel, size, 0.03,
                            points.of_primitives(name).select(**{axis: size}).failure_word(),
                            panel.get_xaxis_transform())
    if floor:
        panel.plot(list(floor), list(floor.values()), color="#777777", linestyle=":", label="floor")
    panel.set_xlabel(labels[0])
    panel.set_ylabel(labels[1])
    panel.grid(which="major")
    return layout.finish(figure, f"{title} ({results.gpu_name})",
                         f"{caption} Markers: medians of the repetitions; whiskers: quartiles.",
                         results, layout.legend_of([panel]), 3)
