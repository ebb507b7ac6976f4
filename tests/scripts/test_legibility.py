"""The check of figures rejects faults that are planted, one each, and no figure of ours has any."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
import synthetic
import synthetic_sync
from conftest import ROOT
from finesync.figures import layout, originals, scales, shared
from finesync.figures.layout import series_style
from finesync.figures.legibility import findings
from finesync.figures.scales import Failure
from finesync.figures.styles import Style
from finesync.results import originals as recorded_originals
from finesync.results.loading import Results, load_once
from finesync.results.point_table import Spread
from finesync.results.registry import workload_of
from matplotlib.axes import Axes
from matplotlib.figure import Figure

RESULTS = ROOT / "results"
DASHES = ("-", "--", "-.", ":")


def lines(number: int = 3, *styles: Style) -> Axes:
    """A legible panel of so many lines, or of some styles."""
    _, axes = plt.subplots(figsize=(layout.WIDTH_IN, 4))
    for place, style in enumerate(styles or map(series_style, range(number), "abcdefghijkl")):
        layout.draw_line(axes, [0, 1, 2], [Spread(*[10.0 * where + place] * 3)
                                           for where in (1, 2, 3)], style)
    axes.set_xticks(range(3), ["8", "16", "32"])
    axes.set_title("times")
    return axes


def bars(axes: Axes, *looks: tuple[str, str]) -> None:
    for place, (colour, hatch) in enumerate(looks):
        axes.bar(place, 3, color=colour, hatch=hatch, label=str(place))


def no_fault() -> Axes:
    axes = lines()
    axes.legend()
    return axes


def overlapping_labels() -> Axes:
    axes = lines()
    axes.text(0.5, 20, "one label")
    axes.text(0.55, 20, "another")
    return axes


def turned_labels_across() -> Axes:
    axes = lines()
    axes.text(0.5, 20, "from the left", rotation=30)
    axes.text(0.5, 22, "and downwards", rotation=-30)
    return axes


def label_on_a_marker() -> Axes:
    axes = lines()
    axes.text(1, 20, "here", ha="center", va="center")
    return axes


def clipped_title() -> Axes:
    axes = lines()
    axes.set_title("a title that is much too long for the figure that it stands above " * 2)
    return axes


def clipped_title_of_two_lines() -> Axes:
    axes = lines()
    axes.set_title("a title that is much too long for its figure and leaves it at the right\n" * 2,
                   loc="left", fontsize=20)
    return axes


def small_words() -> Axes:
    axes = lines()
    axes.text(0.5, 30, "6 points", fontsize=6)
    return axes


def two_ticks() -> Axes:
    axes = lines()
    axes.set_yticks([10, 30])
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


def data_at_the_foot() -> Axes:
    axes = lines()
    axes.set_ylim(0, 100)
    return axes


def equal_greys() -> Axes:
    return lines(0, Style("red", "#d62728", "o", "", "-"), Style("blue", "#2f6fb2", "s", "", "-"))


def equal_for_the_colour_blind() -> Axes:
    return lines(0, Style("red", "#d31933", "o", "", "-"), Style("green", "#4a9d23", "s", "", "-"))


def equal_bars() -> Axes:
    _, axes = plt.subplots()
    bars(axes, ("#d62728", "//"), ("#2f6fb2", "//"))
    return axes


def whole_split() -> Axes:
    _, axes = plt.subplots()
    bars(axes, ("#111111", ""), ("#eeeeee", "//"))
    for place in range(2):
        axes.annotate("100 %", (place, 3), ha="center", va="bottom")
    axes.set_ylim(0, 4)
    return axes


@pytest.mark.parametrize(("make", "words"), [
    (overlapping_labels, "'one label' overlaps 'another'"),
    (turned_labels_across, "'from the left' overlaps 'and downwards'"),
    (label_on_a_marker, "'here' lies on a marker"),
    (clipped_title, "leaves the figure"),
    (clipped_title_of_two_lines, "leaves the figure"),
    (small_words, "6 pt is too small: '6 points'"),
    (two_ticks, "2 tick labels on its y axis"),
    (two_ticks_of_a_log_axis, "2 tick labels on its y axis"),
    (twelve_lines, "12 lines"),
    (twelve_lines_without_labels, "15 lines"),
    (data_at_the_foot, "data in 22 % of its height"),
    (equal_greys, "red and blue look alike in grey"),
    (equal_for_the_colour_blind, "red and green look alike with deuteranopia"),
    (equal_bars, "0 and 1 look alike in grey"),
    (whole_split, "every bar says 100 %")])
def test_a_planted_fault_is_found(make: Callable[[], Axes], words: str) -> None:
    found = findings(make().figure)
    assert found and all(words in one for one in found[:1])
    assert len(found) == 1 or {make.__name__} & {"clipped_title_of_two_lines"}


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
    no_fault, turned_labels_beside, two_values_and_a_label_each, twelve_lines_with_labels_at_them,
    alike_but_for_marker_and_dashes, data_shared_with_the_next_panel])
def test_a_legible_figure_has_no_finding(make: Callable[[], Axes]) -> None:
    assert findings(make().figure) == []


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
    failed = [Failure(place, "timed out", marker, "#000000")
              for marker in ("o", "s") for place in (4, 5)]
    assert scales.mark_failures(axes, failed, 6, on_top=True) == 1
    assert scales.mark_failures(axes, [*failed, Failure(5, "hung", "v", "#000000")], 6) == 2
    everywhere = [Failure(place, "hung", marker, "#000000") for place in range(3)
                  for marker in "oxvs^"]
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
    for own in recorded_originals.all_below(RESULTS):
        if own.folder.name == paths[0].parent.name:
            yield from originals.drawings(own, loaded)


def faults_of(figures: Iterator[tuple[str, Figure]]) -> list[str]:
    found = []
    for name, figure in figures:
        found += [f"{name}: {one}" for one in findings(figure)]
        plt.close(figure)
    return found


@pytest.mark.parametrize("folder", sorted({path.parent.name
                                           for path in RESULTS.glob("*/*_*.json.gz")}))
def test_all_that_is_recorded_is_drawn_legibly(folder: str) -> None:
    assert faults_of(of_folder(sorted((RESULTS / folder).glob("*.json.gz")))) == []


def test_made_up_results_are_drawn_legibly(tmp_path: Path) -> None:
    documents = {"ht": synthetic.gpu_document(), "servers": synthetic.server_document(),
                 "moved": synthetic.traffic_document(), "host": synthetic.host_document(),
                 **{program: make() for program, make in synthetic_sync.GPU.items()}}
    assert faults_of(of_folder([synthetic.write(tmp_path / f"{name}.json", document)
                                for name, document in documents.items()])) == []
