"""The numbers of items: groups of forms, the paper's first, then ours, as lines, bars, speed-ups of
applications by contention, or profiles of why the warps of a kernel stall, by ncu."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..claims import ledger
from ..claims.ledger import Axes, Case
from ..papers import published
from ..query.numbers import Missing, Spread
from ..query.points import PointRow, PointTable, no_points
from ..query.selection import Selection
from ..results import sync_sweeps
from ..results.asked import asked
from ..results.loading import Results
from ..results.recorded import Recorded
from ..results.registry import workload_of
from ..results.sync_tables import STALLS
from .listed import Item

ORIGINALS = "the papers' own programs"
OTHERS = "other reasons"
_NO_VALUE = "no number"
Ends = dict[Any, tuple[float, float]]


@dataclass
class Series:
    """The numbers of one form, by the value of an axis; and for those without one why."""

    form: str
    values: dict[Any, Spread] = field(default_factory=dict)
    failed: dict[Any, str] = field(default_factory=dict)

    @classmethod
    def of(cls, form: str, found: Mapping[Any, Spread | str]) -> Series:
        """The series of numbers, and of words where there is none."""
        return cls(form, {x: one for x, one in found.items() if isinstance(one, Spread)},
                   {x: one for x, one in found.items() if isinstance(one, str)})


@dataclass(frozen=True)
class Panel:
    """Series of one group at the same axes. `rest` is the time of the same kernel without synchronization; `published`
    bounds what the paper gives for one form. `name`: the application's, where panels are of several."""

    where: Mapping[str, Any]
    series: list[Series]
    rest: dict[Any, float]
    published: Ends
    name: str = ""


@dataclass(frozen=True)
class Group:
    """A title and panels. Without any rows, `without` says which forms lack them."""

    title: str
    panels: list[Panel]
    without: str = ""


@dataclass
class Profile:
    """The percentages of each reason by thread blocks per SM; without any, `without` says why."""

    title: str
    form: str
    shares: dict[int, dict[str, float]] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    without: str = ""


def lines(item: Item, recorded: Recorded) -> list[Group]:
    """The groups of an item with lines. The paper's forms must all have rows."""
    spec = item.spec
    found: list[Group] = []
    for number, group in enumerate(_groups(item, recorded)):
        panels = [_panel(item, recorded, group, where, with_published=not number) for where in spec.get("panels", [{}])]
        found.append(checked(group, panels, paper=not number))
    found += _originals(item, recorded)
    base = spec.get("relative_to")
    if base:
        _divide(found, [next((one for one in panel.series if one.form == base), Series(base))
                        for panel in found[0].panels])
    if len({x for panel in found[0].panels for one in panel.series for x in one.values}) < 2:
        raise Missing(f"only one value of {spec['over']} is recorded")
    return found


def _groups(item: Item, recorded: Recorded) -> list[Mapping[str, Any]]:
    """What is listed: the paper's group, then ours, to which belongs what is asked for, then others."""
    paper, *others = item.spec["groups"]
    more = asked([own for file in item.files if (own := recorded.find(*file.split("/")))])
    return [paper, *({**group, "forms": [*dict.fromkeys([*group["forms"], *(more if not number else [])])]}
                     for number, group in enumerate(others))]


def _originals(item: Item, recorded: Recorded) -> list[Group]:
    """The group of the papers' own programs, if those that the paper's forms are written after were
    measured. They have times alone, some of them at another size of thread blocks."""
    spec, theirs = item.spec, recorded.originals
    group = spec["groups"][0]
    if theirs is None or spec.get("number") or spec.get("relative_to") \
            or not set(_names(group)) & theirs.forms_of(spec["program"]):
        return []
    alone = Recorded(recorded.name, lambda program, kind: theirs.results(program))
    shared = theirs.shared_axes(spec["program"])
    threads = shared.get("threads_per_block", _usual(item, spec["program"])["threads_per_block"])
    own = {**group, "title": f"{ORIGINALS}, {threads} threads", "usual": {**group.get("usual", {}), **shared}}
    panels = [_panel(item, alone, own, where, with_published=False) for where in spec.get("panels", [{}])]
    found = checked(own, panels, paper=False)
    return [] if found.without else [found]


def _names(group: Mapping[str, Any]) -> list[str]:
    """The primitives of a group's forms."""
    return [form.removesuffix("_backoff") for form in group["forms"]]


