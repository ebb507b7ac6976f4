"""Counts of the host executor: atomics, fences and polls per operation. It measures no time."""

from __future__ import annotations

import textwrap
from functools import partial

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from ..query.points import PointRow, Spread
from ..query.tables import COUNTS
from ..results import sync_sweeps
from ..results.loading import Results
from ..results.registry import workload_named
from ..results.workload import Drawing
from . import layout, lines
from .styles import styles_of

_LABEL = 28  # letters of a line beside a panel


def drawing(title: str) -> Drawing:
    return Drawing("operation_counts", "rows of the host executor at two numbers of thread blocks per SM",
                   partial(draw, title=title))


def draw(results: Results, title: str) -> Figure | None:
    """A row of panels per setting, one line per primitive over thread blocks per SM."""
    sweeps = sync_sweeps.sweeps(sync_sweeps.measured(results))
    if not sweeps:
        return None
    workload = workload_named(results.program)
    figure, panels = plt.subplots(len(sweeps), len(COUNTS), squeeze=False,
                                  figsize=(layout.WIDTH_IN, 1.7 + 2.4 * len(sweeps)))
    names, shared = lines.titles(sweeps)
    styles = styles_of(results)
    grids = sorted({grid for points in sweeps.values() for grid in points.grids()})
    failed, left_out = False, []
    for row, name, points in zip(panels, names, sweeps.values()):
        for panel, (what, count) in zip(row, COUNTS.items()):
            def per_operation(point: PointRow, count: str = count) -> Spread | None:
                return lines.positive(sync_sweeps.count_per_operation(results, point, count))

            shown = lines.chosen([points], results, "tbs_per_sm", grids, per_operation)(points)
            drawn = lines.draw_panel(panel, points, shown, "tbs_per_sm", grids, per_operation, styles)
            drawn.on_log_axis()
            failed |= drawn.failed
            left_out += [name for name, own in points.by_variant().items() if name not in shown
                         and lines.line_of(own, "tbs_per_sm", grids, per_operation)]
            panel.set_title(what)
        row[0].set_ylabel("\n".join([f"per {workload.operation}", *textwrap.wrap(name, _LABEL)]))
    sms = results.gpu.get("sms")
    caption = (f"{shared[:1].upper()}{shared[1:]}; {sms} SMs. Atomic read-modify-writes, fences, "
               "and polls that found nothing new, per operation of one launch"
               + (f" (a {workload.operation} of all blocks is one)" if workload.of_all_blocks
                  else "")
               + ". A primitive with none has no line."
               + lines.not_drawn(left_out, styles)
               + (layout.FAILURES if failed else "")
               + " The host executor measures no time.")
    return layout.finish(figure, title, caption, results, layout.legend_of(panels.flat), "thread blocks per SM")
