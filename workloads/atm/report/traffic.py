"""Traffic as ncu counted it: figure 8 and table 2 of ASPLOS'19, bank transfers."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync_results import net_traffic, published
from finesync_results.figures import traffic
from finesync_results.loading import Results
from finesync_results.markdown import Table
from finesync_results.workload import Drawing

from .transfers import LISTING_3, SERVERS

COMPARISON = net_traffic.Comparison(
    program=published.BANK, section="transfer", operation="transfer", servers=SERVERS,
    baselines=(LISTING_3, "all_or_none"))


def traffic_tables(results: Results) -> list[Table]:
    """For whole kernels and net of the section, traffic over that of locks, and per transfer."""
    return net_traffic.tables(results, COMPARISON)


def draw(results: Results) -> Figure | None:
    """Traffic of servers in percent of that of locks."""
    return traffic.draw(results, COMPARISON, "Bank transfers", "accounts")


TRAFFIC = Drawing("traffic", "traffic of a server and of a lock", draw)
