"""ASPLOS'19 figure 9, hash table: run time as the critical section grows."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from ..loading import Results
from ..points import Point, Spread, fastest, gather, primitives, select, values
from . import style

NAME = "section_length"


def draw(results: Results) -> Figure | None:
    """Run time over that without the loop; one panel per lock, one line per collision factor."""
    if not results.on_gpu or results.program != "ht":
        return None
    points = select(gather(results.rows), lock_padding=0)
    longer = {(point.primitive, point.grid) for point in points if point.axes.get("cs_extra")}
    points = [point for point in points if (point.primitive, point.grid) in longer]
    if not points:
        return None
    sizes = values(points, "cs_extra")
    factors = values(points, "collision_factor")
    names = primitives(points)
    figure, panels = plt.subplots(1, len(names), figsize=(style.WIDTH_IN, 3.7), sharex=True,
                                  sharey=True, squeeze=False)
    stacked = 0
    shown = [1.0]
    style.log_axis(panels[0, 0].yaxis, 1, 10)
    for panel, primitive in zip(panels[0], names):
        failed: dict[int, list[tuple[str, str, str]]] = {}
        for number, factor in enumerate(factors):
            colour = style.SERIES_COLOURS[number % len(style.SERIES_COLOURS)]
            marker = style.SERIES_MARKERS[number % len(style.SERIES_MARKERS)]
            line = [point for point in select(points, collision_factor=factor)
                    if point.primitive == primitive]
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
    style.leave_room_for_failures(panels[0], min(shown), max(shown), stacked)
    panels[0, 0].set_ylabel("run time / run time without loop")

    grids = sorted({f"{blocks} x {threads}" for blocks, threads in {p.grid for p in points}})
    caption = (f"Thread blocks per SM x threads: {', '.join(grids)}. Medians of the repetitions, "
               "whiskers from the quartiles of both run times."
               + (" Crossed out: no result, for the reason written." if stacked else ""))
    return style.finish(figure, f"Hash-table insertion with longer critical sections: "
                                f"{results.gpu_name}", caption, results,
                        style.legend_of(panels[0]), len(factors),
                        "arithmetic added to the critical section (x 1,000 cycles)")


def ratios_of(line: list[Point]) -> dict[int, Spread]:
    """Run time over that without the loop, by loop size; empty when that one failed."""
    plain = fastest(select(line, cs_extra=0))
    if plain is None:
        return {}
    good = [point for point in line if point.ok and point.grid == plain.grid]
    return {point.axes["cs_extra"]: point.seconds().over(plain.seconds())
            for point in sorted(good, key=lambda point: point.axes["cs_extra"])}
