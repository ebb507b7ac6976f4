"""Items of the papers that are lines or bars: what the paper compares in the first group of panels,
ours in the others, all with one scale. Applications by contention have a panel each."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...claims import judge, ledger, words
from ...items import series
from ...items.listed import Item
from ...items.series import Group, Panel
from ...papers import published
from ...results.loading import Results
from ...results.recorded import Recorded
from ...results.registry import workload_named
from .. import layout, scales
from ..styles import Styles, styles_of

# Inches.
_LEFT, _RIGHT, _BETWEEN, _PANEL, _FOOT = 0.72, 0.12, 0.2, 2.1, 0.42
_TITLE, _HEAD, _LINE = 0.32, 0.24, 0.165
_TITLE_LETTER = 0.083  # of a group's title
_AXES = {"tbs_per_sm": "thread blocks per SM", "ldst": "loads and stores of each thread"}
_PRINTED = ", as printed"  # which the title of a group says
_CLAIMED, _REST = "published", "without synchronization"
_BAR = 0.84
_CROSS = 0.06  # the height of a row of crosses, of a panel's


@dataclass(frozen=True)
class _Place:
    """The axes of a group's panels, and the left upper corner and columns of its legend."""

    axes: list[Axes]
    left: float
    top: float
    columns: int


def draw_lines(item: Item, recorded: Recorded) -> Figure:
    """A panel for each group, or a row of them if the item has several."""
    groups = series.lines(item, recorded)
    results = _results(item, recorded)
    styles = styles_of(results)
    spec = item.spec
    slots = sorted({x for one in _all_series(groups) for x in (*one.values, *one.failed)})
    caption = _lines_caption(item, groups, styles, recorded)
    figure, places = _panels(item, groups, styles, caption, results)
    _fill(groups, places, slots, styles, _AXES[spec["over"]])
    base = spec.get("relative_to")
    return _with_legends(figure, groups, places,
                         f"time / time of {styles[base].label}" if base else
                         f"us per {workload_named(spec['program']).operation}")


def draw_contention(item: Item, recorded: Recorded) -> Figure:
    """A row of panels for each group, a panel for each application."""
    groups = series.by_contention(item, recorded)
    own = series.results_of(item, recorded)
    results = layout.together(list(own.values()))
    styles = styles_of(results)
    slots = sorted({x for one in _all_series(groups) for x in (*one.values, *one.failed)})
    figure, places = _panels(item, groups, styles, _contention_caption(item, groups, list(own), styles), results)
    _fill(groups, places, slots, styles, _AXES["tbs_per_sm"])
    return _with_legends(figure, groups, places, f"speed-up over\n{styles[item.spec['baseline']].label} (x)")


def _fill(groups: list[Group], places: list[_Place], slots: list[Any], styles: Styles, over: str) -> None:
    """Draws the lines of all panels, over an axis of these words."""
    _scale(groups, places, 0.06)
    for group, place in zip(groups, places):
        for panel, axes in zip(group.panels, place.axes):
            _draw_lines(axes, panel, slots, styles)
            axes.set_xlabel("\n".join(filter(None, [over, _words(panel)])))
            axes.set_xticks(range(len(slots)), [f"{slot:,}" for slot in slots])
            axes.set_xlim(-0.4, len(slots) - 0.6)


def draw_bars(item: Item, recorded: Recorded) -> Figure:
    """A bar for each form, beside a hatched one where the paper has a number."""
    groups = series.bars(item, recorded)
    results = _results(item, recorded)
    styles = styles_of(results)
    caption = " ".join(filter(None, [
        "Medians; whiskers from the 5th to the 95th percentile of all rounds.",
        _hatched_bars(item, styles), _failures(groups, styles)]))
    figure, places = _panels(item, groups, styles, caption, results)
    _scale(groups, places, 0.3, from_zero=True)
    for group, place in zip(groups, places):
        _draw_bars(place.axes[0], group.panels[0], styles)
    return _with_legends(figure, groups, places, item.spec["unit"])


