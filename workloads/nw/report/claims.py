"""What ICS'15 says of Needleman-Wunsch, and what decides it here."""

from __future__ import annotations

from collections.abc import Mapping

from finesync_results import published
from finesync_results.claims import verdict
from finesync_results.loading import Results
from finesync_results.markdown import three_digits
from finesync_results.points import Points, of, select
from finesync_results.workload import Claim

from .times import PAPER, seconds, squares

_TINY_LOCK, _PRIVATE = "tiny_lock_shared", "tiny_lock_private"
_SPIN, _LAUNCHES = "atomic_lock", "data_parallel"
# Up to here the paper's version on lock bits beats launches, from the next size on it loses.
_LAST_AHEAD = 248


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """The claims of its section 6."""
    results = recorded.get("nw_gpu")
    if results is None:
        return []
    points = squares(results)
    return [
        Claim("cells that wait by tiny-lock are faster than by spin locks, the more the larger",
              _published(_SPIN, (31, 1984)), _over_spin(points)),
        Claim("tiny-lock is faster than launches up to a size, and slower beyond",
              _published(_LAUNCHES, (31, 248, 496, 1984)), _over_launches(points)),
        Claim("private channels are faster than shared ones, which need a third of the locks",
              "no number", _private(points)),
    ]


def _sizes(points: Points, *names: str) -> dict[int, float]:
    """Seconds of the first over those of the second, by the sizes of table 3 that both have."""
    found = {}
    for size in published.ics15()["table3_needleman_wunsch_us"]["grid"]:
        own, other = (seconds(select(of(points, name), rows=size)) for name in names)
        if own and other:
            found[size] = own.median / other.median
    return found


def _said(ratios: Mapping[int, float]) -> str:
    return ", ".join(f"{three_digits(ratio)}x ({size:,})" for size, ratio in ratios.items())


def _published(other: str, sizes: tuple[int, ...]) -> str:
    table = published.ics15()["table3_needleman_wunsch_us"]
    places = {size: table["grid"].index(size) for size in sizes}
    return ", ".join(
        f"{table[PAPER[other]][place] / table[PAPER[_TINY_LOCK]][place]:.3g}x ({size:,})"
        for size, place in places.items())


def _over_spin(points: Points) -> str:
    ratios = _sizes(points, _SPIN, _TINY_LOCK)
    if len(ratios) < 2:
        return verdict([], "")
    least, most = ratios[min(ratios)], ratios[max(ratios)]
    return verdict([least > 1, most > least], _said(ratios))


def _over_launches(points: Points) -> str:
    ratios = _sizes(points, _LAUNCHES, _TINY_LOCK)
    return verdict([(ratio > 1) == (size <= _LAST_AHEAD) for size, ratio in ratios.items()],
                   _said(ratios))


def _private(points: Points) -> str:
    ratios = _sizes(points, _TINY_LOCK, _PRIVATE)
    return verdict([ratio > 1 for ratio in ratios.values()], _said(ratios))
