"""ASPLOS'19 figure 9, hash table: run time as the critical section grows."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from .. import hash_table
from ..loading import Results
from ..points import Point, Spread, fastest, of, primitives, select, values
from . import style

NAME = "section_length"
PROGRAMS, ON_GPU = ("ht",), True
NEEDS = "a primitive with arithmetic added to the critical section"


def draw(results: Results) -> Figure | None:
    """Run time over that without the loop; one panel per primitive, one line per collision factor.
    """
    points = select(hash_table.swept(hash_table.measured(results)), lock_padding=0, section=0)
    longer = {(point.primitive, _launch(point)) for point in points if point.axes.get("cs_extra")}
    points = [point for point in points if (point.primitive, _launch(point)) in longer]
    if not points:
        return None
    sizes = values(points, "cs_extra")
    factors = values(points, "collision_factor")
    names = primitives(points)
    figure, panels = style.panels_by_row(len(names))
    stacked = 0
    shown = [1.0]
    style.log_axis(panels[0].yaxis, 1, 10)
    for panel, primitive in zip(panels, names):
        failed: dict[int, list[tuple[str, str, str]]] = {}
        for number, factor in enumerate(factors):
            colour = style.SERIES_COLOURS[number % len(style.SERIES_COLOURS)]
            marker = style.SERIES_MARKERS[number % len(style.SERIES_MARKERS)]
            line = of(select(points, collision_factor=factor), primitive)
            ratios = ratios_of(line)
            shown += [ratio.median for ratio in ratios.values()]
            style.draw_spreads(panel, [sizes.index(size) for size in ratios],
                               list(ratios.values()), color=colour, marker=marker,
                               label=f"collision factor {style.count_label(factor)}")
            for point in line:
                if point.axes["cs_extra"] not in ratios:
                    word = "no reference" if point.ok else point.status
                    failed.setdefault(point.axes["cs_extra"], []).append((word, marker, colour))
        for size, marks in failed.items():
            style.mark_failures(panel, sizes.index(size), marks)
        stacked = max([stacked, *map(len, failed.values())])
        panel.set_title(style.look(primitive).label)
        panel.set_xticks(range(len(sizes)), [str(size) for size in sizes])
        panel.grid(axis="y")
    style.leave_room_for_failures(panels, min(shown), max(shown), stacked)
    for first in panels[::style.PANELS_A_ROW]:
        first.set_ylabel("run time / run time without loop")

    grids = {hash_table.grid_label(point) for point in points}
    caption = (f"Thread blocks per SM x threads: {', '.join(sorted(grids))}. Medians of the "
               "repetitions, whiskers from the quartiles of both run times."
               + (" Crossed out: no result, for the reason written." if stacked else ""))
    return style.finish(figure, f"Hash-table insertion with longer critical sections: "
                                f"{results.gpu_name}", caption, results,
                        style.legend_of(panels), min(len(factors), 4),
                        "arithmetic added to the critical section (x 1,000 cycles)")


def ratios_of(line: list[Point]) -> dict[int, Spread]:
    """Run time over that without the loop, by loop size; empty when that one failed."""
    plain = fastest(select(line, cs_extra=0))
    if plain is None:
        return {}
    good = [point for point in line if point.ok and _launch(point) == _launch(plain)]
    return {point.axes["cs_extra"]: point.seconds().over(plain.seconds())
            for point in sorted(good, key=lambda point: point.axes["cs_extra"])}


def _launch(point: Point) -> frozenset[tuple[str, Any]]:
    """What must be the same along a line: the grid and, for servers, their number and rings."""
    return frozenset((axis, value) for axis, value in point.axes.items()
                     if axis not in ("collision_factor", "cs_extra"))
