"""When another form of a round is faster than a persistent kernel with barriers: by how long a
level of the program is."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable

from matplotlib.figure import Figure

from ...query.numbers import exactly
from ...query.tables import three_digits
from ...results import applications
from ...results.applications import Run
from ...results.loading import Results
from .. import layout, scales
from ..styles import styles_of

NAME = "applications-crossover"
NEEDS = "an application's other forms of a round at two problems"
_SLOT = 0.8  # the share of a problem's place that its points take


def draw(loaded: Iterable[Results]) -> Figure | None:
    """A panel for each program, in it a place for each problem, and a point for each other form that it was run in."""
    own = applications.among(loaded)
    found = {program: runs for program, results in own.items() if len(runs := _by_level(results)) > 1}
    if not found:
        return None
    figure, panels = layout.panels_by_row(len(found), 2, same_x=False)
    scales.fit_log_y(panels, [0.8, 1.25, *(ratio for runs in found.values() for run in runs
                                           for ratio in _ratios(run).values())])
    names = list(dict.fromkeys(name for run in itertools.chain(*found.values()) for name in _ratios(run)))
    for panel, (program, runs) in zip(panels, found.items()):
        styles = styles_of(own[program])
        for number, name in enumerate(names):
            line = {layout.bar_in_group(place, number, len(names), _SLOT)[0]: exactly(ratio)
                    for place, run in enumerate(runs) if (ratio := _ratios(run).get(name))}
            look = dataclasses.replace(layout.series_style(number, styles[name].label), dashes="none")
            if line:
                layout.draw_line(panel, list(line), list(line.values()), look)
        panel.axhline(1, color="black", linewidth=0.9, zorder=1)
        for place in range(1, len(runs)):
            panel.axvline(place - 0.5, color=layout.PALE, linewidth=0.6, zorder=0)
        panel.set_title(program)
        panel.set_xticks(range(len(runs)), [_place(run) for run in runs], rotation=30, ha="right")
        layout.fit_groups(panel, len(runs))
    layout.label_rows(panels, 2, "time / that of the persistent kernel")
    together = layout.together(list(own.values()))
    return layout.finish(
        figure, f"Other forms of a round against a persistent kernel with barriers ({together.gpu_name})",
        "Below 1 the other form is faster. From left to right the rounds are longer: beside each graph, or number of "
        "words, stands the time of a round and its barrier, with the fastest barrier. Medians.",
        together, layout.legend_of(panels))


def _by_level(results: Results) -> list[Run]:
    """The runs that have other forms to compare, by how long a level takes."""
    runs = [run for run in applications.longest_runs(results) if run.persistent is not None and run.contenders()]
    return sorted(runs, key=lambda run: applications.level_seconds(run.persistent))


def _ratios(run: Run) -> dict[str, float]:
    return {name: point.time.median / run.persistent.time.median for name, point in run.contenders().items()}


def _place(run: Run) -> str:
    return f"{layout.count_label(run.problem)}: {three_digits(applications.level_seconds(run.persistent) * 1e6)} us"
