"""Made-up results of the applications (bfs, sssp, pagerank, reduce); none was ever measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import synthetic
from finesync.claims import ledger
from synthetic import Rows

CCG, SRB = "cooperative_groups", "sense_reversing_printed"
APPLICATIONS = {"bfs": "BFS", "sssp": "SSSP", "pagerank": "PageRank", "reduce": "reduce"}
LEVELS = (1, 2, 4, 8, 16)
# Thread blocks per SM, and how many times as fast SRB is as CCG.
Speedups = Mapping[int, float]


def point(primitive: str, microseconds: float, axes: Mapping[str, Any], share: float = 0.5,
          barriers: float = 100.0, ended: str = "ok", **numbers: float) -> Rows:
    """One run of an application; half of its time would be barriers if no block were late."""
    full = {"threads_per_block": 64, "barrier_form": "blocking", **axes}
    cost = {} if ended != "ok" else {
        "barriers": barriers, "barrier_share": share,
        "barrier_ns": microseconds * 1e3 * 0.5 / barriers}
    return synthetic.point(primitive, full, microseconds, ended, **cost, **numbers)


def by_contention(program: str, speedups: Speedups, share: float = 0.5, srb: str = SRB, levels: str = "") -> list[Rows]:
    """CCG, and SRB so many times as fast, at the loads of the thesis's levels."""
    document = ledger.documents()["thesis"]
    own = document["levels"][levels or document["pairs"][APPLICATIONS[program]]["levels"]]
    made = []
    for blocks, speedup in speedups.items():
        axes = dict(own[str(blocks)])
        if isinstance(axes.get("input"), dict):
            axes["input"] = axes["input"]["file"] + "-0123abcd"
        axes |= {"rounds": 10} if program == "reduce" else {}
        made += [point(CCG, 100.0 * blocks, axes, share), point(srb, 100.0 * blocks / speedup, axes, share)]
    return made


def barriers(speedups: Speedups) -> list[Rows]:
    """The microbenchmark, in the same way."""
    return [synthetic.point(name, {"tbs_per_sm": blocks, "ldst": 10, "load": "lines", "threads_per_block": 64}, time)
            for blocks, speedup in speedups.items()
            for name, time in ((CCG, 10.0), (SRB, 10.0 / speedup))]


def by_time_saved(*percent: float, levels: Sequence[int] = LEVELS) -> Speedups:
    """Speed-ups that save these percentages of the time; a negative one is what CCG saves."""
    return {blocks: 1 / (1 - one / 100) if one >= 0 else 1 + one / 100 for blocks, one in zip(levels, percent)}
