"""The figures of synchronization sweeps: time over thread blocks per SM and over the length of sections,
and what synchronization adds to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..query.points import PointTable
from ..results import sync_sweeps
from ..results.asked import asked
from ..results.loading import Results
from ..results.registry import workload_named
from ..results.workload import Drawing
from . import layout, lines, scales
from .styles import Styles, styles_of

_OTHERWISE = "#d9d9d9"
_LEAST_PART = 0.02  # of a bar


def time(title: str, note: str = "") -> Drawing:
    """Time per operation over thread blocks per SM (the thesis's figures 5.4, 5.17, 5.21 and 5.25); `note`
    names the figure that it reproduces."""
    return Drawing("time", "a primitive at two numbers of thread blocks per SM",
                   partial(_draw_time, title=title, note=note))


def _draw_time(results: Results, title: str, note: str) -> Figure | None:
    """One panel per setting, one line per primitive; timeouts hang from the top. Blocks of fewer SMs than there are
    stand for other GPUs, in the tables alone."""
    points = sync_sweeps.short(sync_sweeps.measured(results)).with_columns("sms").select(sms="all")
    sweeps = sync_sweeps.sweeps(points)
    if not sweeps:
        return None
    names, shared = lines.titles(sweeps)
    panels = list(zip((lines.unbroken(name, 31) for name in names), sweeps.values()))
    before = f"{shared[:1].upper()}{shared[1:]}. " if shared else ""
    return lines.figure_of_times(results, panels, "tbs_per_sm", title, before + note, "thread blocks per SM")


def time_by_gpus(title: str) -> Drawing:
    """The same of what several GPUs do together."""
    return Drawing("times", "primitives of several GPUs", partial(_draw_by_gpus, title=title))


def _draw_by_gpus(results: Results, title: str) -> Figure | None:
    """One panel per number of GPUs, one line per primitive."""
    points = sync_sweeps.across_gpus(results)
    points = points.where(points["variant"] == points["primitive"])  # with their own settings
    panels = [(f"GPUs: {gpus}", points.select(gpus=gpus)) for gpus in points.values("gpus")]
    if not panels:
        return None
    return lines.figure_of_times(results, panels, "tbs_per_sm", title, "", "thread blocks per SM of each GPU")


def time_by_section(title: str, note: str = "") -> Drawing:
    """Time per operation, relative to the fastest, by loads and stores per thread (figures 5.13 and 5.29)."""
    return Drawing("section_length",
                   "a primitive at two numbers of loads and stores, one of them over 10",
                   partial(_draw_by_section, title=title, note=note))


def _draw_by_section(results: Results, title: str, note: str) -> Figure | None:
    """One panel per number of thread blocks per SM (and size, and load), one line per primitive."""
    grown = families(sync_sweeps.measured(results))
    if not grown:
        return None
    sizes = sorted({threads for own in grown.values() for threads in own.values("threads_per_block")})
    before = f"Thread blocks of {' or '.join(f'{threads:,}' for threads in sizes)} threads. {note}"
    return lines.figure_of_times(results, list(grown.items()), "ldst", title, before,
                                 "loads and stores of each thread, and the least us per "
                                 f"{workload_named(results.program).operation}", relative=True)


def families(points: PointTable) -> dict[str, PointTable]:
    """By grid, size and load the points of primitives that were also run with long sections."""
    numbers = ["size", "threads_per_block", "tbs_per_sm"]
    where = ["grows", "order", *numbers]
    points = points.with_columns("writer", "load", *numbers)
    points = points.assign(grows=points["writer"] == "grows", order=points["load"].fillna("lines"), **{
        axis: pd.to_numeric(points[axis]).fillna(0).astype(int) for axis in numbers})
    launches = points.column_of(list(zip(*(points[axis] for axis in ("variant", *where)))))
    long = points.above("ldst", sync_sweeps.THESIS_LOADS_AND_STORES)
    points = points.where(launches.isin(set(launches[long])) & points.above("ldst")).select(
        local_exchange="no", writers="yes")
    several = {place: own for place, own in points.by_columns(*where).items() if own["ldst"].nunique() > 1}
    sizes = {size for _, _, size, _, _ in several}
    return {("growing writer, " if grows else "") + ("" if order == "lines" else f"{order} stores, ")
            + (f"size {size}, " if size and len(sizes) > 1 else "")
            + f"{blocks} TB{'s' if blocks > 1 else ''}/SM": own
            for (grows, order, size, _, blocks), own in several.items()}


def overhead(title: str, shown: Sequence[str], note: str = "") -> Drawing:
    """Time with and without the synchronizing operation (figures 5.5 and 5.32), with bars only of those
    `shown` and asked for, as more could not be told apart, in their main sweep."""
    return Drawing("overhead", "the time of kernels without the synchronizing operation, more than "
                   f"{_LEAST_PART:.0%} of a bar",
                   partial(_draw_overhead, title=title, shown=shown, note=note))


def _draw_overhead(results: Results, title: str, shown: Sequence[str], note: str) -> Figure | None:
    """One panel per number of thread blocks per SM, each with its own scale; stacked bars."""
    shown = [*dict.fromkeys([*shown, *asked()])]
    points = sync_sweeps.measured(results).of_variants(*shown)
    timed = points["unsynchronized_ns_per_operation"].notna()
    found = sync_sweeps.main_sweep(points.where(timed | ~points["ok"]))
    if found is None or not found[1]["ok"].any():
        return None
    which, points = found
    grids = points.grids()
    names = [name for name in shown if name in set(points["variant"])]
    if not _tells_apart(points):
        return None
    styles = styles_of(results)
    figure, panels = layout.panels_by_row(len(grids), lines.PANELS_A_ROW, one_scale=False)
    for panel, blocks in zip(panels, grids):
        _draw_panel(panel, points.select(tbs_per_sm=blocks), names, styles)
        panel.set_title(f"{blocks} TB{'s' * (blocks > 1)}/SM")
    layout.label_rows(panels, lines.PANELS_A_ROW, f"us per {workload_named(results.program).operation}")
    caption = (f"{sync_sweeps.words(which).capitalize()}. {note}Bars: medians. "
               "Grey: the same kernel without synchronization. Coloured: the time that "
               "synchronization adds, with its share of the total. Scales differ between panels.")
    return layout.finish(figure, f"{title} ({results.gpu_name})", caption, results, layout.legend_of(panels))


def _tells_apart(points: PointTable) -> bool:
    """Whether any bar has two parts that can be seen."""
    splits = [parts(own.of_variants(name)) for own in points.by("tbs_per_sm").values() for name in own.variants()]
    return any(min(split) >= _LEAST_PART * sum(split) for split in splits if split)


def parts(points: PointTable) -> tuple[float, float] | None:
    """Microseconds per operation without and of synchronization, of the best ok point."""
    best = points.fastest_point()
    rest = None if best is None else sync_sweeps.unsynchronized(best)
    if best is None or rest is None:
        return None
    whole = best.time.median
    return min(rest, whole) * 1e6, max(whole - rest, 0.0) * 1e6


def _draw_panel(panel: Axes, points: PointTable, names: list[str], styles: Styles) -> None:
    both = {name: parts(points.of_variants(name)) for name in names}
    highest = max((sum(split) for split in both.values() if split), default=1.0)
    panel.set_ylim(0, highest * 1.3)
    for slot, (name, split) in enumerate(both.items()):
        if split is None:
            scales.mark_gap(panel, slot, 0.04, points.of_variants(name).failure_word())
            continue
        rest, added = split
        style = styles[name]
        panel.bar(slot, rest, 0.8, color=_OTHERWISE, label="without synchronization")
        panel.bar(slot, added, 0.8, bottom=rest, color=style.colour, hatch=style.hatch,
                  edgecolor="white", linewidth=0.6, label=style.label)
        panel.annotate(f"{100 * added / (rest + added):.0f} %", (slot, rest + added),
                       xytext=(0, 3), textcoords="offset points", rotation=90, ha="center",
                       va="bottom", fontsize=8)
    panel.set_xticks([])
    panel.set_xlim(-0.6, len(names) - 0.4)
    panel.grid(axis="y")
