"""The check of figures rejects faults that are planted, one each, and no figure of ours has any."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import accepted
import matplotlib.pyplot as plt
import pytest
import synthetic
import synthetic_sync
from finesync.figures import layout, originals, scales, shared
from finesync.figures.layout import series_style
from finesync.figures.legibility import findings
from finesync.figures.scales import Failure
from finesync.figures.styles import Style, Styles
from finesync.query.numbers import exactly
from finesync.query.points import Spread
from finesync.results import originals as recorded_originals
from finesync.results.loading import Results, load_once
from finesync.results.registry import workload_named, workload_of
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

DASHES = ("-", "--", "-.", ":")


def lines(number: int = 3, *styles: Style) -> Axes:
    """A legible panel of so many lines, or of some styles."""
    _, axes = plt.subplots(figsize=(layout.WIDTH_IN, 4))
    for place, style in enumerate(styles or map(series_style, range(number), "abcdefghijkl")):
        layout.draw_line(axes, [0, 1, 2], [Spread(*[10.0 * where + place] * 3) for where in (1, 2, 3)], style)
    axes.set_xticks(range(3), ["8", "16", "32"])
    axes.set_title("times")
    return axes


def with_texts(*texts: tuple[float, float, str], **changes: Any) -> Axes:
    """Such a panel with words in it; `changes` are of all of them, or of each."""
    axes = lines()
    for number, (x, y, word) in enumerate(texts):
        axes.text(x, y, word, **{name: of[number] if isinstance(of, list) else of for name, of in changes.items()})
    return axes


def titled(title: str, **changes: Any) -> Axes:
    axes = lines()
    axes.set_title(title, **changes)
    return axes


def limited(**limits: Any) -> Axes:
    axes = lines()
    axes.set(**limits)
    return axes


def two_ticks_of_a_log_axis() -> Axes:
    axes = lines()
    axes.set_yscale("log")
    axes.minorticks_off()
    axes.set_ylim(9, 101)
    axes.plot([0, 2], [11, 100], color="black", marker="x", linestyle="--", label="x")
    return axes


def twelve_lines() -> Axes:
    return lines(0, *(Style(str(place), f"#{place * 20:02x}0000", (place + 3, 1, 0), "",
                            DASHES[place % 4]) for place in range(12)))


def twelve_lines_without_labels() -> Axes:
    axes = lines()
    for place in range(12):
        axes.plot([0, 1, 2], [place + 10, place + 15, place + 20], color="#123456")
    return axes


def two_colours(*colours: str) -> Axes:
    return lines(0, *(Style(name, colour, marker, "", "-")
                      for name, colour, marker in zip(("red", "other"), colours, "os")))


def two_bars(*looks: tuple[str, str]) -> Axes:
    _, axes = plt.subplots()
    for place, (colour, hatch) in enumerate(looks):
        axes.bar(place, 3, color=colour, hatch=hatch, label=str(place))
    return axes


def whole_split() -> Axes:
    axes = two_bars(("#111111", ""), ("#eeeeee", "//"))
    for place in range(2):
        axes.annotate("100 %", (place, 3), ha="center", va="bottom")
    axes.set_ylim(0, 4)
    return axes


def nine_bars(step: float, hidden: int = 9) -> Axes:
    """Bars each higher than the last by a share; without ticks, and with a cross in the place of one."""
    _, axes = plt.subplots()
    for place in range(9):
        style = Style(str(place), f"#{place * 25:02x}0000", "", "/" * place, "")
        number = "wrong" if place == hidden else exactly(10 * (1 + step) ** place)
        layout.draw_number(axes, place, 1, number, style)
    axes.set_xticks([])
    return axes


def two_rows(*silent: int) -> Axes:
    """Four panels in two rows, and two below each other; these have no tick labels."""
    _, grid = plt.subplots(2, 2, layout="constrained")
    for number, axes in enumerate(grid.flat):
        axes.plot([0, 1, 2], [1, 2, 3], marker="o")
        axes.set_title(str(number))
        axes.tick_params(labelbottom=number not in silent)
    return grid[0][0]


@pytest.mark.parametrize(("make", "words"), [
    (lambda: with_texts((0.5, 20, "one label"), (0.55, 20, "another")), "'one label' overlaps 'another'"),
    (lambda: with_texts((0.5, 20, "from the left"), (0.5, 22, "and downwards"), rotation=[30, -30]),
     "'from the left' overlaps 'and downwards'"),
    (lambda: with_texts((1, 20, "here"), ha="center", va="center"), "'here' lies on a marker"),
    (lambda: with_texts((0.5, 30, "6 points"), fontsize=6), "6 pt is too small: '6 points'"),
    (lambda: titled("a title that is much too long for the figure that it stands above " * 2), "leaves the figure"),
    (lambda: titled("a title that is much too long for its figure and leaves it at the right\n" * 2, loc="left",
                    fontsize=20), "leaves the figure"),
    (lambda: limited(yticks=[10, 30]), "2 tick labels on its y axis"),
    (two_ticks_of_a_log_axis, "2 tick labels on its y axis"),
    (twelve_lines, "12 lines"), (twelve_lines_without_labels, "15 lines"),
    (lambda: limited(ylim=(0, 100)), "data in 22 % of its height"),
    (lambda: two_colours("#d62728", "#2f6fb2"), "red and other look alike in grey"),
    (lambda: two_colours("#d31933", "#4a9d23"), "red and other look alike with deuteranopia"),
    (lambda: two_bars(("#d62728", "//"), ("#2f6fb2", "//")), "0 and 1 look alike in grey"),
    (whole_split, "every bar says 100 %"),
    (lambda: nine_bars(0.001), "9 bars are level"), (lambda: nine_bars(0.1, hidden=4), "no legend has the cross at 4"),
    (lambda: two_rows(0), "0: no tick labels on its x axis"), (lambda: two_rows(3), "3: no tick labels on its x axis"),
    (lambda: limited(yticks=[10, 20, 30], yticklabels=[]), "times: no tick labels on its y axis")])
def test_a_planted_fault_is_found(make: Callable[[], Axes], words: str) -> None:
    found = findings(make().figure)
    assert found and words in found[0]
    assert len(found) == 1 or words == "leaves the figure"  # a line each


def turned_labels_beside() -> Axes:
    axes = lines()
    for place in range(12):
        axes.text(0.2 + place / 8, 12, "a long label", rotation=60)
    return axes


def two_values_and_a_label_each() -> Axes:
    axes = lines()
    for line in axes.lines:
        line.set_data(line.get_xdata()[:2], line.get_ydata()[:2])
    axes.collections.clear() if isinstance(axes.collections, list) else None
    axes.set_xticks([0, 1], ["10", "100"])
    axes.set_ylim(9.5, 22.5)
    return axes


def twelve_lines_with_labels_at_them() -> Axes:
    axes = twelve_lines()
    for place in range(12):
        axes.text(2.2, 19 + 2 * place, str(place))
    return axes


def alike_but_for_marker_and_dashes() -> Axes:
    return lines(0, Style("one", "#2f6fb2", "s", "", "-"), Style("other", "#2f6fb2", "o", "", ":"))


def data_shared_with_the_next_panel() -> Axes:
    _, (left, right) = plt.subplots(1, 2, sharey=True)
    left.plot([0, 1, 2], [1, 2, 3], marker="o")
    right.plot([0, 1, 2], [90, 95, 100], marker="o")
    return left


@pytest.mark.parametrize("make", [
    lines, turned_labels_beside, two_values_and_a_label_each, twelve_lines_with_labels_at_them,
    alike_but_for_marker_and_dashes, data_shared_with_the_next_panel, lambda: nine_bars(0.1), lambda: two_rows(0, 1)])
def test_a_legible_figure_has_no_finding(make: Callable[[], Axes]) -> None:
    assert findings(make().figure) == []


@pytest.mark.parametrize(("program", "name"), [("atm", "escrow"), ("maxflow", "server_worklist"),
                                               ("maxflow", "in_queue_flag")])
def test_a_marker_of_strokes_is_not_paler_than_its_line(program: str, name: str) -> None:
    workload = workload_named(program)
    (line,) = lines(0, Styles(*workload.families, program=program)[name]).lines[:1]
    assert line.get_markeredgecolor() == line.get_color()
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
              for value in to_rgb(line.get_color())]
    assert 1.05 / (sum(map(operator.mul, (0.2126, 0.7152, 0.0722), linear)) + 0.05) >= 3  # WCAG's contrast


@pytest.mark.parametrize("ends", [(1.0, 1.0), (2.05, 8.9), (4300.0, 7100.0), (0.02, 700.0),
                                  (1e-4, 1e5), (0.99, 1.31), (5.0, 52.0)])
def test_a_log_axis_has_three_labels_and_few_decades_to_spare(ends: tuple[float, float]) -> None:
    _, axes = plt.subplots()
    scales.fit_log_y([axes], ends)
    low, high = axes.get_ylim()
    assert low <= min(ends) and max(ends) <= high
    assert 3 <= sum(low <= tick <= high for tick in axes.get_yticks()) <= 9


def test_failures_alike_share_a_row_and_a_word_stands_beside_it() -> None:
    axes = lines()
    failed = [Failure(place, "timed out", marker, "#000000") for marker in ("o", "s") for place in (4, 5)]
    assert scales.mark_failures(axes, failed, 6, on_top=True) == 1
    assert scales.mark_failures(axes, [*failed, Failure(5, "hung", "v", "#000000")], 6) == 2
    everywhere = [Failure(place, "hung", marker, "#000000") for place in range(3) for marker in "oxvs^"]
    assert scales.mark_failures(axes, everywhere, 3) == 3  # the word, and five crosses abreast
    assert [note.get_text() for note in axes.texts] == ["timed out", "timed out", "hung", "hung"]


def drawn(results: Results) -> Iterator[tuple[str, Figure]]:
    """All figures of one results file."""
    workload = workload_of(results)
    for drawing in workload.figures.get(results.kind, ()) if workload else ():
        figure = drawing.draw(results)
        if figure is not None:
            yield f"{results.name}-{drawing.name}", figure


def of_folder(paths: list[Path]) -> Iterator[tuple[str, Figure]]:
    """All figures of the files of a folder."""
    loaded = [load_once(path) for path in paths]
    for results in loaded:
        yield from drawn(results)
    for one in shared.draw([results for results in loaded if results.on_gpu], mix_revisions=True):
        if one.figure is not None:
            yield one.name, one.figure
    for own in recorded_originals.all_below(accepted.RESULTS):
        if own.folder.name == paths[0].parent.name:
            yield from originals.drawings(own, loaded)


def faults_of(figures: Iterator[tuple[str, Figure]], seen: dict[str, str]) -> list[str]:
    """What is wrong with them; `seen` gets their digests."""
    found = []
    for name, figure in figures:
        found += [f"{name}: {one}" for one in findings(figure)]
        seen[name] = accepted.of_figure(figure)
        plt.close(figure)
    return found


@pytest.mark.parametrize("folder", accepted.folders("host-executor"))
def test_all_that_is_recorded_is_drawn_legibly_and_as_accepted(folder: Path, accept: bool) -> None:
    seen: dict[str, str] = {}
    assert faults_of(of_folder(sorted(folder.glob("*.json.gz"))), seen) == []
    accepted.compare(accept, "figures", seen, folder / "expected" / "figures.json")


def test_made_up_results_are_drawn_legibly_and_as_accepted(tmp_path: Path, accept: bool) -> None:
    documents = {"ht": synthetic.gpu_document(), "servers": synthetic.server_document(),
                 "moved": synthetic.traffic_document(), "host": synthetic.host_document(),
                 **{f"{program}-counts": synthetic_sync.counts(program) for program in synthetic_sync.PROGRAMS},
                 **{program: make() for program, make in synthetic_sync.GPU.items()}}
    paths = [synthetic.write(tmp_path / f"{name}.json", document) for name, document in documents.items()]
    seen = {f"{path.stem}.{name}": said for path in paths
            for name, said in accepted.of_results(load_once(path)).items()}
    assert faults_of(of_folder(paths), seen) == []
    accepted.compare(accept, "made-up", seen)
