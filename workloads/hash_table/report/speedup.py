"""ASPLOS'19 figure 7, hash table: speed-up of servers over locks, as published and as tuned.

In a run without servers the bars are its locks.
"""

from __future__ import annotations

from dataclasses import replace

from matplotlib.figure import Figure

from finesync_results import collisions, published
from finesync_results.figures import speedup
from finesync_results.figures.styles import Style
from finesync_results.loading import Results
from finesync_results.points import of, primitives
from finesync_results.workload import Drawing

from . import inserts
from .inserts import ANY_DATA, BEST_GRID, FULL, THE_WORD

_PANELS = speedup.Panels(
    labels={FULL: "over Listing 1 at\nfull occupancy (x)",
            BEST_GRID: "over Listing 1 at\nits best grid (x)",
            ANY_DATA: "over the best lock that\nprotects any data (x)"},
    others={FULL: (BEST_GRID, ANY_DATA, THE_WORD), BEST_GRID: (ANY_DATA, THE_WORD),
            ANY_DATA: (THE_WORD,)},
    styles={BEST_GRID: Style(BEST_GRID, "#b5b5b5", "o", "", "-"),
            ANY_DATA: Style(ANY_DATA, "#9ecae1", "d", "////", "-"),
            THE_WORD: Style(THE_WORD, "#3182bd", "d", "||||", "-")},
    named=ANY_DATA, full=FULL)


def draw(results: Results) -> Figure | None:
    """Bars by collision factor, a panel for each baseline."""
    points = inserts.inserts(results)
    servers = inserts.servers_in(points)
    bars = servers or [name for name in primitives(points) if name != inserts.LISTING_1]
    groups = collisions.by_factor(points)
    if not bars or not groups or of(points, *inserts.LOCKS).empty:
        return None
    panels = _PANELS if servers else replace(_PANELS, others=dict.fromkeys(_PANELS.labels, ()))
    return speedup.draw(
        results, panels,
        {factor: inserts.baselines(here, results.gpu) for factor, here in groups.items()},
        {factor: {name: of(here, name) for name in bars} for factor, here in groups.items()},
        "Hash-table insertion, speed-up over locks", "collision factor (elements in the pool)",
        2 if servers else 4, published.server_speedups())


SPEEDUP = Drawing("speedup", "a lock, and a server or another lock", draw)
