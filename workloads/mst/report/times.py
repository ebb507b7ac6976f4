"""Times of whole forests by graph and version: points and tables."""

from __future__ import annotations

from finesync_results import collisions, speedups
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor, by_name, three_digits
from finesync_results.points import (Points, Spread, failure_word, fastest, of, primitives, select,
                                     spread, values, with_columns)

FAMILIES = {"minima": "lock"}
BOUND = "atomic_minimum"


def measured(results: Results) -> Points:
    """All points, each of one forest."""
    return collisions.counted(with_columns(results.points, "input", "light", "seconds")
                              .assign(forests=1), "forests")


def milliseconds(points: Points) -> Spread | None:
    """Of the fastest of these."""
    point = fastest(points)
    seconds = None if point is None else spread(point, "seconds")
    return seconds.scaled(1e3) if seconds else None


def tables(results: Results) -> list[Table]:
    """Times by graph, by how many edges are light, and over locks."""
    points = measured(results)
    graphs = values(points, "input")
    if not graphs:
        return []
    here = [select(points, input=name) for name in graphs]
    rows = {who: [_cell(of(own, who)) for own in here] for who in primitives(points)}
    return [Table("times", "ms for the forest of a graph that is in the GPU's memory, each version "
                  "with the grid or the share of light edges that is best for it:",
                  by_name("graph", graphs, rows)), *_by_light(points),
            *speedups.tables(results)]


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
