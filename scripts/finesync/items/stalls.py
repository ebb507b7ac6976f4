"""The numbers of items that are profiles: why the warps of a kernel stall, by ncu."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..query.numbers import Missing
from ..query.points import PointRow, no_points
from ..results.recorded import Recorded
from ..results.sync_tables import STALLS
from .listed import Item
from .series import not_recorded, points_of

OTHERS = "other reasons"


@dataclass
class Profile:
    """The percentages of each reason by thread blocks per SM; without any, `without` says why."""

    title: str
    form: str
    shares: dict[int, dict[str, float]] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    without: str = ""


def profiles(item: Item, recorded: Recorded) -> list[Profile]:
    """The paper's form and ours. The paper's must have rows."""
    found = [_profile(item, recorded, group) for group in item.spec["groups"]]
    if found[0].without:
        raise Missing(found[0].without)
    return found


def _profile(item: Item, recorded: Recorded, group: Mapping[str, Any]) -> Profile:
    program, form = item.spec["program"], group["form"]
    own = Profile(group["title"], form)
    try:
        points = points_of(item, recorded, program, group, form, item.spec["where"], "gpu_traffic")
    except Missing:
        points = no_points()
    for blocks, here in points.with_columns(*STALLS.values()).by("tbs_per_sm").items():
        good = here.ok()
        counted = good.where(good[STALLS["block barriers"]].notna())
        if not counted.empty:
            own.shares[blocks] = _shares(counted.first())
        elif good.empty:
            own.failed[blocks] = here.failure_word()
    if not own.shares:
        own.without = f"the stalls of {not_recorded([form])}".replace(" is ", " are ")
    return own


def _shares(point: PointRow) -> dict[str, float]:
    known = {reason: point.median(column) or 0.0 for reason, column in STALLS.items()}
    return {**known, OTHERS: max(100 - sum(known.values()), 0.0)}
