"""What ASPLOS'19 says of bank transfers, and what decides it here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from finesync_results import collisions, net_traffic, published
from finesync_results.claims import ABSENT, verdict
from finesync_results.loading import Results
from finesync_results.markdown import three_digits
from finesync_results.points import Points, Spread, median, of, select
from finesync_results.workload import Claim

from .traffic import COMPARISON
from .transfers import BEST_GRID, BEST_LOCK, LISTING_3, baselines, measured, transfers

# The paper's protocol, with the data in global memory as printed, or in its messages.
_PROTOCOL = ("server_nested", "server_nested_global")
_FEW, _MANY = (256, 1024), (32768, 131072)


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """The claims of its sections 5.1 to 5.4."""
    results = recorded.get("atm_gpu")
    if results is None:
        return []
    points = select(transfers(results), skew="uniform")
    here = collisions.by_factor(points)
    bases = {factor: baselines(own, results.gpu) for factor, own in here.items()}
    times = {factor: entry["run_time_normalised"]
             for factor, entry in published.latency(published.BANK).items()}
    bows = published.speedups(published.BANK)["bows"]
    return [
        Claim("servers take less time than Listing 3",
              _listed(times, lambda value: f"{value:.2f} of its time"),
              _time_of_servers(here, bases)),
        Claim("run time follows lock-transfer latency",
              "table 3: latency falls to 0.34 and 0.75, time to 0.31 and 0.68",
              _latency_and_time(here, bases)),
        Claim("servers hand a lock over in fewer cycles than Listing 3",
              _listed(published.latency(published.BANK),
                      lambda entry: f"{entry['server']:,} against {entry['baseline']:,}"),
              _latencies(here, bases)),
        Claim("servers gain less over Listing 3 than BOWS does",
              _listed(bows, lambda value: f"{value}x by BOWS, "
                      f"{published.speedups(published.BANK)['server'][1024]}x by servers"),
              _below_bows(here, bases, bows)),
        Claim("few accounts are sensitive to longer sections, many are not", "figure 9",
              _sensitivity(results)),
        Claim("servers cause less traffic than locks, net of the sections",
              _listed(published.net_traffic(published.BANK),
                      lambda entry: f"L2 {entry['l2']} %, DRAM {entry['dram']} %"),
              _net_traffic(recorded.get("atm_gpu_traffic"))),
    ]


def _listed(values: Mapping[int, Any], say: Callable[[Any], str]) -> str:
    return ", ".join(f"{say(value)} ({factor:,})" for factor, value in values.items())


def _time_of_servers(here: Mapping[int, Points], bases: Mapping[int, Mapping[str, Points]]) -> str:
    found = {factor: [collisions.ratio(bases[factor][base], of(here[factor], *_PROTOCOL))
                      for base in (BEST_GRID, BEST_LOCK)] for factor in _FEW if factor in here}
    known = {factor: [one.median for one in ratios] for factor, ratios in found.items()
             if all(isinstance(one, Spread) for one in ratios)}
    return verdict([over[0] < 1 for over in known.values()], "; ".join(
        f"{over[0]:.2f} of that of {BEST_GRID}, {over[1]:.2f} of {BEST_LOCK}'s ({factor:,})"
        for factor, over in known.items()))


def _cycles(points: Points) -> float | None:
    best = collisions.best(points)
    return None if best is None else median(best, "lock_transfer_cycles")


def _both_cycles(here: Mapping[int, Points],
                 bases: Mapping[int, Mapping[str, Points]]) -> dict[int, tuple[float, float]]:
    """Of servers and of Listing 3, where both were timed."""
    found = {}
    for factor in _FEW:
        if factor in here:
            servers = _cycles(of(here[factor], "server_nested"))
            locks = _cycles(bases[factor][BEST_GRID])
            if servers and locks:
                found[factor] = (servers, locks)
    return found


def _latencies(here: Mapping[int, Points], bases: Mapping[int, Mapping[str, Points]]) -> str:
    found = _both_cycles(here, bases)
    return verdict([servers < locks for servers, locks in found.values()], ", ".join(
        f"{servers:,.0f} against {locks:,.0f} ({factor:,})"
        for factor, (servers, locks) in found.items()))


def _latency_and_time(here: Mapping[int, Points],
                      bases: Mapping[int, Mapping[str, Points]]) -> str:
    said = []
    holds = []
    for factor, (servers, locks) in _both_cycles(here, bases).items():
        time = collisions.ratio(bases[factor][BEST_GRID], of(here[factor], "server_nested"))
        if isinstance(time, Spread):
            holds.append((servers < locks) == (time.median < 1))
            said.append(f"latency {servers / locks:.2f}, time {time.median:.2f} ({factor:,})")
    return verdict(holds, "; ".join(said))


def _below_bows(here: Mapping[int, Points], bases: Mapping[int, Mapping[str, Points]],
                bows: Mapping[int, float]) -> str:
    found = {factor: collisions.ratio(of(here[factor], *_PROTOCOL), bases[factor][BEST_GRID])
             for factor in bows if factor in here}
    gains = {factor: one.median for factor, one in found.items() if isinstance(one, Spread)}
    return verdict([gain < bows[factor] for factor, gain in gains.items()], ", ".join(
        f"{three_digits(gain)}x ({factor:,})" for factor, gain in gains.items()))


def _sensitivity(results: Results) -> str:
    """By how much a loop of 1,000 cycles lengthens runs of Listing 3."""
    points = of(select(measured(results), skew="uniform", section="transfer"), LISTING_3)
    longer = collisions.longer(points)
    found = {factor: collisions.lengthened(own)
             for factor, own in collisions.by_factor(longer).items()}
    one = {factor: ratios[1].median for factor, ratios in found.items() if 1 in ratios}
    few, many = ([one[factor] for factor in group if factor in one] for group in (_FEW, _MANY))
    holds = [min(few) > max(many)] if few and many else []
    return verdict(holds, "with 1,000 cycles more " + ", ".join(
        f"{ratio:.2f}x ({factor:,})" for factor, ratio in one.items()))


def _net_traffic(results: Results | None) -> str:
    if results is None:
        return ABSENT
    points = net_traffic.by_extent(results, COMPARISON.section)[net_traffic.NET]
    said = []
    holds = []
    for factor, own in collisions.by_factor(points).items():
        shares = [net_traffic.percent(own, "server_nested", LISTING_3, counter)
                  for counter in net_traffic.MEMORIES.values()]
        if not any(isinstance(share, str) for share in shares):
            holds += [share < 100 for share in shares]
            said.append(", ".join(f"{memory} {share:.1f} %" for memory, share
                                  in zip(net_traffic.MEMORIES, shares)) + f" ({factor:,})")
    return verdict(holds, "; ".join(said))
