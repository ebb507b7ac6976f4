"""Points of programs whose axis is how many data there are to collide at, as in ASPLOS'19."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from . import published
from .points import (Point, Points, Spread, each, failure_word, fastest, least, more_than, select,
                     spread, values)

SIZE_OF_SECTION = "cs_extra"


def of_sizes(*sizes: str) -> dict[str, dict[str, int]]:
    """Inputs of so many data, which the paper writes so: 256, 32K."""
    return {size: {"collision_factor": published.factor(size)} for size in sizes}


def counted(points: Points, operations: str) -> Points:
    """The points that were asked for, which candidates that failed while tuning were not, with
    their operations and the seconds of each."""
    number = points[operations].astype(float)
    points = points.assign(operations=number, seconds_each=points["seconds"] / number)
    return points[~points["excluded"]]


def swept(points: Points) -> Points:
    """The points of a sweep, without those that --tune chose, each at another grid."""
    return points[points["tuned"].isna()]


def by_factor(points: Points) -> dict[int, Points]:
    """The points of each collision factor."""
    return {factor: select(points, collision_factor=factor)
            for factor in values(points, "collision_factor")}


def rate(point: Point) -> Spread:
    """Operations per second of an ok point."""
    seconds = spread(point, "seconds")
    assert seconds is not None
    return seconds.inverse().scaled(point["operations"])


def best(points: Points) -> Point | None:
    """The ok point of the highest rate."""
    return least(points, "seconds_each")


def ratio(own: Points, baseline: Points) -> Spread | str:
    """The rate of the best over that of the best of the baseline, or a word for why there is no
    such number."""
    best_own, best_base = best(own), best(baseline)
    if best_own is None or best_base is None:
        return failure_word(own if best_own is None else baseline)
    return rate(best_own).over(rate(best_base))


def at_full_occupancy(points: Points, gpu: dict[str, Any]) -> Points:
    """Those that ran with as many threads or thread blocks as the SMs hold."""
    sms, blocks, threads = (gpu.get(what, math.inf) for what in
                            ("sms", "max_blocks_per_sm", "max_threads_per_sm"))
    full = [bool(ran) and (ran["blocks"] >= sms * blocks
                           or ran["blocks"] * ran["threads_per_block"] >= sms * threads)
            for ran in points["ran"]]
    return points.loc[full]


def grid_label(point: Point, gpu: dict[str, Any]) -> str:
    """The launch of a point that ran: thread blocks per SM x threads."""
    ran = point["ran"]
    blocks = ran["blocks"] / gpu["sms"]
    said = f"{blocks:.0f}" if blocks.is_integer() else f"{blocks:.1f}"
    return f"{said} x {ran['threads_per_block']}"


def grid_labels(points: Points, gpu: dict[str, Any]) -> list[str]:
    """The launches of all that ran."""
    return sorted({grid_label(point, gpu) for point in each(points) if point["ran"]})


def longer(points: Points) -> Points:
    """Of the points of a sweep, those of launches that were also run with arithmetic in the
    section, at the same collision factor. What must be the same along a line is the launch: the
    grid and, for servers, their number and rings."""
    points = swept(points)
    launches = [(primitive, *sorted(item for item in axes.items()
                                    if item[0] not in ("collision_factor", SIZE_OF_SECTION)))
                for primitive, axes in zip(points["primitive"], points["axes"])]
    points = points.assign(launch=pd.Series(launches, points.index, dtype=object))
    where = pd.Series(list(zip(points["launch"], points["collision_factor"])), points.index,
                      dtype=object)
    return points[where.isin(set(where[more_than(points, SIZE_OF_SECTION)]))]


def lengthened(line: Points) -> dict[int, Spread]:
    """Run time over that without the loop, by loop size; empty when that one failed."""
    plain = fastest(select(line, cs_extra=0))
    if plain is None:
        return {}
    good = line[line["ok"] & (line["launch"] == plain["launch"])].sort_values(SIZE_OF_SECTION)
    return {point[SIZE_OF_SECTION]: spread(point, "seconds").over(spread(plain, "seconds"))
            for point in each(good)}
