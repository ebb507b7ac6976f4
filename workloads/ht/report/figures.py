"""Figures of the hash table: throughput by contention, padding, section length, traffic, counts."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from finesync.figures import layout, lines, scales, section_length, server_traffic
from finesync.figures.legibility.panels import MOST_LINES
from finesync.figures.scales import Failure
from finesync.figures.styles import Style, Styles, styles_of
from finesync.query.numbers import Spread, exactly
from finesync.query.points import PointRow, PointTable
from finesync.results.catalogue import with_roles
from finesync.results.loading import Results
from finesync.results.workload import Drawing

from .tables import (BATCH, COMPARISON, FAMILIES, SECTIONS, SERVERS, across_gpus, block_sizes,
                     grid_sweep, inserts, measured, on_all_sms, servers_in)

_FILLS = {"packed": "white", "padded": None}
_COUNTED = {"count_rmw": "atomics per insert", "count_poll": "polls per insert"}
_GROUP_WIDTH = 0.86
_LIBRARY = "libcudacxx"


def draw_contention(results: Results) -> Figure | None:
    """M inserts/s, log scale shared by the panels, one line per lock; contention grows from panel to panel.

    Servers, whose thread blocks have another meaning, are horizontal lines at their best, and so is the sort of a
    batch."""
    everything = inserts(results)
    points = grid_sweep(everything)
    grids = points.grids()
    if len(grids) < 2:
        return None
    styles = styles_of(results)
    factors = points.values("collision_factor")[::-1]
    levels = {factor: _best_without_grid(everything.select(collision_factor=factor)) for factor in factors}
    rates = {factor: _lines(points.select(collision_factor=factor), grids) for factor in factors}
    names = _worth_a_line(rates, levels, len(grids))
    figure, panels = layout.panels_by_row(len(factors))
    shown: list[float] = []
    stacked = 0
    for panel, factor in zip(panels, factors):
        here = points.select(collision_factor=factor)
        for name, line in rates[factor].items():
            if line and name in names:
                layout.draw_line(panel, list(line), list(line.values()), styles[name])
                shown += [rate.median for rate in line.values()]
        for name, point in levels[factor].items():
            if name in names:
                style = styles[name]
                panel.axhline(_mega_rate(point).median, color=style.colour, linestyle=style.dashes,
                              linewidth=1.1, label=f"{style.label} (best)")
                shown.append(_mega_rate(point).median)
        failed = here.where(~here["ok"]).of_primitives(*names)
        stacked = max(stacked, scales.mark_failures(panel, [
            Failure(grids.index(grid), word, styles[name].marker, styles[name].colour)
            for name, grid, word in zip(failed["primitive"], failed["tbs_per_sm"], failed["ended"])
            if grids.index(grid) not in rates[factor].get(name, {})], len(grids)))
        panel.set_title(f"{layout.count_label(factor)} distinct keys")
        layout.name_slots(panel, grids)
    scales.fit_log_y(panels, shown, stacked)
    layout.label_rows(panels, layout.PANELS_A_ROW, "M inserts/s")

    caption = (f"Thread blocks of {block_sizes(points)} threads. The fewer distinct keys (the "
               "paper's collision factor), the more contention: it grows from panel to panel. "
               "Medians of the repetitions; whiskers are quartiles."
               + (" Horizontal lines: servers, each at its best launch configuration."
                  if any(levels.values()) else "")
               + lines.not_drawn((name for name in [*points.primitives(), *(name for best in levels.values()
                                                                            for name in best)]
                                  if name not in names), styles)
               + (layout.FAILURES if stacked else ""))
    return layout.finish(figure, f"Hash-table insertion: throughput by thread blocks per SM "
                         f"({results.gpu_name})", caption, results, layout.legend_of(panels),
                         "thread blocks per SM")


def _best_without_grid(points: PointTable) -> dict[str, PointRow]:
    """The fastest point of each server, and of the sort of a batch."""
    best = {name: points.of_primitives(name).fastest_point() for name in (*servers_in(points), BATCH)}
    return {name: point for name, point in best.items() if point is not None}


def _lines(points: PointTable, grids: list[int]) -> dict[str, dict[int, Spread]]:
    """The rates of each lock, by the place of its number of thread blocks per SM."""
    return {name: own.over("tbs_per_sm", grids, _mega_rate) for name, own in points.by_primitive().items()}


def _worth_a_line(rates: dict[int, dict[str, dict[int, Spread]]],
                  levels: dict[int, dict[str, PointRow]], places: int) -> list[str]:
    """The paper's lock and CUDA's own, the fastest of the paper's and of our servers, the sort of a
    batch, and the fastest of the others."""
    times = []
    for factor, own in rates.items():
        level = {name: dict.fromkeys(range(places), _mega_rate(point)) for name, point in levels[factor].items()}
        times.append({name: {place: exactly(1 / rate.median) for place, rate in line.items()}
                      for name, line in {**own, **level}.items()})
    ranked = lines.worth_a_line(times)
    servers = [[name for name in ranked if name in of_role]
               for of_role in (with_roles("ht", FAMILIES, role)
                               for role in ("paper_server", "server"))]
    keep = [*with_roles("ht", FAMILIES, "paper_lock"), _LIBRARY, BATCH, *(name for own in servers for name in own[:1])]
    others = [name for name in ranked if name not in (*keep, *SERVERS)]
    return [*(name for name in keep if name in ranked), *others][:MOST_LINES]


def _mega_rate(point: PointRow) -> Spread:
    return point.rate.scaled(1e-6)


CONTENTION = Drawing("contention", "a lock at two numbers of thread blocks per SM", draw_contention)


def draw_padding(results: Results) -> Figure | None:
    """A pair of dots joined by a line per primitive, one panel per collision factor."""
    points = on_all_sms(inserts(results))
    launches = points.column_of(list(zip(*(points[axis] for axis in ("primitive", "tbs_per_sm", "threads_per_block")))))
    packed, padded = (set(launches[points["lock_layout"] == padding]) for padding in _FILLS)
    points = points.where(launches.isin(packed) & launches.isin(padded))
    if points.empty:
        return None
    styles = styles_of(results)
    factors = points.values("collision_factor")
    names = points.primitives()
    figure, panels = plt.subplots(1, len(factors), sharey=True, squeeze=False,
                                  figsize=(layout.WIDTH_IN, 1.7 + 0.25 * len(names)))
    for panel, factor in zip(panels[0], factors):
        here = points.select(collision_factor=factor)
        shown: list[float] = []
        for place, primitive in enumerate(names):
            shown += _draw_both_layouts(panel, here.of_primitives(primitive), styles[primitive], place)
        panel.set_title(f"{layout.count_label(factor)} distinct keys")
        panel.set_yticks(range(len(names)), [styles[name].label for name in names])
        panel.set_ylim(len(names) - 0.5, -0.5)
        panel.tick_params(axis="y", length=0)
        panel.grid(axis="both")
        scales.fit_log(panel.xaxis, shown, most=3)

    grids = ", ".join(points.grid_labels(results.gpu))
    caption = (f"Thread blocks per SM x threads: {grids}. Distinct keys: the paper's collision "
               "factor. Medians of the repetitions, whiskers are quartiles.")
    handles = [Line2D([], [], color="black", marker="o", linestyle="none", markerfacecolor=fill)
               for fill in ("white", "black")]
    return layout.finish(figure, f"Hash-table insertion: effect of lock padding "
                         f"({results.gpu_name})", caption, results,
                         (handles, ["locks packed in cache lines", "one lock per line"]),
                         "M inserts/s")


def _draw_both_layouts(panel: Axes, points: PointTable, style: Style, place: int) -> list[float]:
    """Draws one primitive's pair in a panel and returns its medians."""
    medians = []
    for number, (padding, fill) in enumerate(_FILLS.items()):
        own = points.select(lock_layout=padding)
        best = own.fastest_point()
        if best is None:
            scales.mark_gap(panel, 0.1 + 0.45 * number, place, own.failure_word(), beside=True)
            continue
        rate = best.rate.scaled(1e-6)
        medians.append(rate.median)
        layout.draw_spreads(panel, [place], [rate], across=True, color=style.colour,
                            marker=style.marker, markerfacecolor=fill or style.colour,
                            linestyle="none", zorder=3)
    if len(medians) == 2:
        panel.plot(medians, [place, place], color=style.colour, zorder=2)
    return medians


