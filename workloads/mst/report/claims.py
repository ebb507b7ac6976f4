"""What ASPLOS'19 says of minimum spanning trees, and what decides it here."""

from __future__ import annotations

from collections.abc import Mapping

from finesync_results.claims import verdict
from finesync_results.loading import Results
from finesync_results.markdown import three_digits
from finesync_results.points import of, select, values
from finesync_results.workload import Claim

from .times import PRINTED, locks, measured, over


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """That of section 1, that locks in global memory are what holds the program up."""
    if "mst_gpu" not in recorded:
        return []
    points = measured(recorded["mst_gpu"])
    found = {}
    for name in values(points, "input"):
        own = select(points, input=name)
        gain = over(of(own, PRINTED), of(own, *locks(points)))
        if gain:
            found[name] = gain.median
    return [Claim("minimum spanning trees lose most of their time to locks as printed",
                  "servers take 0.11 (rmat22) and 0.13 (r4-2e23) of its time",
                  verdict([gain > 1 for gain in found.values()], "tuned locks are " + ", ".join(
                      f"{three_digits(gain)}x as fast ({name})" for name, gain in found.items())))]
