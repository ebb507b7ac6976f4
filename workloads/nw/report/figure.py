"""Time over size, and the floor below it."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from finesync_results.figures import layout
from finesync_results.figures.styles import styles_of
from finesync_results.loading import Results
from finesync_results.points import failure_word, of, primitives, select, values
from finesync_results.workload import Drawing

from . import times


def draw(results: Results) -> Figure | None:
    """A line for each version."""
    points = times.squares(results)
    sizes = values(points, "rows")
    found = {name: {size: spread.scaled(1e3) for size in sizes
                    if (spread := times.seconds(select(of(points, name), rows=size)))}
             for name in primitives(points)}
    shown = [spread.median for spreads in found.values() for spread in spreads.values()]
    if not shown:
        return None
    styles = styles_of(results)
    figure, panel = plt.subplots(figsize=(layout.WIDTH_IN, 4.6))
    layout.log_axis(panel.xaxis, min(sizes), max(sizes))
    clock = results.gpu.get("clock_khz")
    floors = [1e3 * times.floor(size, size, clock) for size in sizes] if clock else []
    layout.log_axis(panel.yaxis, min(shown + floors), max(shown))
    for name, spreads in found.items():
        style = styles[name]
        if spreads:
            layout.draw_spreads(panel, list(spreads), list(spreads.values()), label=style.label,
                                color=style.colour, marker=style.marker, linestyle=style.dashes)
        for size in set(values(of(points, name), "rows")) - set(spreads):
            layout.mark_gap(panel, size, 0.03, failure_word(select(of(points, name), rows=size)),
                            panel.get_xaxis_transform())
    if floors:
        panel.plot(sizes, floors, color="#777777", linestyle=":", label="floor")
    panel.set_xlabel("rows and columns")
    panel.set_ylabel("ms for the matrix")
    panel.grid(which="major")
    caption = ("Each with the tile that is best for it. Markers: medians of the repetitions; "
               "whiskers: quartiles. Floor: the scores written at "
               f"{times.BYTES_PER_SECOND / 1e12:.1f} TB/s, or the longest path at "
               f"{times.CYCLES_PER_CELL} cycles a cell.")
    return layout.finish(figure, f"Needleman-Wunsch: {results.gpu_name}", caption, results,
                         layout.legend_of([panel]), 3)


TIMES = Drawing("times", "square matrices", draw)