PADDING = Drawing("padding", "a lock at one grid with and without padding", draw_padding)


SECTION_LENGTH = section_length.drawing(
    lambda results: measured(results).select(lock_layout="packed", section="push"), inserts,
    "Hash-table insertion", "distinct keys")
TRAFFIC = server_traffic.drawing(COMPARISON, "Hash-table insertion", "distinct keys")


def draw_across_gpus(results: Results) -> Figure | None:
    """G/s over the number of GPUs: a row of panels for each kind of sections, a column for each number of keys."""
    points = across_gpus(results)
    gpus, factors = points.values("gpus"), points.values("collision_factor")[::-1]
    if len(gpus) < 2:
        return None
    styles = styles_of(results)
    shown = [(section, factor) for section in SECTIONS if (points["section"] == section).any() for factor in factors]
    figure, panels = layout.panels_by_row(len(shown), len(factors), one_scale=False)
    failed = False
    for panel, (section, factor) in zip(panels, shown):
        here = points.select(section=section, collision_factor=factor)
        medians: list[float] = []
        bad: list[Failure] = []
        for name, own in here.by_primitive().items():
            line = own.over("gpus", gpus, lambda point: point.rate.scaled(1e-9))
            if line:
                layout.draw_line(panel, list(line), list(line.values()), styles[name])
                medians += [rate.median for rate in line.values()]
            bad += [Failure(gpus.index(number), own.select(gpus=number).failure_word(),
                            styles[name].marker, styles[name].colour)
                    for number in own.values("gpus") if gpus.index(number) not in line]
        scales.fit_y([panel], medians, scales.mark_failures(panel, bad, len(gpus)))
        failed |= bool(bad)
        panel.set_title(f"{SECTIONS[section]}, {layout.count_label(factor)} keys")
        layout.name_slots(panel, gpus)
    layout.label_rows(panels, len(factors), "G/s")
    caption = ("Rates of all GPUs together, each point at its best grid. Scales differ between panels. "
               "Medians of the repetitions; whiskers are quartiles."
               + (layout.FAILURES if failed else ""))
    return layout.finish(figure, f"Hash table: servers on several GPUs ({results.gpu_name})", caption,
                         results, layout.legend_of(panels), "GPUs")


