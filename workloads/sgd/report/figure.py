"""Time of an epoch, a panel for each input, a bar for each way to keep the steps apart."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync_results.figures import by_input
from finesync_results.loading import Results
from finesync_results.points import of, primitives, select, values
from finesync_results.workload import Drawing

from .epochs import best, milliseconds, single, speedup


def draw(results: Results) -> Figure | None:
    """ms per epoch of 16 features, each at its best grid; log scale shared by the panels."""
    points = single(results)
    names = primitives(points)
    bars = {}
    for name in values(points, "input"):
        own = select(points, input=name)
        gained = speedup(own)
        title = name + (f"\ntimetable {gained.median:.1f}x the best lock" if gained else "")
        bars[title] = {who: milliseconds(point) for who in names
                       if (point := best(of(own, who))) is not None}
    return by_input.draw(results, bars, names, "ms per epoch", "Matrix factorisation, an epoch",
                         "Each at the grid at which it is fastest; the timetable without its "
                         "sorting, Hogwild loses steps.")


EPOCHS = Drawing("epochs", "an epoch of 16 features", draw)
