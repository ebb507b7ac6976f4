"""What ASPLOS'19 says of gradient descent, and what decides it here."""

from __future__ import annotations

from collections.abc import Mapping

from finesync_results import pairs
from finesync_results.claims import verdict
from finesync_results.loading import Results
from finesync_results.markdown import three_digits
from finesync_results.points import Spread
from finesync_results.workload import Claim


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """That of section 5.1, about servers."""
    if "sgd_gpu" not in recorded:
        return []
    gains = {pair.name: [pairs.speedup(pair, pairs.SERVERS, base)
                         for base in (pairs.PRINTED, pairs.LOCKS)]
             for pair in pairs.of_program("sgd", recorded["sgd_gpu"])}
    known = {name: [one.median for one in both if isinstance(one, Spread)]
             for name, both in gains.items() if isinstance(both[0], Spread)}
    return [Claim("gradient descent gains by servers on each input", "figure 7", verdict(
        [over_printed > 1 for over_printed, _ in known.values()],
        ", ".join(f"{three_digits(over_printed)}x over Listing 3 at its best grid, "
                  f"{three_digits(over_best)}x over the best lock ({name})"
                  for name, (over_printed, over_best) in known.items())))]
