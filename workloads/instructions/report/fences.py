"""The cost of a memory fence, by the earlier accesses of its SM (docs/library/fences.md)."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from finesync.figures import layout
from finesync.figures.styles import styles_of
from finesync.query.points import PointTable, Spread
from finesync.query.tables import Table, spread_cell, table_by
from finesync.results.loading import Results
from finesync.results.workload import Drawing

# In order of cost.
TOUCHED = {"none": "nothing", "shared-memory": "shared memory", "near-l2": "own side of the L2", "far-l2": "other side"}
STORE = "store"
_ACCESSES = {"load": "a load", STORE: "a store", "addition": "an addition"}
_WHO = {"the same thread": {"accessor": "same-thread", "fenced_before": "no"},
        "another warp": {"accessor": "other-warp", "fenced_before": "no"},
        "the same thread, then a fence by another warp": {"accessor": "same-thread", "fenced_before": "yes"},
        "another warp, then a fence by another warp": {"accessor": "other-warp", "fenced_before": "yes"}}
_BY_ITSELF = _WHO["the same thread"]
_CYCLES = ["fence_cycles_p5", "fence_cycles_p50", "fence_cycles_p95"]


def measured(results: Results) -> PointTable:
    """The points of fences."""
    points = results.points.with_columns("accessed", "access", "accessor", "fenced_before", "delay", *_CYCLES)
    return points.where(points["accessed"].notna())


def tables(results: Results) -> list[Table]:
    """Cycles by the accessed memory, by the accessing warp, and by the delay since."""
    points = measured(results)
    releases = points.of_primitives("release").select(access=STORE)
    return [*_by_access(by_itself(points)), *_by_who(at_usual_gap(releases)), *_by_gap(releases.select(**_BY_ITSELF))]


def by_itself(points: PointTable) -> PointTable:
    """The points of one delay in which only the fencing thread accesses memory."""
    return at_usual_gap(points).select(**_BY_ITSELF)


def at_usual_gap(points: PointTable) -> PointTable:
    """The points of the most frequent delay; the others vary the delay."""
    usual = max(points.values("delay"), default=None, key=lambda gap: len(points.select(delay=gap)))
    return points.select(delay=usual)


def by_touched(points: PointTable) -> dict[str, PointTable]:
    """The points of each accessed memory, by its name."""
    return {name: points.where(points["accessed"] == touched) for touched, name in TOUCHED.items()
            if (points["accessed"] == touched).any()}


def _by_access(points: PointTable) -> list[Table]:
    columns = by_touched(points)
    if not columns:
        return []
    run = [access for access in _ACCESSES if (points["access"] == access).any()]
    said = " / ".join(_ACCESSES[access] for access in run)
    return [Table(
        "accesses", "Cycles per fence by the memory that the SM has accessed since its last one, by "
        f"{said}:", "accessed", list(columns), {
            name: [_cell_by_access(own.of_primitives(name), run) for own in columns.values()]
            for name in points.primitives()})]


def _cell_by_access(points: PointTable, run: list[str]) -> str:
    if isinstance(found := points.first_spread(*_CYCLES), str):
        return found
    own = [points.select(access=access) for access in run]
    several = sum(not here.empty for here in own) > 1
    return " / ".join(_cell(here) for here in own if several or not here.empty)


def _by_who(points: PointTable) -> list[Table]:
    columns = by_touched(_varied(points, "accessor", "fenced_before"))
    if not columns:
        return []
    return [Table(
        "who", "Cycles per release fence, by the accessing thread and whether another warp fenced "
        "in between:", "a store by", list(columns), {
            who: [_cell(own.select(**axes)) for own in columns.values()]
            for who, axes in _WHO.items() if not points.select(**axes).empty})]


def _by_gap(points: PointTable) -> list[Table]:
    return table_by("delay", by_touched(_varied(points, "delay")), _cell, "gaps",
                    "Cycles per release fence, by the cycles since the access:",
                    "accessed by a store")


def _varied(points: PointTable, *axes: str) -> PointTable:
    """The points of memory that was accessed at several values of one of these axes."""
    counts = points.frame.groupby("accessed")[list(axes)].nunique().max(axis="columns")
    return points.where(points["accessed"].isin(counts[counts > 1].index))


# Cycles of the first ok point, from the 5th percentile to the 95th of all SMs and rounds.
_cell = spread_cell(*_CYCLES)


def draw(results: Results) -> Figure | None:
    """A group of bars for each memory that was stored to, a bar per fence."""
    points = by_itself(measured(results)).select(access=STORE)
    groups = by_touched(points)
    if not groups:
        return None
    figure, panel = plt.subplots(figsize=(layout.WIDTH_IN, 4.2))
    found = [{name: own.of_primitives(name).first_spread(*_CYCLES) for name in points.primitives()}
             for own in groups.values()]
    shown = [one for group in found for one in group.values() if isinstance(one, Spread)]
    layout.scale_bars(panel, [end for one in shown for end in (one.low, one.high) if end > 0] or [1.0])
    layout.draw_groups(panel, found, styles_of(results))
    panel.set_xticks(range(len(groups)), list(groups))
    panel.set_ylabel("cycles per fence")
    gap = "".join(f"{gap:,} cycles " for gap in points.values("delay"))
    caption = (f"The fencing thread has stored there {gap}before. Bars: "
               "medians of all SMs and rounds; whiskers: from the 5th to the 95th percentile."
               + layout.FAILURES * (len(shown) < len(found) * len(points.primitives())))
    return layout.finish(figure, "Memory fences: cycles by the memory stored to "
                         f"({results.gpu_name})", caption, results,
                         layout.legend_of([panel]), "stored to since the last fence")


CYCLES = Drawing("cycles", "fences after a store", draw)
