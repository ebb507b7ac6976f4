"""What ASPLOS'19 says of minimum spanning trees, and what decides it here."""

from __future__ import annotations

from collections.abc import Mapping

from finesync_results import published
from finesync_results.claims import gain_by_servers
from finesync_results.loading import Results
from finesync_results.workload import Claim


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """That of section 5.3, about servers."""
    if "mst_gpu" not in recorded:
        return []
    theirs = published.of_program("MST", published.latencies())
    return [Claim("minimum spanning trees take less time with servers than with locks",
                  ", ".join(f"{entry['run_time_normalised']} of its time ({graph})"
                            for graph, entry in theirs.items()),
                  gain_by_servers("mst", recorded["mst_gpu"]))]
