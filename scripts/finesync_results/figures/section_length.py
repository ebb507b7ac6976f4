"""ASPLOS'19 figure 9: run time as the critical section grows."""

from __future__ import annotations

from matplotlib.figure import Figure

from .. import collisions
from ..loading import Results
from ..points import Points, fastest, of, primitives, select, values
from . import layout
from .styles import Styles, styles_of


def draw(results: Results, points: Points, everything: Points, title: str) -> Figure | None:
    """Run time over that without the loop; one panel per primitive, one line per collision factor.

    Of `points`, those of launches with and without the loop are drawn; `everything` says how far
    they are below the best grids.
    """
    points = collisions.longer(points)
    if points.empty:
        return None
    styles = styles_of(results)
    sizes = values(points, collisions.SIZE_OF_SECTION)
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
            ratios = collisions.lengthened(line)
            shown += [ratio.median for ratio in ratios.values()]
            layout.draw_spreads(panel, [sizes.index(size) for size in ratios],
                                list(ratios.values()), color=colour, marker=marker,
                                label=f"collision factor {layout.count_label(factor)}")
            for size, ended in zip(line[collisions.SIZE_OF_SECTION], line["ended"]):
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

    grids = ", ".join(collisions.grid_labels(points, results.gpu))
    caption = (f"Thread blocks per SM x threads: {grids}. Medians of the "
               "repetitions, whiskers from the quartiles of both run times. "
               + _shares(points, everything, styles)
               + (" Crossed out: no result, for the reason written." if stacked else ""))
    return layout.finish(figure, f"{title} with longer critical sections: {results.gpu_name}",
                         caption, results, layout.legend_of(panels), min(len(factors), 4),
                         "arithmetic added to the critical section (x 1,000 cycles)")


def _shares(points: Points, everything: Points, styles: Styles) -> str:
    """How much of the rate at their best grids primitives have at the launches that are drawn: one
    that has collapsed there has nothing to lose by a longer section."""
    least: dict[str, float] = {}
    for factor, here in collisions.by_factor(points).items():
        for name in primitives(here):
            plain = fastest(select(of(here, name), cs_extra=0))
            best = collisions.best(select(of(everything, name), collision_factor=factor))
            if plain is not None and best is not None:
                share = collisions.rate(plain).median / collisions.rate(best).median
                least[name] = min(share, least.get(name, share))
    said = "; ".join(f"{styles[name].label} {100 * share:.0f} %" for name, share in least.items())
    return f"At the least, of the rate at its best grid without the loop: {said}."
