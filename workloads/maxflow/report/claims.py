"""What ASPLOS'19 says of maximum flow, and what decides it here: its section 4.1."""

from __future__ import annotations

from collections.abc import Mapping

from finesync_results import collisions, pairs, published
from finesync_results.claims import gain_by_servers, verdict
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_name, three_digits
from finesync_results.pairs import Pair
from finesync_results.points import Points, Spread, median, of
from finesync_results.workload import Claim

from .times import BASELINE, PROGRAM

_MEAN = "mean"
_VERSIONS = {"worklist under Listing 1's locks": pairs.PRINTED,
             "worklist under the best lock": pairs.LOCKS, "servers": pairs.SERVERS,
             "the best of all": pairs.OURS}


def over_topological(pair: Pair, roles: tuple[str, ...]) -> Spread | str:
    """How many times as fast the best of some roles is as the topological version."""
    own = pair.of(*roles)
    return own if isinstance(own, str) else collisions.ratio(own, of(pair.plain, BASELINE))


def section_4_1(results: Results) -> list[Table]:
    """The ratios that the text of the paper has, where one of its meshes was run."""
    own = pairs.of_program(PROGRAM, results)
    if all(pair.plain.empty for pair in own):
        return []
    rows = {}
    for version, roles in _VERSIONS.items():
        found = [over_topological(pair, roles) for pair in own]
        known = [one.median for one in found if isinstance(one, Spread)]
        rows[version] = [one if isinstance(one, str) else f"{three_digits(one.median)}x"
                         for one in found]
        rows[version].append(f"{three_digits(sum(known) / len(known))}x"
                             if len(known) == len(own) else f"{len(known)} of {len(own)} meshes")
    theirs = published.worklist_over_topological()
    rows[f"worklist under locks, published ({published.gpu()})"] = [
        f"{theirs[_mesh(pair)]}x" for pair in own] + [f"{theirs[_MEAN]}x"]
    return [Table("asplos19-section4", f"Section 4.1: how many times as fast as `{BASELINE}`, each "
                  "at its best grid and pace; means are arithmetic, as the published one is:",
                  by_name("mesh", [*map(_mesh, own), _MEAN], rows))]


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """Those about the worklist and about what replaces it."""
    results = recorded.get(f"{PROGRAM}_gpu")
    if results is None:
        return []
    theirs = published.worklist_over_topological()
    own = pairs.of_program(PROGRAM, results)
    return [
        Claim("a worklist under locks is slower than looking at all nodes on small meshes, and "
              "faster on the largest",
              ", ".join(f"{theirs[_mesh(pair)]}x ({_mesh(pair)})" for pair in own),
              _worklist(own)),
        Claim("maximum flow gains by servers, whose messages replace locks and worklist",
              "figure 7", gain_by_servers(PROGRAM, results)),
        Claim("servers do without the rounds of a worklist", "no number", _rounds(own)),
    ]


def _mesh(pair: Pair) -> str:
    return pair.name.split("-")[1]


def _worklist(own: list[Pair]) -> str:
    theirs = published.worklist_over_topological()
    found = {_mesh(pair): over_topological(pair, pairs.PRINTED) for pair in own}
    known = {mesh: one.median for mesh, one in found.items() if isinstance(one, Spread)}
    return verdict([(ratio > 1) == (theirs[mesh] > 1) for mesh, ratio in known.items()],
                   ", ".join(f"{three_digits(ratio)}x ({mesh})" for mesh, ratio in known.items()))


def _rounds(own: list[Pair]) -> str:
    both = {_mesh(pair): [_of_the_fastest(pair.of(*roles))
                          for roles in (pairs.SERVERS, pairs.PRINTED)] for pair in own}
    known = {mesh: (servers, locks) for mesh, (servers, locks) in both.items()
             if servers is not None and locks is not None}
    return verdict([servers < locks for servers, locks in known.values()], ", ".join(
        f"{servers:,.0f} against {locks:,.0f} ({mesh})"
        for mesh, (servers, locks) in known.items()))


def _of_the_fastest(points: Points | str) -> float | None:
    best = None if isinstance(points, str) else collisions.best(points)
    return None if best is None else median(best, "rounds")
