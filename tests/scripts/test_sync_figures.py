"""Figures of barriers, mutexes and semaphores, drawn of made-up results."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
import synthetic_sync
from finesync.figures import fairness, fastest_chart, sweeps
from finesync.figures.styles import Styles
from finesync.results import sync_sweeps
from finesync.results.loading import Results, load_results
from finesync.results.registry import workload_named
from matplotlib.figure import Figure
from synthetic_sync import point
from tables import all_ended, draw, results_of, words_of


def drawn_of(results: Results, name: str) -> Figure:
    (drawing,) = (drawing for drawing in workload_named(results.program).figures[results.kind] if drawing.name == name)
    figure = drawing.draw(results)
    assert figure is not None
    return figure


def test_one_program_alone_has_a_page_too(tmp_path: Path) -> None:
    only = load_results(synthetic.write(tmp_path / "mutex.json", synthetic_sync.mutexes()))
    words = words_of(fastest_chart.draw([only]))
    assert "Which lock?" in words and "Which barrier?" not in words


def test_without_data_a_figure_is_left_out_with_one_line(tmp_path: Path) -> None:
    swept = results_of(tmp_path, "semaphore", *(point("semaphore", "spin", 1.0, tbs_per_sm=blocks)
                                                for blocks in (1, 2))).path
    alone = results_of(tmp_path / "other", "barrier", point("barrier", "cluster", 1.0)).path
    printed = draw(str(swept), str(alone)).stdout.splitlines()
    left_out = {line.split("no figure ")[1].split(",")[0] for line in printed if line.startswith(f"{swept}: ")}
    assert left_out == {"section_length", "overhead", "fairness"}
    assert sum(line.startswith(f"{alone}: no figure ") for line in printed) == 3
    assert any(line.startswith(f"{alone.parent}: no figure fastest: it needs ") for line in printed)
    assert f"{alone.parent}: no figure thesis-figure5.4: atomic_tree_printed, " \
        "sense_reversing_printed, cooperative_groups are not recorded" in printed


@pytest.mark.parametrize("ended", ["livelock", "hung", "timed out", "skipped", "error"])
@pytest.mark.parametrize("name", ["time", "section_length", "operation_counts", "fastest"])
def test_without_one_good_point_every_gap_is_marked(name: str, ended: str, tmp_path: Path) -> None:
    made = synthetic_sync.counts("semaphore") if name == "operation_counts" else synthetic_sync.semaphores()
    results = all_ended(made, ended, tmp_path)
    figure = fastest_chart.draw([results]) if name == "fastest" else drawn_of(results, name)
    assert ended in words_of(figure)


def test_a_timeout_hangs_from_the_top_and_a_skipped_point_stands_at_the_foot(tmp_path: Path) -> None:
    results = results_of(tmp_path, "barrier", *(
        point("barrier", "cluster", 1.0, ended, tbs_per_sm=blocks)
        for blocks, ended in ((1, "ok"), (2, "hung"), (4, "timed out"), (8, "skipped"))))
    figure = drawn_of(results, "time")
    heights = {note.get_text(): note.xy[1] for note in figure.axes[0].texts}
    assert heights == {"hung": 1, "timed out": 1, "skipped": 0}


def test_the_split_is_of_the_best_run_and_never_negative(tmp_path: Path) -> None:
    points = sync_sweeps.measured(results_of(
        tmp_path, "barrier", point("barrier", "cluster", 4.0, unsynchronized_ns_per_operation=1000.0),
        point("barrier", "autotuned", 2.0, unsynchronized_ns_per_operation=2500.0),
        point("barrier", "flat_counters", 2.0)))
    cluster, autotuned, flat_counters = map(points.of_primitives, ("cluster", "autotuned", "flat_counters"))
    assert sweeps.parts(cluster) == (pytest.approx(1.0), pytest.approx(3.0))
    assert sweeps.parts(autotuned) == (pytest.approx(2.0), 0.0)
    assert sweeps.parts(flat_counters) is None and sweeps.parts(points.none()) is None


@pytest.mark.parametrize(("unsynchronized", "is_drawn"), [(4.0, False), (1500.0, True)])
def test_a_split_whose_bars_all_say_100_percent_is_dropped(
        unsynchronized: float, is_drawn: bool, tmp_path: Path) -> None:
    results = results_of(tmp_path, "barrier", *(
        point("barrier", "autotuned", 3.0, tbs_per_sm=blocks,
              unsynchronized_ns_per_operation=unsynchronized) for blocks in (1, 2)))
    (drawing,) = (drawing for drawing in workload_named("barrier").figures["gpu"] if drawing.name == "overhead")
    assert (drawing.draw(results) is not None) == is_drawn


def test_of_many_locks_the_baselines_and_the_fastest_have_a_line(tmp_path: Path) -> None:
    names = ("spin", "libcudacxx", "tas", "tas_backoff", "ttas", "ticket", "mcs", "array", "anderson", "warp_combining")
    results = results_of(tmp_path, "mutex", *(
        point("mutex", name, 20.0 - place, tbs_per_sm=blocks)
        for place, name in enumerate(names) for blocks in (1, 2)))
    figure = drawn_of(results, "time")
    shown = figure.axes[0].get_legend_handles_labels()[1]
    assert len(shown) == 8
    hidden = {Styles("locks", program="mutex")[name].label for name in ("tas", "tas_backoff")}
    assert not hidden & set(shown) and "At most 8 lines a panel" in " ".join(words_of(figure))


def test_longer_sections_are_drawn_over_the_fastest_which_is_named_below(tmp_path: Path) -> None:
    results = results_of(tmp_path, "mutex", *(
        point("mutex", name, times[ldst], ldst=ldst)
        for name, times in (("array", {10: 2.0, 100: 8.0}), ("spin", {10: 6.0, 100: 8.0}))
        for ldst in (10, 100)))
    (panel,) = drawn_of(results, "section_length").axes
    assert {tuple(line.get_ydata()) for line in panel.lines if len(line.get_xdata()) > 1
            and line.get_linestyle() != "None"} == {(1.0, 1.0), (3.0, 1.0)}
    assert [label.get_text() for label in panel.get_xticklabels()] == ["10\n2.0 us", "100\n8.0 us"]


def test_a_gini_coefficient_of_zero_is_drawn(tmp_path: Path) -> None:
    results = results_of(tmp_path, "mutex", *(
        point("mutex", "array", 1.0, tbs_per_sm=blocks, acquisitions_gini=0.0,
              acquisitions_min=7.0, acquisitions_max=8.0, wait_p99_ns=900.0) for blocks in (1, 2)))
    figure = drawn_of(results, "fairness")
    assert [list(line.get_ydata()) for line in figure.axes[1].lines][0] == [0.0, 0.0]
    assert fairness.shares_of(sync_sweeps.measured(results).first()) == (7.0, 8.0)


def test_long_sections_are_no_part_of_the_graph_over_grids(tmp_path: Path) -> None:
    results = results_of(tmp_path, "mutex", *(
        point("mutex", "array", 1.0, tbs_per_sm=blocks, ldst=ldst)
        for blocks in (1, 2) for ldst in (10, 100)))
    assert len(drawn_of(results, "time").axes) == 1
    assert list(sweeps.families(sync_sweeps.measured(results))) == ["1 TB/SM", "2 TBs/SM"]


def test_longer_sections_of_a_growing_writer_have_panels_of_their_own(tmp_path: Path) -> None:
    results = results_of(tmp_path, "semaphore", *(
        point("semaphore", name, 1.0, ldst=ldst, writer=writer)
        for name, writer in (("spin", "fixed"), ("spin_printed", "grows")) for ldst in (10, 100)))
    found = sweeps.families(sync_sweeps.measured(results))
    assert [(title, points.variants()) for title, points in found.items()] == [
        ("1 TB/SM", ["spin_backoff"]), ("growing writer, 1 TB/SM", ["spin_printed_backoff"])]