def _results(item: Item, recorded: Recorded) -> Results:
    results = recorded.find(item.spec["program"], "gpu")
    assert results is not None  # its rows were found
    return results


def _all_series(groups: Iterable[Group]) -> list[series.Series]:
    return [one for group in groups for panel in group.panels for one in panel.series]


def _label(form: str, styles: Styles) -> str:
    return styles[form].label.replace(_PRINTED, "")


def _legend(group: Group, styles: Styles) -> list[str]:
    """The labels of a group's legend, in its order."""
    labels = dict.fromkeys(_label(one.form, styles) for panel in group.panels for one in panel.series)
    more = ((_CLAIMED, "published"), (_REST, "rest"))
    return [*labels, *(label for label, part in more if any(getattr(panel, part) for panel in group.panels))]


def _panels(item: Item, groups: list[Group], styles: Styles, caption: str,
            results: Results) -> tuple[Figure, list[_Place]]:
    """The figure, and the place of each group: groups of one panel stand side by side, others below
    each other. Above each group there is room for its title and its legend."""
    several = max(len(group.panels) for group in groups)
    below = several > 1
    across = several if below else len(groups)
    inside = layout.WIDTH_IN - _LEFT - _RIGHT
    width = (inside - _BETWEEN * (across - 1)) / across
    figure = plt.figure(figsize=(layout.WIDTH_IN, 1))
    shapes = [layout.legend_shape(figure, _legend(group, styles), inside if below else width) for group in groups]
    titles = [textwrap.wrap(group.title, int((inside if below else width) / _TITLE_LETTER)) for group in groups]
    most = max(map(len, titles))
    heads = [_HEAD + 0.1 + _LINE * (most - 1 + rows) for _, rows in shapes]
    heads = heads if below else [max(heads)]
    title = f"{_paper(item)}, {item.said}: {item.title} ({results.gpu_name})"
    text = layout.wrapped(caption, results)
    foot = _FOOT + _LINE * below
    upper = _TITLE + layout.TITLE_LINE_IN * (len(layout.title_lines(title)) - 1)
    height = upper + sum(heads) + len(heads) * (_PANEL + foot) + layout.height_of(text)
    figure.set_figheight(height)
    layout.put_words(figure, title, text)
    places = []
    for number, (group, said, (columns, _)) in enumerate(zip(groups, titles, shapes)):
        row, first = (number, 0) if below else (0, number)
        bottom = layout.height_of(text) + foot + sum(heads[row + 1:]) + (len(heads) - row - 1) * (_PANEL + foot)
        lefts = [_LEFT + (first + place) * (width + _BETWEEN) for place in range(len(group.panels))]
        axes = [figure.add_axes((left / layout.WIDTH_IN, bottom / height, width / layout.WIDTH_IN,
                                 _PANEL / height), sharey=next(iter(figure.axes), None))
                for left in lefts]
        for one in axes:
            one.tick_params(labelleft=one is axes[0] and not first)
            one.grid(axis="y")
        top = bottom + _PANEL + heads[row]
        figure.text(lefts[0] / layout.WIDTH_IN, top / height, "\n".join(said), ha="left",
                    va="top", fontsize=9, weight="bold")
        places.append(_Place(axes, lefts[0] / layout.WIDTH_IN, (top - _HEAD - _LINE * (most - 1)) / height, columns))
    return figure, places


def _paper(item: Item) -> str:
    title = ledger.titles()[item.paper]
    return title[0].upper() + title[1:]


