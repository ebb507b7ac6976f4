"""ASPLOS'19 figure 9, bank transfers: run time as the critical section grows."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync_results.figures import section_length
from finesync_results.loading import Results
from finesync_results.points import select
from finesync_results.workload import Drawing

from .transfers import as_in_the_paper, transfers


def draw(results: Results) -> Figure | None:
    """A panel per primitive, accounts picked all alike."""
    return section_length.draw(results, as_in_the_paper(results),
                               select(transfers(results), skew="uniform"), "Bank transfers")


SECTION_LENGTH = Drawing("section_length",
                         "a primitive with arithmetic added to the critical section", draw)
