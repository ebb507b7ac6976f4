"""What ASPLOS'19 says of gradient descent, and what decides it here."""

from __future__ import annotations

from collections.abc import Mapping

from finesync_results.claims import gain_by_servers
from finesync_results.loading import Results
from finesync_results.workload import Claim


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """That of section 5.1, about servers."""
    if "sgd_gpu" not in recorded:
        return []
    return [Claim("gradient descent gains by servers on each input", "figure 7",
                  gain_by_servers("sgd", recorded["sgd_gpu"]))]
