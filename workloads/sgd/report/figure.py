"""Time of an epoch, a panel for each input, a bar for each way to keep the steps apart."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync_results.figures import layout
from finesync_results.figures.styles import styles_of
from finesync_results.loading import Results
from finesync_results.points import of, primitives, select, values
from finesync_results.workload import Drawing

from .epochs import best, milliseconds, single, speedup


def draw(results: Results) -> Figure | None:
    """ms per epoch of 16 features, each at its best grid; log scale shared by the panels."""
    points = single(results)
    inputs = values(points, "input")
    names = primitives(points)
    spreads = {(name, place): milliseconds(point)
               for name in inputs for place, who in enumerate(names)
               if (point := best(of(select(points, input=name), who))) is not None}
    if not spreads:
        return None
    styles = styles_of(results)
    figure, panels = layout.panels_by_row(len(inputs))
    layout.scale_bars(panels[0], [one.median for one in spreads.values()])
    for panel, name in zip(panels, inputs):
        for place, who in enumerate(names):
            if (name, place) in spreads:
                layout.draw_bar(panel, place, 1, spreads[name, place], styles[who])
        gained = speedup(select(points, input=name))
        panel.set_title(name + (f"\ntimetable {gained.median:.1f}x the best lock" if gained else ""))
        panel.set_xticks([])
        panel.grid(axis="y")
    panels[0].set_ylabel("ms per epoch")
    handles, labels = layout.legend_of(panels)
    return layout.finish(figure, f"Matrix factorisation, an epoch: {results.gpu_name}",
                         "Each at the grid at which it is fastest; the timetable without its "
                         "sorting, Hogwild loses steps. Medians of the repetitions, whiskers are "
                         "quartiles.", results, (handles, labels), 3)


EPOCHS = Drawing("epochs", "an epoch of 16 features", draw)