def _divide(groups: list[Group], bases: list[Series]) -> None:
    """Makes all numbers multiples of those of one form, in the same place among the panels. A point
    at which that form was not run is left out."""
    base_of = [(base.form, {x: value.median for x, value in base.values.items()}, set(base.failed)) for base in bases]
    for group in groups:
        for panel, (name, base, failed) in zip(group.panels, base_of):
            for one in panel.series:
                one.failed = {x: why for x, why in one.failed.items() if x in base or x in failed}
                one.failed |= {x: f"without {name}" for x in one.values if x in failed}
                one.values = {x: value.scaled(1 / base[x]) for x, value in one.values.items() if x in base}


def bars(item: Item, recorded: Recorded) -> list[Group]:
    """The groups of an item with bars: series with one value."""
    spec = item.spec
    found = []
    for place, group in enumerate(_groups(item, recorded)):
        series = []
        for form in group["forms"]:
            points = points_of(item, recorded, spec["program"], group, form, spec["where"])
            number = points.with_columns(*spec["number"]).first_spread(*spec["number"])
            series.append(Series.of(form, {} if points.empty else {form: number}))
        panel = Panel({}, series, {}, {} if place else _published_bars(spec, series))
        found.append(checked(group, [panel], paper=not place))
    return found


def cases_of(item: Item) -> dict[str, Case]:
    """The item's applications by the paper's names."""
    return {pair: ledger.application(item.paper, pair) for pair in item.spec["pairs"]}


def results_of(item: Item, recorded: Recorded) -> dict[str, Results]:
    """The results of the applications that are recorded, by the same names."""
    found = {pair: recorded.find(case.program, "gpu") for pair, case in cases_of(item).items()}
    return {pair: results for pair, results in found.items() if results is not None}


def by_contention(item: Item, recorded: Recorded) -> list[Group]:
    """The groups of an item that compares applications by contention: a panel for each, with the speed-ups of
    forms over one of them at the load of each level. A group at other loads than the paper's stand-ins is
    left out without rows of its own."""
    cases = {pair: case for pair, case in cases_of(item).items() if pair in results_of(item, recorded)}
    if not cases:
        raise Missing(not_recorded([case.program for case in cases_of(item).values()]))
    found = []
    for number, group in enumerate(_groups(item, recorded)):
        panels = [_application(item, recorded, group, pair, case) for pair, case in cases.items()]
        if not number:
            panels = [dataclasses.replace(panel, published=_published_speedups(item, panel.name)) for panel in panels]
        made = checked(group, panels, paper=not number)
        if not (made.without and "levels" in group):
            found.append(made)
    if len({x for panel in found[0].panels for one in panel.series for x in one.values}) < 2:
        raise Missing("only one level of contention is recorded")
    return found


def profiles(item: Item, recorded: Recorded) -> list[Profile]:
    """The paper's form and ours. The paper's must have rows."""
    found = [_profile(item, recorded, group) for group in item.spec["groups"]]
    if found[0].without:
        raise Missing(found[0].without)
    return found


def checked(group: Mapping[str, Any], panels: list[Panel], paper: bool) -> Group:
    """The group, without the forms that have no rows anywhere."""
    lacking = [form for place, form in enumerate(group["forms"])
               if not any(panel.series[place].values or panel.series[place].failed
                          for panel in panels)]
    if lacking and paper:
        raise Missing(not_recorded(lacking))
    left = [dataclasses.replace(panel, series=[one for one in panel.series
                                               if one.form not in lacking]) for panel in panels]
    if not any(one.values for panel in left for one in panel.series):
        if paper:
            raise Missing("no point ended well")
        return Group(group["title"], left, not_recorded(lacking) if lacking else _NO_VALUE)
    return Group(group["title"], left)


def not_recorded(names: list[str]) -> str:
    """The words for forms without rows."""
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not recorded"


def _panel(item: Item, recorded: Recorded, group: Mapping[str, Any], where: Mapping[str, Any],
           with_published: bool) -> Panel:
    spec = item.spec
    number = spec.get("number", "time")
    series = []
    rest: dict[Any, float] = {}
    for form in group["forms"]:
        points = points_of(item, recorded, spec["program"], group, form, {**spec.get("where", {}), **where})
        by_x = {x: points.where(points[spec["over"]].eq(x)) for x in points.values(spec["over"])}
        series.append(Series.of(form, {x: _value(here, number) for x, here in by_x.items()}))
        for x in series[-1].values if number != "time" else ():
            alone = sync_sweeps.unsynchronized(by_x[x].fastest_point())
            if alone is not None:
                rest.setdefault(x, alone * 1e6)
    claimed = spec.get("published") if with_published else None
    return Panel(where, series, dict(sorted(rest.items())), _published_band(claimed, series) if claimed else {})