def _scale(groups: list[Group], places: list[_Place], above: float, from_zero: bool = False) -> None:
    """One scale of y for all panels, with room above all numbers: a share of the axis, and for crosses."""
    panels = [panel for group in groups for panel in group.panels]
    shown = [end for one in _all_series(groups) for value in one.values.values() for end in (value.low, value.high)]
    shown += [end for panel in panels for ends in panel.published.values() for end in ends]
    shown += [value for panel in panels for value in panel.rest.values()]
    low, high = min(shown), max(shown)
    crosses = max(sum(bool(one.failed) for one in panel.series) for panel in panels)
    room = 1 - above - _CROSS * crosses
    axes = places[0].axes[0]  # the others share it
    if layout.needs_log(shown):
        bottom = low / (high / low) ** (0.1 if from_zero else 0.05)
        top = bottom * (high / bottom) ** (1 / room)
        scales.log_axis(axes.yaxis, bottom, high)
        axes.set_ylim(bottom, top)
    else:
        bottom = 0.0 if from_zero else low - 0.05 * (high - low)
        axes.set_ylim(bottom, bottom + (high - bottom) / room)


def _draw_lines(axes: Axes, panel: Panel, slots: list[Any], styles: Styles) -> None:
    """The lines, and crosses at the top where one has no number."""
    rows = 0
    for one in panel.series:
        style = styles[one.form]
        if one.values:
            layout.draw_line(axes, [slots.index(x) for x in one.values],
                             list(one.values.values()), style, _label(one.form, styles))
        for x in one.failed:
            axes.plot([slots.index(x)], [1 - _CROSS * (rows + 0.5)], marker="x", markersize=5,
                      color=style.colour, transform=axes.get_xaxis_transform(), zorder=6)
        rows += bool(one.failed)
    if panel.published:
        where = [slots.index(x) for x in panel.published]
        low, high = zip(*panel.published.values())
        look = {"color": "#555555", "linewidth": 0.8, "zorder": 1, "label": _CLAIMED}
        if low == high and len(where) < len(slots):
            axes.plot(where, low, linestyle="none", marker="D", markersize=7,
                      markerfacecolor="none", markeredgewidth=1.2, **{**look, "zorder": 5})
        elif low == high:
            axes.plot(where, low, linestyle=(0, (1, 1)), **{**look, "linewidth": 1.6})
        else:
            axes.fill_between(where, low, high, facecolor="none", hatch="//////", alpha=0.7,
                              edgecolor=look.pop("color"), **look)
    if panel.rest:
        axes.plot([slots.index(x) for x in panel.rest], list(panel.rest.values()), color=layout.PALE, label=_REST)


def _draw_bars(axes: Axes, panel: Panel, styles: Styles) -> None:
    """Bars in the order of the forms, each with its value above it."""
    width = _BAR / 2 if panel.published else _BAR
    for place, one in enumerate(panel.series):
        theirs = panel.published.get(one.form)
        if one.values:
            layout.draw_bar(axes, place - (width / 2 if theirs else 0), width, one.values[one.form], styles[one.form])
        else:
            scales.mark_gap(axes, place, 0.03, one.failed[one.form])
        if theirs:
            layout.draw_published(axes, place + width / 2, width, theirs[0], _CLAIMED)
    axes.set_xticks([])
    axes.set_xlim(-0.6, max(len(panel.series), 1) - 0.4)
    axes.set_xlabel("scheme")


