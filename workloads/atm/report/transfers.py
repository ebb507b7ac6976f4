"""Who competes in the bank, at which rates."""

from __future__ import annotations

from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor, three_digits
from finesync_results.points import (Point, Points, Spread, failure_word, least, of, primitives,
                                     select, spread, values, with_columns)

FAMILIES = {"nested": "transfer"}
LISTING_3 = "listing3"
# How accounts are picked, as a reader hears it.
PICKS = {"uniform": "all alike", "zipf-80": "Zipf 0.8", "zipf-99": "Zipf 0.99"}
FULL_OCCUPANCY = "Listing 3 at full occupancy"


def transfers(results: Results) -> Points:
    """All points, with the seconds of one transfer."""
    points = with_columns(results.points, "collision_factor", "skew", "tbs_per_sm",
                          "threads_per_block", "transfers", "seconds")
    points = points.assign(seconds_each=points["seconds"] / points["transfers"].astype(float))
    return points[~points["excluded"]]


def best(points: Points) -> Point | None:
    """The ok point of the highest rate."""
    return least(points, "seconds_each")


def rate(point: Point) -> Spread:
    """Million transfers per second of an ok point."""
    seconds = spread(point, "seconds")
    assert seconds is not None
    return seconds.inverse().scaled(point["transfers"] * 1e-6)


def contenders(points: Points, gpu: dict[str, int]) -> dict[str, Points]:
    """The points of each line of a table: all grids of a primitive; and those of Listing 3 that
    fill the GPU, as the paper ran it."""
    lines = {name: of(points, name) for name in primitives(points)}
    listing = lines.get(LISTING_3, points[:0])
    full = [bool(ran) and ran["blocks"] * ran["threads_per_block"]
            >= gpu["sms"] * gpu["max_threads_per_sm"] for ran in listing["ran"]]
    if any(full):
        lines = {FULL_OCCUPANCY: listing.loc[full], **lines}
    return lines


def rate_tables(results: Results) -> list[Table]:
    """A table for each way to pick accounts."""
    points = transfers(results)
    tables = []
    for picks in values(points, "skew"):
        own = select(points, skew=picks)
        factors = values(own, "collision_factor")
        lines = {name: [_cell(select(line, collision_factor=factor), results.gpu)
                        for factor in factors]
                 for name, line in contenders(own, results.gpu).items()}
        tables.append(Table(
            f"rates-{picks}", "M transfers/s and, in brackets, the grid at which they are most "
            f"(thread blocks per SM x threads); accounts picked: {PICKS[picks]}.",
            by_factor("accounts", factors, lines)))
    return tables


def _cell(points: Points, gpu: dict[str, int]) -> str:
    if points.empty:
        return "not run"
    point = best(points)
    if point is None:
        return failure_word(points)
    blocks = point["ran"]["blocks"] / gpu["sms"]
    return f"{three_digits(rate(point).median)} ({blocks:.3g} x {point['ran']['threads_per_block']})"
