"""The numbers of items that compare applications by contention: a panel for each application, with
the speed-ups of forms over one of them at the load of each level."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..claims import ledger
from ..claims.ledger import Axes, Case
from ..papers import published
from ..query.numbers import Missing, Spread
from ..query.points import PointTable
from ..results.loading import Results
from ..results.recorded import Recorded
from .listed import Item
from .series import Ends, Group, Panel, Series, checked, not_recorded, points_of


def cases_of(item: Item) -> dict[str, Case]:
    """The item's applications by the paper's names."""
    return {pair: ledger.application(item.paper, pair) for pair in item.spec["pairs"]}


def results_of(item: Item, recorded: Recorded) -> dict[str, Results]:
    """The results of the applications that are recorded, by the same names."""
    found = {pair: recorded.find(case.program, "gpu") for pair, case in cases_of(item).items()}
    return {pair: results for pair, results in found.items() if results is not None}


def groups(item: Item, recorded: Recorded) -> list[Group]:
    """The groups of the item. A group at other loads than the paper's stand-ins is left out without
    rows of its own."""
    cases = {pair: case for pair, case in cases_of(item).items()
             if pair in results_of(item, recorded)}
    if not cases:
        raise Missing(not_recorded([case.program for case in cases_of(item).values()]))
    found = []
    for number, group in enumerate(item.spec["groups"]):
        panels = [_panel(item, recorded, group, pair, case) for pair, case in cases.items()]
        if not number:
            panels = [dataclasses.replace(panel, published=_published(item, panel.name))
                      for panel in panels]
        made = checked(group, panels, paper=not number)
        if not (made.without and "levels" in group):
            found.append(made)
    if len({x for panel in found[0].panels for one in panel.series for x in one.values}) < 2:
        raise Missing("only one level of contention is recorded")
    return found


def levels_of(item: Item, group: Mapping[str, Any], case: Case) -> dict[int, Axes]:
    """The axes of each level; of the levels that a group names, those with files of the paper's."""
    if "levels" not in group:
        return {int(level): axes for level, axes in case.levels.items()}
    others = ledger.documents()[item.paper]["levels"][group["levels"]]
    return {int(level): axes for level, axes in others.items()
            if isinstance(axes.get("input"), Mapping) and "input" in case.levels[level]}


def _panel(item: Item, recorded: Recorded, group: Mapping[str, Any], pair: str,
           case: Case) -> Panel:
    def points(form: str, axes: Axes) -> PointTable:
        return points_of(item, recorded, case.program, group, form, axes)

    base = item.spec["baseline"]
    levels = levels_of(item, group, case)
    found = {form: {level: _speedup(here, points(base, axes), base)
                    for level, axes in levels.items() if not (here := points(form, axes)).empty}
             for form in group["forms"]}
    return Panel({}, [Series.of(form, numbers) for form, numbers in found.items()], {}, {}, pair)


def _speedup(points: PointTable, bases: PointTable, base_form: str) -> Spread | str:
    best, base = points.fastest_time(), bases.fastest_time()
    if best is None or base is None:
        return points.failure_word() if best is None else f"without {base_form}"
    return base.over(best)


def _published(item: Item, pair: str) -> Ends:
    """The speed-ups that the paper's percentages of time saved by the form, or lost, are."""
    theirs = item.spec["published"]
    saved = {level: 1 / (1 - published.number(path) / 100)
             for level, path in theirs["saves"].get(pair, {}).items()}
    lost = {level: 1 - published.number(path) / 100
            for level, path in theirs["loses"].get(pair, {}).items()}
    return {int(level): (speedup, speedup) for level, speedup in sorted({**saved, **lost}.items())}
