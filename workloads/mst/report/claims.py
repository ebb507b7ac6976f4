"""What ASPLOS'19 says of minimum spanning trees, and what decides it here."""

from __future__ import annotations

from collections.abc import Mapping

from finesync_results import published
from finesync_results.claims import verdict
from finesync_results.loading import Results
from finesync_results.markdown import three_digits
from finesync_results.points import of, select, values
from finesync_results.workload import Claim

from .times import PRINTED, SERVERS, locks, measured, over


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """That of section 5.3, about servers."""
    if "mst_gpu" not in recorded:
        return []
    points = measured(recorded["mst_gpu"])
    shares = published.run_time_of_trees()
    said = []
    holds = []
    for name in values(points, "input"):
        own = select(points, input=name)
        printed = over(of(own, *SERVERS), of(own, PRINTED))
        best = over(of(own, *SERVERS), of(own, *locks(points)))
        if printed:
            holds.append(printed.median < 1)
            said.append(f"{three_digits(printed.median)} of that of the printed lock"
                        + (f", {three_digits(best.median)} of the best lock's" if best else "")
                        + f" ({name})")
    return [Claim("minimum spanning trees take less time with servers than with locks",
                  ", ".join(f"{share} of its time ({graph})" for graph, share in shares.items()),
                  verdict(holds, "; ".join(said)))]