def _with_legends(figure: Figure, groups: list[Group], places: list[_Place], label: str) -> Figure:
    """Adds the legends, the label of y, and the reason where a group has no rows."""
    for number, (group, place) in enumerate(zip(groups, places)):
        handles, labels = layout.legend_of(place.axes)
        order = sorted(range(len(labels)), key=lambda one: labels[one] in (_CLAIMED, _REST))
        if handles:
            figure.legend([handles[one] for one in order], [labels[one] for one in order],
                          ncol=place.columns, loc="upper left", borderpad=0, borderaxespad=0,
                          bbox_to_anchor=(place.left, place.top), columnspacing=1.0,
                          handlelength=1.9, handletextpad=0.5, fontsize=8, labelspacing=0.25)
        if group.without:
            middle = place.axes[len(place.axes) // 2]
            middle.text(0.5, 0.5, textwrap.fill(group.without, 34), ha="center", va="center",
                        transform=middle.transAxes, fontsize=8, color=scales.GAP_COLOUR)
        if not number or len(place.axes) > 1:
            place.axes[0].set_ylabel(label)
    return figure


def _words(panel: Panel) -> str:
    """The name of one panel of several, or its axes."""
    return panel.name or _axes_words(panel.where)


def _axes_words(where: Mapping[str, Any]) -> str:
    blocks = where.get("tbs_per_sm")
    said = [] if blocks is None else [f"{blocks} TB{'s' * (blocks > 1)}/SM"]
    return ", ".join([*said, *(f"{axis} {value}" for axis, value in where.items() if axis != "tbs_per_sm")])


def _lines_caption(item: Item, groups: list[Group], styles: Styles, recorded: Recorded) -> str:
    spec = item.spec
    where = dict(spec.get("where", {}))
    ldst = where.pop("ldst", None)
    load = ", ".join(filter(None, ["" if ldst is None else f"{ldst:,} {_AXES['ldst']}", _axes_words(where)]))
    said = [f"{load[:1].upper()}{load[1:]}." if load else ""]
    if spec.get("number"):
        said.append("Lines: the time that synchronization adds to the same kernel without it.")
    claimed = spec.get("published")
    if claimed:
        shares = sorted(published.numbers(claimed["saves"]).values())
        to = " to ".join(dict.fromkeys(f"{share:.0f}" for share in (shares[0], shares[-1])))
        said.append(f"Published: where {_label(claimed['form'], styles)} would be if it saved "
                    f"{to} % of the number of {_label(claimed['of'], styles)}, as in the paper.")
    if any(group.title.startswith(series.ORIGINALS) for group in groups):
        said.append("Their own programs: medians, changed to run (results/originals).")
        said.append(words.otherwise(judge.judge(ledger.claim_named(claim), recorded) for claim in item.claims))
    return " ".join(filter(None, [*said, "Medians, whiskers are quartiles.", _failures(groups, styles)]))


def _contention_caption(item: Item, groups: list[Group], pairs: list[str], styles: Styles) -> str:
    """What stands for contention, and which applications are not recorded."""
    cases = series.cases_of(item)
    theirs = published.at(f"{item.paper}.graphs_by_tbs_per_sm")
    graphs = next((case.levels for case in cases.values() if all("input" in axes for axes in case.levels.values())), {})
    stand_ins = ", ".join(f"{axes['input']} for {theirs[level]} at {level}" for level, axes in graphs.items())
    others = [case.program for pair, case in cases.items() if pair not in pairs]
    claimed = _label(item.spec["published"]["form"], styles)
    return " ".join(filter(None, [
        f"By stand-in: graphs are {stand_ins} TBs/SM." if stand_ins else "",
        f"Published: the means of the paper's GPUs, {claimed}.",
        "Medians, whiskers from the quartiles of both.",
        f"Not recorded: {', '.join(others)}." if others else "", _failures(groups, styles)]))


def _hatched_bars(item: Item, styles: Styles) -> str:
    claimed = item.spec.get("published")
    return f"Published: what the speed-ups over {_label(claimed['over'], styles)} that the paper " \
        f"measured on a {published.gpu(item.paper)} would give here." if claimed else ""


def _failures(groups: list[Group], styles: Styles) -> str:
    """Which points have no number, and why."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for group in groups:
        for panel in group.panels:
            for one in panel.series:
                for x, word in one.failed.items():
                    label = styles[one.form].label
                    if group.title.startswith(series.ORIGINALS):
                        label = label.replace(_PRINTED, ", own program")
                    place = label, word, _words(panel)
                    found.setdefault(place, []).append("" if x == one.form else f"{x:,}")
    said = [" ".join(filter(None, [form, word, "at" if any(at) else "", ", ".join(at),
                                   f"({where})" if where else ""]))
            for (form, word, where), at in found.items()]
    return f"x: {'; '.join(said)}." if said else ""
