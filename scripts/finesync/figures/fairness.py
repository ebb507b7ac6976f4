"""Fairness of a lock: acquisitions per block, their inequality, and the longest waits."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..query.points import PointRow, PointTable, Spread
from ..results.loading import Results
from ..results.sync_tables import fairness_sweeps
from ..results.workload import Drawing
from . import layout, lines, scales
from .styles import Styles, styles_of


_GAPS = 4  # as many rows of crosses are as high as a cross and its word


def drawing(title: str) -> Drawing:
    return Drawing("fairness", "acquisitions per block at two numbers of thread blocks per SM",
                   partial(draw, title=title))


def draw(results: Results, title: str) -> Figure | None:
    """A row of panels per size: fewest and most at the largest grid, Gini and waits by grid."""
    rows = {size: points for size, (_, points) in fairness_sweeps(results).items()}
    if not any(points["ok"].any() for points in rows.values()):
        return None
    figure, panels = plt.subplots(len(rows), 3, figsize=(layout.WIDTH_IN, 1.7 + 2.5 * len(rows)),
                                  squeeze=False)
    styles = styles_of(results)
    failed, left_out = False, []
    for (shares, gini, wait), (size, points) in zip(panels, rows.items()):
        grids = points.grids()
        names = lines.chosen([points], results, "tbs_per_sm", grids, lines.microseconds)(points)
        _draw_shares(shares, points.select(tbs_per_sm=grids[-1]), names, styles)
        inequality, waits = (
            lines.draw_panel(panel, points, names, "tbs_per_sm", grids, value, styles)
            for panel, value in ((gini, _inequality), (wait, _long_wait)))
        inequality.on_linear_axis()
        waits.on_log_axis()
        failed |= waits.failed
        left_out += [name for name in points.variants() if name not in names]
        shares.set_ylabel("acquisitions per block")
        gini.set_ylabel("Gini coefficient")
        wait.set_ylabel("99th percentile, us")
        where = f"size {size}, " if size else ""
        shares.set_title(f"{where}fewest to most, {grids[-1]} TBs/SM")
        gini.set_title(f"{where}inequality among blocks")
        wait.set_title(f"{where}long waits")
    for _, gini, wait in panels[-1:]:
        gini.set_xlabel("thread blocks per SM")
        wait.set_xlabel("thread blocks per SM")
    caption = ("Acquisitions per block in a run of fixed duration. Gini coefficient: 0, all blocks "
               "equal; 1, one block gets every acquisition. Waits: 99th percentile."
               + lines.not_drawn(left_out, styles)
               + (layout.FAILURES if failed else ""))
    return layout.finish(figure, f"{title} ({results.gpu_name})", caption, results, layout.legend_of(panels.flat))


def shares_of(point: PointRow) -> tuple[float, float] | None:
    """The fewest and the most acquisitions of a block, of an ok point that holds them."""
    fewest, most = (point.median(f"acquisitions_{end}") for end in ("min", "max"))
    return None if fewest is None or most is None else (fewest, most)


def _draw_shares(panel: Axes, points: PointTable, names: list[str], styles: Styles) -> None:
    found = {name: next(filter(None, map(shares_of, points.of_variants(name))), None) for name in names}
    shown = [end for ends in found.values() if ends for end in ends]
    if not shown or min(shown) > 0:
        scales.fit_log_y([panel], shown, at_foot=_GAPS * (None in found.values()))
    else:  # a block got no acquisition
        panel.set_yscale("symlog", linthresh=1)
        panel.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
        panel.set_ylim(0, 1.5 * max(shown))
    for slot, (name, ends) in enumerate(found.items()):
        own, style = points.of_variants(name), styles[name]
        if ends is None:
            scales.mark_gap(panel, slot, 0.04, own.failure_word())
            continue
        panel.plot([slot, slot], ends, color=style.colour, linewidth=2.2,
                   marker=style.marker, markersize=5, markeredgecolor="white",
                   markeredgewidth=0.4)
    panel.set_xlim(-0.6, len(names) - 0.4)
    panel.set_xticks([])
    panel.grid(axis="y")


def _inequality(point: PointRow) -> Spread | None:
    return point.spread("acquisitions_gini")


def _long_wait(point: PointRow) -> Spread | None:
    found = lines.positive(point.spread("wait_p99_ns"))
    return found.scaled(1e-3) if found else None
