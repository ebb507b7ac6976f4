"""The papers' own programs (role original) and the forms printed after them, over thread blocks per
SM."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from ..claims import judge, ledger, words
from ..papers.originals import load_in_words
from ..query.points import PointTable
from ..results import sync_sweeps
from ..results.loading import Results
from ..results.originals import Form, Originals
from ..results.recorded import Recorded, of_results
from ..results.registry import workload_of, workloads
from . import layout, lines
from .styles import Style, Styles

_GRID = "tbs_per_sm"
_TIME = "seconds_per_operation"
_ORIGINAL = ", original"
_PALE = 0.45


class _StylesOfBoth(Styles):
    """The styles of originals, those of their printed forms; these are pale."""

    def __getitem__(self, name: str) -> Style:
        form = super().__getitem__(name.removesuffix(_ORIGINAL))
        if name.endswith(_ORIGINAL):
            label = form.label.replace(", as printed", "") + " (original)"
            return dataclasses.replace(form, label=label)
        pale = (1 - _PALE * (1 - channel) for channel in to_rgb(form.colour))
        return dataclasses.replace(form, colour=to_hex(tuple(pale)))


def drawings(own: Originals, ours: Iterable[Results]) -> Iterator[tuple[str, Figure]]:
    """A figure for each program whose originals ran over thread blocks per SM, by its name."""
    times = {results.program: results for results in ours if results.kind == "gpu"}
    recorded = of_results(own.gpu["name"], times.values(), own)
    for program in workloads():
        forms = [form for form in own.forms if form.program == program and form.over == _GRID]
        theirs = own.results(program)
        if forms and theirs is not None:
            yield program, _draw(own, forms, theirs, recorded)


def _draw(own: Originals, forms: list[Form], theirs: Results, recorded: Recorded) -> Figure:
    workload = workload_of(theirs)
    assert workload is not None  # forms name programs that have one
    ours = recorded.find(theirs.program, "gpu")
    panels = _panels(own, forms)
    figure, places = layout.panels_by_row(len(panels), lines.PANELS_A_ROW, one_scale=False)
    styles = _StylesOfBoth(*workload.families, program=workload.program)
    failed = False
    slots = sorted({row["axes"][_GRID] for form in forms for row in own.rows_of(form)})
    for panel, (title, load) in zip(places, panels.items()):
        both = [_named(results, form, load, mark)
                for results, mark in ((theirs, _ORIGINAL), (ours, "")) if results is not None
                for form in forms]
        points = PointTable(pd.concat(both, ignore_index=True), _TIME)
        drawn = lines.draw_panel(panel, points, points.variants(), _GRID, slots, lines.microseconds, styles)
        drawn.on_log_axis()
        failed |= drawn.failed
        panel.set_title(lines.unbroken(title, 31))
    layout.label_rows(places, lines.PANELS_A_ROW, f"us per {workload.operation}")
    suites = dict.fromkeys(own.suites[form.suite]["suite"] for form in forms)
    dissent = words.otherwise(judge.judge(claim, recorded) for claim in ledger.claims().values()
                              if claim.parts[0].cases[0].program == theirs.program)
    caption = " ".join(filter(None, [
        f"{sync_sweeps.THESIS_LOADS_AND_STORES} loads and stores. Full colours: {' and '.join(suites)} itself. "
        "Pale: our printed forms, where recorded. Medians of the repetitions; whiskers are quartiles.",
        dissent, layout.FAILURES.strip() if failed else ""]))
    return layout.finish(figure, f"Originals: {workload.program} ({theirs.gpu_name})", caption,
                         theirs, layout.legend_of(places), "thread blocks per SM")


def _panels(own: Originals, forms: list[Form]) -> dict[str, Mapping[str, Any]]:
    """The loads that originals ran with, in words; of sections that of the thesis's sweeps."""
    found: dict[str, Mapping[str, Any]] = {}
    for axes in (row["axes"] for form in forms for row in own.rows_of(form)):
        if axes.get("ldst") == sync_sweeps.THESIS_LOADS_AND_STORES:
            load = {axis: value for axis, value in axes.items() if axis not in (_GRID, "rounds")}
            found[load_in_words(load, "ldst")] = load
    return found


def _named(results: Results, form: Form, load: Mapping[str, Any], mark: str) -> pd.DataFrame:
    """The points of a form at a load, with the names of their variants."""
    workload = workload_of(results)
    assert workload is not None
    points = results.points.with_columns(_TIME).of_primitives(form.name).select(**load, **form.axes)
    return points.assign(variant=[workload.variant(form.name, own) + mark for own in points["axes"]]).frame
