"""The locks of a pair where they stood in ASPLOS'19: at the grid that passes a lock on nearest to as
fast as published. At their best grid ours may be many times as fast as the paper's."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..papers import published
from ..query.numbers import Missing
from ..query.points import PointRow
from ..query.selection import Selection
from ..results.recorded import Recorded

BASELINE = "lock"  # the role
_LATENCY = "lock_transfer_cycles"
_WITHIN = 2.0  # a grid that is further off says nothing of the paper's


@dataclass(frozen=True)
class OperatingPoint:
    """A recorded launch of the locks, and the cycles that the paper has for them."""

    launch: PointRow
    published: float

    @property
    def cycles(self) -> float:
        return float(self.launch[_LATENCY])

    def __str__(self) -> str:
        ran = self.launch["effective"]
        return (f"{ran['blocks']:,} blocks of {ran['threads_per_block']:,} threads, {self.cycles:,.0f} cycles, "
                f"published {self.published:,.0f}")


def of_pair(pair: str, recorded: Recorded, locks: Selection) -> OperatingPoint:
    """The launch of these locks, of all that ended; Missing says why none stands for the paper's."""
    if pair not in published.latencies():
        raise Missing("no published latency")
    theirs = published.latencies()[pair]["baseline"]
    # A launch that did not end has no numbers.
    timed = [OperatingPoint(launch, theirs) for launch in recorded.points(locks, "gpu")
             if launch.median(_LATENCY) is not None]
    if not timed:
        raise Missing(f"{locks.form}: rows without {_LATENCY}")
    nearest = min(timed, key=_factor)
    if _factor(nearest) > _WITHIN:
        raise Missing(f"no grid within a factor of {_WITHIN:g} of the published latency; nearest: {nearest}")
    return nearest


def _factor(point: OperatingPoint) -> float:
    return math.exp(abs(math.log(point.cycles / point.published)))
