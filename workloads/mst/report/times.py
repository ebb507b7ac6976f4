"""Times of whole forests by graph and version: points and tables."""

from __future__ import annotations

from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor, by_name, three_digits
from finesync_results.points import (Points, Spread, failure_word, fastest, of, primitives, select,
                                     spread, values, with_columns)

FAMILIES = {"minima": "forest"}
BOUND = "atomic_minimum"
# What the paper measures: each vertex locks, in every round.
PRINTED = "vertices_spin"
SERVERS = ("server_paper", "server_fast")


def measured(results: Results) -> Points:
    """All points."""
    return with_columns(results.points, "input", "light", "seconds")


def locks(points: Points) -> list[str]:
    """The primitives that are locks, but for the printed one."""
    return [name for name in primitives(points) if name not in (BOUND, PRINTED, *SERVERS)]


def milliseconds(points: Points) -> Spread | None:
    """Of the fastest of these."""
    point = fastest(points)
    seconds = None if point is None else spread(point, "seconds")
    return seconds.scaled(1e3) if seconds else None


def over(slow: Points, fast: Points) -> Spread | None:
    """How many times as fast the best of the one is as the best of the other."""
    times = milliseconds(slow), milliseconds(fast)
    return times[0].over(times[1]) if times[0] and times[1] else None


def tables(results: Results) -> list[Table]:
    """Times by graph, and by how many edges are light."""
    points = measured(results)
    graphs = values(points, "input")
    if not graphs:
        return []
    here = [select(points, input=name) for name in graphs]
    rows = {who: [_cell(of(own, who)) for own in here] for who in primitives(points)}
    best = locks(points)
    rows |= {name: [_ratio(over(of(own, *slow), of(own, *fast))) for own in here]
             for name, slow, fast in (("best lock over the printed one", (PRINTED,), best),
                                      ("servers over the printed lock", (PRINTED,), SERVERS),
                                      ("servers over the best lock", best, SERVERS),
                                      ("bound over the best lock", best, (BOUND,)))}
    return [Table("times", "ms for the forest of a graph that is in the GPU's memory, each version "
                  "with the grid or the share of light edges that is best for it:",
                  by_name("graph", graphs, rows)), *_by_light(points)]


def _by_light(points: Points) -> list[Table]:
    own = of(points, BOUND)
    shares = values(own, "light")
    if len(shares) < 2:
        return []
    return [Table("light", f"ms of `{BOUND}`, by how many edges come before all heavier ones, for "
                  "each 100 vertices; 0: all edges alike:", by_factor("light", shares, {
                      name: [_cell(select(own, input=name, light=share)) for share in shares]
                      for name in values(own, "input")}))]


def _cell(points: Points) -> str:
    found = milliseconds(points)
    return three_digits(found.median) if found else failure_word(points)


def _ratio(ratio: Spread | None) -> str:
    return "-" if ratio is None else f"{three_digits(ratio.median)}x"