ACROSS_GPUS = Drawing("rates", "two numbers of GPUs", draw_across_gpus)


def draw_counts(results: Results) -> Figure | None:
    """Two panels of bars by collision factor, at the largest grid; log scale where needed."""
    points = inserts(results).select(lock_layout="packed")
    if points.empty:
        return None
    styles = styles_of(results)
    largest = points.grids()[-1]
    points = points.select(tbs_per_sm=largest)
    factors = points.values("collision_factor")
    names = points.primitives()
    figure, panels = plt.subplots(2, 1, figsize=(layout.WIDTH_IN, 5.2), sharex=True)
    for panel, (count, title) in zip(panels, _COUNTED.items()):
        _draw_counts_panel(panel, points, factors, names, count, styles)
        panel.set_ylabel(title)
        panel.grid(axis="y")
    panels[1].set_xticks(range(len(factors)), [layout.count_label(factor) for factor in factors])
    panels[1].set_xlabel("distinct keys (the paper's collision factor)")
    for panel in panels:
        panel.tick_params(axis="x", length=0)
        panel.set_xlim(-0.5, len(factors) - 0.5)

    caption = ("Atomic read-modify-writes, and polls that found nothing new, per insert of one "
               f"launch; thread blocks per SM: {largest}, threads per block: "
               f"{block_sizes(points)}, machine: {results.gpu_name}. Medians of "
               "the repetitions, whiskers are quartiles. The host executor measures no time.")
    return layout.finish(figure, "Hash-table insertion: operations counted on the host executor", caption,
                         results, layout.legend_of(panels))


def per_insert(point: PointRow, count: str) -> Spread:
    """A count of an ok point over the number of inserts."""
    found = point.spread(count)
    assert found is not None
    return found.scaled(1 / point["inserts"])


def _draw_counts_panel(panel: Axes, points: PointTable, factors: list[int], names: list[str],
                       count: str, styles: Styles) -> None:
    spreads = [per_insert(point, count) for point in points.ok()]
    shown = [spread.median for spread in spreads if spread.median > 0]
    log = layout.needs_log(shown)
    floor = min(shown) / 2 if log else 0.0
    if log:
        scales.log_axis(panel.yaxis, floor, max(shown))
        panel.set_ylim(floor, max(shown) * (max(shown) / floor) ** 0.3)
    elif shown:
        panel.set_ylim(0, max(shown) * 1.3)
    step = _GROUP_WIDTH / len(names)
    for slot, primitive in enumerate(names):
        for group, factor in enumerate(factors):
            x = group - _GROUP_WIDTH / 2 + step * (slot + 0.5)
            own = points.select(collision_factor=factor).of_primitives(primitive)
            if own.empty or not own.first()["ok"]:
                scales.mark_gap(panel, x, 0.04, own.failure_word())
                continue
            layout.draw_bar(panel, x, step, per_insert(own.first(), count), styles[primitive])


COUNTS = Drawing("counts", "rows of the host executor", draw_counts)
