"""Traffic as ncu counted it: figure 8 and table 2 of ASPLOS'19, hash table."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync_results import net_traffic, published
from finesync_results.figures import traffic
from finesync_results.loading import Results
from finesync_results.markdown import Table
from finesync_results.workload import Drawing

from . import inserts

COMPARISON = net_traffic.Comparison(
    program=published.HASH_TABLE, section="push", operation="insert", servers=inserts.SERVERS,
    baselines=("spin", "spin_ordered"))


def traffic_tables(results: Results) -> list[Table]:
    """For whole kernels and net of the section, traffic over that of locks, and per insert."""
    return net_traffic.tables(results, COMPARISON)


def draw(results: Results) -> Figure | None:
    """Traffic of servers in percent of that of the spin locks."""
    return traffic.draw(results, COMPARISON, "Hash-table insertion", "elements in the pool")


TRAFFIC = Drawing("traffic", "traffic of a server and of the spin lock", draw)