def points_of(item: Item, recorded: Recorded, program: str, group: Mapping[str, Any], form: str,
              where: Mapping[str, Any], kind: str = "gpu") -> PointTable:
    """The points of a form at some axes, and at those of its group."""
    results = recorded.find(program, kind)
    if results is None:
        raise Missing(f"{program} is not recorded")
    selection = Selection(program, form, {**_usual(item, program), **group.get("usual", {})},
                          {**where, **group.get("where", {})})
    points = _all_points(results).of_variants(form)
    return points if points.empty else points.at(selection)


def _usual(item: Item, program: str) -> Mapping[str, Any]:
    """The axes that the ledger has for the points of a program."""
    usual: Mapping[str, Any] = ledger.documents()[item.paper].get("usual", {}).get(program, {})
    return usual


def _all_points(results: Results) -> PointTable:
    """The points that were asked for, with the names of variants."""
    workload = workload_of(results)
    if workload and workload.settings:
        return sync_sweeps.measured(results)
    points = results.points.where(~results.points["excluded"])
    return points.assign(variant=points["primitive"])


def _value(points: PointTable, number: str) -> Spread | str:
    """Microseconds per operation of the fastest point, of all or of synchronization alone; or a word if
    there is none."""
    return points.best_time(1e6) if number == "time" else points.best(_added)


def _added(point: PointRow) -> Spread | str:
    time, rest = point.time.scaled(1e6), point.spread("unsynchronized_ns_per_operation")
    if rest is None or time.median * 1e3 <= rest.median:
        return _NO_VALUE
    left = time.minus(rest.scaled(1e-3))
    return Spread(max(left.low, 1e-9), left.median, left.high)


def _published_band(claimed: Mapping[str, str], series: list[Series]) -> Ends:
    """Where the form would be if it saved here, of the other form's number, what it saved there."""
    of = next(own for own in series if own.form == claimed["of"])
    shares = [1 - percent / 100 for percent in published.numbers(claimed["saves"]).values()]
    return {x: (value.median * min(shares), value.median * max(shares)) for x, value in of.values.items()}


def _published_bars(spec: Mapping[str, Any], series: list[Series]) -> Ends:
    """The bars that the published speed-ups over one form's bar would give here."""
    claimed = spec.get("published")
    if not claimed:
        return {}
    base = next((own.values[own.form] for own in series if own.form == claimed["over"] and own.values), None)
    theirs = published.numbers(claimed["speedups"])
    return {} if base is None else {form: (base.median / theirs[name],) * 2 for form, name in claimed["names"].items()}


def _levels_of(item: Item, group: Mapping[str, Any], case: Case) -> dict[int, Axes]:
    """The axes of each level; of the levels that a group names, those with files of the paper's."""
    if "levels" not in group:
        return {int(level): axes for level, axes in case.levels.items()}
    others = ledger.documents()[item.paper]["levels"][group["levels"]]
    return {int(level): axes for level, axes in others.items()
            if isinstance(axes.get("input"), Mapping) and "input" in case.levels[level]}


def _application(item: Item, recorded: Recorded, group: Mapping[str, Any], pair: str, case: Case) -> Panel:
    def points(form: str, axes: Axes) -> PointTable:
        return points_of(item, recorded, case.program, group, form, axes)

    base = item.spec["baseline"]
    levels = _levels_of(item, group, case)
    found = {form: {level: _speedup(here, points(base, axes), base)
                    for level, axes in levels.items() if not (here := points(form, axes)).empty}
             for form in group["forms"]}
    return Panel({}, [Series.of(form, numbers) for form, numbers in found.items()], {}, {}, pair)


def _speedup(points: PointTable, bases: PointTable, base_form: str) -> Spread | str:
    base = bases.fastest_time()
    return points.best(lambda best: base.over(best.time) if base else f"without {base_form}")


def _published_speedups(item: Item, pair: str) -> Ends:
    """The speed-ups that the paper's percentages of time saved by the form, or lost, are."""
    theirs = item.spec["published"]
    saved = {level: 1 / (1 - published.number(path) / 100) for level, path in theirs["saves"].get(pair, {}).items()}
    lost = {level: 1 - published.number(path) / 100 for level, path in theirs["loses"].get(pair, {}).items()}
    return {int(level): (speedup, speedup) for level, speedup in sorted({**saved, **lost}.items())}


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
