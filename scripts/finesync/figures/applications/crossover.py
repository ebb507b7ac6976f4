"""When another form of a round is faster than a persistent kernel with barriers: by how long a
level of the program is."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.figure import Figure

from ...query.numbers import exactly
from ...results import applications
from ...results.loading import Results
from .. import layout, scales

NAME = "applications-crossover"
NEEDS = "an application's other forms of a round at two problems"


def draw(loaded: Iterable[Results]) -> Figure | None:
    """A panel for each program, a line for each other form that it was run in."""
    own = applications.among(loaded)
    found = {program: {name: line for name, line in applications.lines(results).items()
                       if len(line) > 1} for program, results in own.items()}
    found = {program: lines for program, lines in found.items() if lines}
    if not found:
        return None
    names = sorted({name for lines in found.values() for name in lines})
    every = [one for lines in found.values() for line in lines.values() for one in line]
    lengths, ratios = zip(*every)
    figure, panels = layout.panels_by_row(len(found), 2)
    scales.fit_log_y(panels, [*ratios, 0.8, 1.25])
    for panel, (program, lines) in zip(panels, found.items()):
        scales.fit_log(panel.xaxis, lengths, most=6)
        for name, line in lines.items():
            layout.draw_line(
                panel, [length for length, _ in line], [exactly(ratio) for _, ratio in line],
                layout.series_style(names.index(name), name))
        panel.axhline(1, color="black", linewidth=0.9, zorder=1)
        panel.set_title(program)
        panel.grid(which="major")
    layout.label_rows(panels, 2, "time / that of the persistent kernel")
    together = layout.together(list(own.values()))
    return layout.finish(
        figure, "Other forms of a round against a persistent kernel, by the length of a level "
        f"({together.gpu_name})",
        "Below 1 the other form is faster. Each point is a graph or a number of words. x: the time "
        "of a round and its barrier in the persistent kernel with the fastest barrier. Medians.",
        together, layout.legend_of(panels), "us a level")
