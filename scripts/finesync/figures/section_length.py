"""ASPLOS'19 figure 9: run time as the critical section grows."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.figure import Figure

from ..papers import contention
from ..query.points import PointTable
from ..results.loading import Results
from ..results.workload import Drawing
from . import layout, scales
from .scales import Failure
from .styles import Styles, styles_of


def drawing(points: Callable[[Results], PointTable], everything: Callable[[Results], PointTable],
            title: str, what_collides: str) -> Drawing:
    """The figure of these points of a program; the parameters are those of draw()."""
    return Drawing("section_length", "a primitive with arithmetic added to the critical section",
                   lambda results: draw(results, points(results), everything(results), title,
                                        what_collides))


def draw(results: Results, points: PointTable, everything: PointTable, title: str, what_collides: str) -> Figure | None:
    """Run time relative to that without the loop; one panel per primitive, one line per collision factor.

    Draws the `points` of launches with and without the loop. `everything` has the best grids, with which the caption
    compares them."""
    points = contention.with_section_work(points)
    if points.empty:
        return None
    styles = styles_of(results)
    sizes = points.values(contention.SIZE_OF_SECTION)
    factors = points.values("collision_factor")
    names = points.primitives()
    figure, panels = layout.panels_by_row(len(names))
    stacked = 0
    shown = [1.0]
    for panel, primitive in zip(panels, names):
        failed: list[Failure] = []
        for number, factor in enumerate(factors):
            style = layout.series_style(number, f"{layout.count_label(factor)} {what_collides}")
            line = points.select(collision_factor=factor).of_primitives(primitive)
            ratios = contention.slowdown(line)
            shown += [ratio.median for ratio in ratios.values()]
            layout.draw_line(panel, [sizes.index(size) for size in ratios], list(ratios.values()), style)
            for size, ended in zip(line[contention.SIZE_OF_SECTION], line["ended"]):
                if size not in ratios:
                    word = "no reference" if ended == "ok" else ended
                    failed.append(Failure(sizes.index(size), word, style.marker, style.colour))
        stacked = max(stacked, scales.mark_failures(panel, failed, len(sizes)))
        panel.set_title(styles[primitive].label)
        panel.set_xticks(range(len(sizes)), [str(size) for size in sizes])
        panel.grid(axis="y")
    scales.fit_log_y(panels, shown, stacked)
    layout.label_rows(panels, layout.PANELS_A_ROW, "run time / run time without loop")

    grids = ", ".join(points.grid_labels(results.gpu))
    caption = (f"Thread blocks per SM x threads: {grids}. {what_collides.capitalize()}: the "
               "paper's collision factor. Medians of the "
               "repetitions, whiskers from the quartiles of both run times. "
               + _shares(points, everything, styles)
               + (layout.FAILURES if stacked else ""))
    return layout.finish(figure, f"{title}: run time with longer critical sections ({results.gpu_name})",
                         caption, results, layout.legend_of(panels),
                         "arithmetic added to the critical section (x 1,000 cycles)")


def _shares(points: PointTable, everything: PointTable, styles: Styles) -> str:
    """The share of its best rate that each primitive reaches at the launches drawn. A primitive
    that has collapsed there loses little by a longer section."""
    least: dict[str, float] = {}
    for factor, at_factor in points.by("collision_factor").items():
        for name in at_factor.primitives():
            plain = at_factor.of_primitives(name).select(section_work=0).fastest_point()
            best = everything.of_primitives(name).select(collision_factor=factor).fastest_point()
            if plain is not None and best is not None:
                share = plain.rate.median / best.rate.median
                least[name] = min(share, least.get(name, share))
    shares = "; ".join(f"{styles[name].label} {100 * share:.0f} %" for name, share in least.items())
    return "Fixed launch configuration; without the added loop it reaches at least this share of " \
        f"each primitive's best throughput: {shares}."
