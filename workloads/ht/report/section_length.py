"""ASPLOS'19 figure 9, hash table: run time as the critical section grows."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync_results.figures import section_length
from finesync_results.loading import Results
from finesync_results.points import select
from finesync_results.workload import Drawing

from . import inserts


def draw(results: Results) -> Figure | None:
    """A panel per primitive, locks packed."""
    return section_length.draw(
        results, select(inserts.measured(results), lock_padding="packed", section="push"),
        inserts.inserts(results), "Hash-table insertion")


SECTION_LENGTH = Drawing("section_length",
                         "a primitive with arithmetic added to the critical section", draw)
