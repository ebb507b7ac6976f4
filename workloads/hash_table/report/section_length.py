"""ASPLOS'19 figure 9, hash table: run time as the critical section grows."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from finesync_results.figures import layout
from finesync_results.figures.styles import Styles, styles_of
from finesync_results.loading import Results
from finesync_results.points import (Points, Spread, each, fastest, more_than, of, primitives, select,
                                     spread, values)
from finesync_results.workload import Drawing

from . import inserts


def draw(results: Results) -> Figure | None:
    """Run time over that without the loop; one panel per primitive, one line per collision factor.
    """
    points = longer(results)
    if points.empty:
        return None
    styles = styles_of(results)
    sizes = values(points, "cs_extra")
    factors = values(points, "collision_factor")
    names = primitives(points)
    figure, panels = layout.panels_by_row(len(names))
    stacked = 0
    shown = [1.0]
    layout.log_axis(panels[0].yaxis, 1, 10)
    for panel, primitive in zip(panels, names):
        failed: dict[int, list[tuple[str, str, str]]] = {}
        for number, factor in enumerate(factors):
            colour = layout.SERIES_COLOURS[number % len(layout.SERIES_COLOURS)]
            marker = layout.SERIES_MARKERS[number % len(layout.SERIES_MARKERS)]
            line = of(select(points, collision_factor=factor), primitive)
            ratios = ratios_of(line)
            shown += [ratio.median for ratio in ratios.values()]
            layout.draw_spreads(panel, [sizes.index(size) for size in ratios],
                               list(ratios.values()), color=colour, marker=marker,
                               label=f"collision factor {layout.count_label(factor)}")
            for size, ended in zip(line["cs_extra"], line["ended"]):
                if size not in ratios:
                    word = "no reference" if ended == "ok" else ended
                    failed.setdefault(size, []).append((word, marker, colour))
        for size, marks in failed.items():
            layout.mark_failures(panel, sizes.index(size), marks)
        stacked = max([stacked, *map(len, failed.values())])
        panel.set_title(styles[primitive].label)
        panel.set_xticks(range(len(sizes)), [str(size) for size in sizes])
        panel.grid(axis="y")
    layout.leave_room_for_failures(panels, min(shown), max(shown), stacked)
    for first in panels[::layout.PANELS_A_ROW]:
        first.set_ylabel("run time / run time without loop")

    grids = ", ".join(inserts.grid_labels(points, results.gpu))
    caption = (f"Thread blocks per SM x threads: {grids}. Medians of the "
               "repetitions, whiskers from the quartiles of both run times. "
               + _shares(points, inserts.inserts(results), styles)
               + (" Crossed out: no result, for the reason written." if stacked else ""))
    return layout.finish(figure, f"Hash-table insertion with longer critical sections: "
                                f"{results.gpu_name}", caption, results,
                        layout.legend_of(panels), min(len(factors), 4),
                        "arithmetic added to the critical section (x 1,000 cycles)")


def _shares(points: Points, everything: Points, styles: Styles) -> str:
    """How much of the rate at their best grids primitives have at the launches that are drawn: one
    that has collapsed there has nothing to lose by a longer section."""
    least: dict[str, float] = {}
    for factor, here in inserts.by_factor(points).items():
        for name in primitives(here):
            plain = fastest(select(of(here, name), cs_extra=0))
            best = inserts.best(select(of(everything, name), collision_factor=factor))
            if plain is not None and best is not None:
                share = inserts.rate(plain).median / inserts.rate(best).median
                least[name] = min(share, least.get(name, share))
    said = "; ".join(f"{styles[name].label} {100 * share:.0f} %" for name, share in least.items())
    return f"At the least, of the rate at its best grid without the loop: {said}."


def longer(results: Results) -> Points:
    """The points of launches that were also run with arithmetic in the section, at the same
    collision factor. What must be the same along a line is the launch: the grid and, for servers,
    their number and rings."""
    points = select(inserts.swept(inserts.measured(results)), lock_padding="packed", section="push")
    launches = [(primitive, *sorted(item for item in axes.items()
                                    if item[0] not in ("collision_factor", "cs_extra")))
                for primitive, axes in zip(points["primitive"], points["axes"])]
    points = points.assign(launch=pd.Series(launches, points.index, dtype=object))
    where = pd.Series(list(zip(points["launch"], points["collision_factor"])), points.index,
                      dtype=object)
    return points[where.isin(set(where[more_than(points, "cs_extra")]))]


def ratios_of(line: Points) -> dict[int, Spread]:
    """Run time over that without the loop, by loop size; empty when that one failed."""
    plain = fastest(select(line, cs_extra=0))
    if plain is None:
        return {}
    good = line[line["ok"] & (line["launch"] == plain["launch"])].sort_values("cs_extra")
    return {point["cs_extra"]: spread(point, "seconds").over(spread(plain, "seconds"))
            for point in each(good)}


SECTION_LENGTH = Drawing("section_length", "a primitive with arithmetic added to the critical section", draw)
