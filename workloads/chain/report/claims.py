"""What ICS'15 says of synchronization between the threads of a block, and what decides it here.

Lock bits are gone from the hardware: `full_empty` stands for tiny-lock, a word for a bit.
"""

from __future__ import annotations

from collections.abc import Mapping

from finesync_results import published
from finesync_results.claims import verdict
from finesync_results.loading import Results
from finesync_results.points import Points, each, of, select, values
from finesync_results.workload import Claim

from .cycles import BASELINE, PAPER, cycles, from_warp_to_warp, measured

_TINY_LOCK, _WARP_BARRIER, _VOTE, _SHARED = "full_empty", "named_barrier", "vote", "shared_spin"


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """The claims of its sections 4 and 5."""
    results = recorded.get("chain_gpu")
    if results is None:
        return []
    points = from_warp_to_warp(measured(results))
    theirs = published.ics15()["table2_speedup_over_atom_lock"]
    headline = published.ics15()["headline"]
    tiny_lock = speedup(points, _TINY_LOCK)
    return [
        _at_least("tiny-lock is faster than the spin lock per thread",
                  theirs[PAPER[_TINY_LOCK]], tiny_lock, 1),
        _at_least("tiny-lock is faster than the pair of warp barriers",
                  headline["tiny_over_warp_barrier"],
                  speedup(points, _TINY_LOCK, _WARP_BARRIER), 1),
        _at_least("the pair of warp barriers is faster than the spin lock per thread",
                  theirs[PAPER[_WARP_BARRIER]], speedup(points, _WARP_BARRIER), 1),
        _between("a lock bit shared by voting is faster than the spin lock, slower than tiny-lock",
                 theirs[PAPER[_VOTE]], speedup(points, _VOTE), 1, tiny_lock),
        _between("a spin lock shared by a warp is slower than one per thread",
                 theirs[PAPER[_SHARED]], speedup(points, _SHARED), 0, 1),
        Claim("tiny-lock needs no shared memory beside the tokens, the spin lock a word per thread",
              "0 and {:,} bytes".format(
                  published.ics15()["table1_resource_cost"]["atom_lock"]["shared_bytes"]),
              _bytes(points)),
        Claim("a chain through the lanes of one warp costs up to 32 times one from warp to warp",
              "up to 32x", _through_lanes(measured(results))),
    ]


def speedup(points: Points, who: str, base: str = BASELINE) -> float | None:
    """How many times as fast one scheme is as another."""
    own, other = cycles(of(points, who)), cycles(of(points, base))
    return other.median / own.median if own and other else None


def _at_least(claim: str, theirs: float, ours: float | None, least: float) -> Claim:
    return Claim(claim, f"{theirs}x", verdict([] if ours is None else [ours > least],
                                              f"{ours or 0:.2f}x"))


def _between(claim: str, theirs: float, ours: float | None, low: float,
             high: float | None) -> Claim:
    known = ours is not None and high is not None
    return Claim(claim, f"{theirs}x", verdict([low < ours < high] if known else [],
                                              f"{ours or 0:.2f}x"))


def _bytes(points: Points) -> str:
    found = {point["primitive"]: point["ran"]["sync_bytes"]
             for point in each(of(points, _TINY_LOCK, BASELINE)) if point["ran"]}
    if len(found) < 2:
        return verdict([], "")
    return verdict([found[_TINY_LOCK] == 0 < found[BASELINE]],
                   f"{found[_TINY_LOCK]:,} and {found[BASELINE]:,} bytes")


def _through_lanes(points: Points) -> str:
    here = of(select(points, warps=max(values(points, "warps"), default=None)), _TINY_LOCK)
    far, near = (cycles(select(here, distance=distance)) for distance in (32, 1))
    if not far or not near:
        return verdict([], "")
    ratio = near.median / far.median
    return verdict([ratio <= 32], f"{ratio:.1f}x (`{_TINY_LOCK}`)")
