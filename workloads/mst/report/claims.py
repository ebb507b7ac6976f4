"""What ASPLOS'19 says of minimum spanning trees, and what decides it here."""

from __future__ import annotations

from collections.abc import Mapping

from finesync_results import pairs, published
from finesync_results.claims import verdict
from finesync_results.loading import Results
from finesync_results.points import Spread
from finesync_results.workload import Claim


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """That of section 5.3, about servers."""
    if "mst_gpu" not in recorded:
        return []
    shares = published.of_program("MST", published.latencies())
    holds = []
    said = []
    for pair in pairs.of_program("mst", recorded["mst_gpu"]):
        printed, best = (pairs.speedup(pair, pairs.SERVERS, base)
                         for base in (pairs.PRINTED, pairs.LOCKS))
        if isinstance(printed, Spread) and isinstance(best, Spread):
            holds.append(printed.median > 1)
            said.append(f"{1 / printed.median:.2f} of that of the printed lock, "
                        f"{1 / best.median:.2f} of the best lock's ({pair.name})")
    return [Claim("minimum spanning trees take less time with servers than with locks",
                  ", ".join(f"{entry['run_time_normalised']} of its time (MST-{graph})"
                            for graph, entry in shares.items()),
                  verdict(holds, "; ".join(said)))]
