"""What fences cost: tables, figure and plan, of made-up results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest
import synthetic
from conftest import ROOT
from figures import draw_all
from finesync_results.figures.styles import Styles
from finesync_results.loading import Results, load_results
from finesync_results.plan import load_plan
from finesync_results.report import tables_of
from matplotlib.text import Text
from tables import rows_below
from workloads.fence.report import WORKLOAD, cycles

(FIGURE,) = WORKLOAD.figures["gpu"]

FENCES = {"release": 1.0, "acquire": 0.9, "acq_rel": 1.1, "seq_cst": 1.2, "release_cluster": 0.4,
          "release_block": 0.02}
# Cycles of a release fence by what was touched.
COSTS = {"nothing": 32.0, "own-side": 700.0, "other-side": 1100.0, "shared-memory": 35.0}
HEADINGS = {"access": "Cycles per fence by what the SM has touched since its last one, by ",
            "who": "Cycles per release fence, by who touched and whether another warp fenced",
            "gap": "Cycles per release fence, by the cycles since the touch:"}
KINDS = ["nothing", "shared memory", "own side of the L2", "other side"]


@pytest.fixture(autouse=True)
def fixture_closed_figures() -> Iterator[None]:
    """Closes what a test has drawn."""
    yield
    plt.close("all")


def fence(primitive: str, *cycles: float, ended: str = "ok", **axes: Any) -> list[dict[str, Any]]:
    """A repetition for each median; of a thread's own store 2,000 cycles ago unless told."""
    full = {"touched": "own-side", "access": "store", "toucher": "same-thread", "cleared": "no",
            "gap": 2000, **axes}
    return [synthetic.rows(primitive, full, 1.0, 1, ended, fence_cycles_p5=own * 0.9,
                           fence_cycles_p50=own, fence_cycles_p95=own * 1.5)[0]
            for own in cycles or (0.0,)]


def planned() -> list[dict[str, Any]]:
    """A row for each combination of the plan: what another warp touches costs 5 cycles more, and
    all is cheap after a fence of another warp."""
    made: list[dict[str, Any]] = []
    for point in load_plan(ROOT / "workloads" / "fence" / "plans" / "gpu.json").points:
        for chosen in point.combinations():
            axes = {**point.options, **chosen}
            name = str(axes.pop("primitive"))
            cost = COSTS["nothing" if axes["cleared"] == "yes" else axes["touched"]] * FENCES[name]
            cost += ("load", "store", "addition").index(axes["access"])
            made += fence(name, cost + 5 * (axes["toucher"] == "other-warp"), **axes)
    return made


def results_of(folder: Path, *rows: list[dict[str, Any]], machine: str = "gpu",
               program: str = "fence") -> Results:
    """Results with these rows."""
    made = {"context": synthetic.context(machine, program=program),
            "benchmarks": [row for own in rows for row in own]}
    return load_results(synthetic.write(folder / "fence_gpu.json", made))


def words_of(results: Results) -> set[str]:
    """All that the figure says."""
    drawn = FIGURE.draw(results)
    assert drawn is not None
    return {text.get_text() for text in drawn.findobj(Text)}


def test_a_run_of_the_plan_fills_all_tables(tmp_path: Path) -> None:
    tables = tables_of(results_of(tmp_path, planned()))
    by_access = rows_below(tables, HEADINGS["access"] + "a load / a store / an addition:")
    assert by_access["touched"] == KINDS
    assert list(by_access)[2:] == list(FENCES)
    assert by_access["release"] == ["32 / 33 / 34", "35 / 36 / 37", "700 / 701 / 702",
                                    "1,100 / 1,101 / 1,102"]
    assert by_access["release_cluster"][3] == "440 / 441 / 442"
    assert rows_below(tables, HEADINGS["who"]) == {
        "a store by": [KINDS[0], *KINDS[2:]], "---": ["---"] * 3,
        "the same thread": ["33", "701", "1,101"], "another warp": ["38", "706", "1,106"],
        "the same thread, cleared by another warp": ["33"] * 3,
        "another warp, cleared by another warp": ["38"] * 3}
    assert rows_below(tables, HEADINGS["gap"]) == {
        "touched by a store": ["0", "250", "1,000", "2,000", "4,000", "16,000"],
        "---": ["---"] * 6, "nothing": ["33"] * 6, "own side of the L2": ["701"] * 6,
        "other side": ["1,101"] * 6}


def test_a_cell_holds_the_median_of_the_repetitions_of_the_usual_gap(tmp_path: Path) -> None:
    tables = tables_of(results_of(
        tmp_path, fence("release", 500.0, 900.0, 510.0), fence("release", 30.5, touched="nothing"),
        fence("release", 1.0, gap=0)))
    assert rows_below(tables, HEADINGS["access"] + "a store:")["release"] == ["30.5", "510"]
    assert rows_below(tables, HEADINGS["gap"])["own side of the L2"] == ["1", "510"]


def test_what_failed_or_was_not_run_is_said_in_words(tmp_path: Path) -> None:
    rows = rows_below(tables_of(results_of(
        tmp_path, fence("release", 7.0, touched="nothing"), fence("release", 600.0, access="load"),
        fence("release", ended="error"),
        fence("release", 9.0, touched="shared-memory", access="load"),
        fence("release", 8.0, touched="shared-memory"),
        *(fence("release_cluster", ended="skipped", access=access)
          for access in ("load", "store", "addition")))),
        HEADINGS["access"])
    assert rows["release"] == ["7", "9 / 8 / not run", "600 / error / not run"]
    assert rows["release_cluster"] == ["not run", "not run", "skipped"]


def test_a_process_that_left_no_rows_fails_in_the_cells_it_was_to_fill(tmp_path: Path) -> None:
    lost = fence("acquire", ended="error", touched="other-side")
    for axis in ("toucher", "cleared", "gap"):
        del lost[0]["axes"][axis]
    tables = tables_of(results_of(tmp_path, fence("release", 700.0), lost))
    assert rows_below(tables, HEADINGS["access"]) == {
        "touched": ["own side of the L2", "other side"], "---": ["---"] * 2,
        "release": ["700", "not run"], "acquire": ["not run", "error"]}


@pytest.mark.parametrize(("rows", "headings"), [
    ([], []),
    (fence("release", 7.0), ["access"]),
    (fence("seq_cst", 7.0) + fence("seq_cst", 8.0, gap=0) + fence("seq_cst", 9.0, toucher="other-warp"),
     ["access"]),
    (fence("release", 7.0) + fence("release", 7.0, cleared="yes"), ["access", "who"]),
    (fence("release", 7.0) + fence("release", 7.0, gap=0), ["access", "gap"])])
def test_only_tables_whose_points_are_there_are_made(
        tmp_path: Path, rows: list[dict[str, Any]], headings: list[str]) -> None:
    tables = tables_of(results_of(tmp_path, rows))
    assert [name for name, heading in HEADINGS.items()
            if any(table.title.startswith(heading) for table in tables)] == headings


@pytest.mark.parametrize("other", [{"machine": "host executor"}, {"program": "mutex"}])
def test_other_programs_and_the_host_executor_have_no_cycles(tmp_path: Path,
                                                             other: dict[str, str]) -> None:
    assert tables_of(results_of(tmp_path, fence("release", 7.0), **other)) == []


def test_a_row_without_cycles_is_not_taken_for_a_fence_that_costs_none(tmp_path: Path) -> None:
    rows = fence("release", 7.0)
    del rows[0]["fence_cycles_p95"]
    results = results_of(tmp_path, rows)
    assert cycles.cycles(cycles.measured(results)) is None
    assert rows_below(tables_of(results), HEADINGS["access"])["release"] == ["not run"]


def test_the_figure_is_drawn_under_its_name(tmp_path: Path) -> None:
    written, left_out = draw_all(results_of(tmp_path, planned()))
    assert left_out == []
    assert [path.name for path in written] == ["fence_gpu-cycles.png", "fence_gpu-cycles.svg"]
    assert written[0].stat().st_size > 20000
    text = written[1].read_text(encoding="utf-8")
    for word in ("Test GPU 9000", "cycles per fence", "2,000 cycles before", *KINDS,
                 *(Styles("fences", program="fence")[name].label for name in FENCES), "1,101"):
        assert word in text
    assert "Crossed out" not in text


def test_bars_are_of_stores_and_reach_from_the_5th_to_the_95th_percentile(tmp_path: Path) -> None:
    drawn = FIGURE.draw(results_of(
        tmp_path, fence("release", 600.0, 500.0, 700.0), fence("release", 1.0, access="load"),
        fence("release", 2.0, toucher="other-warp"), fence("release", 3.0, cleared="yes"),
        fence("acquire", 400.0)))
    assert drawn is not None
    (panel,) = drawn.axes
    assert [bar.get_height() for bar in panel.patches] == [600.0, 400.0]
    whiskers = [bar.get_segments()[0][:, 1].tolist() for bar in panel.collections]
    assert whiskers == [pytest.approx([540.0, 900.0]), pytest.approx([360.0, 600.0])]


def test_the_figure_says_what_ended_badly_and_what_costs_nothing(tmp_path: Path) -> None:
    words = words_of(results_of(
        tmp_path, fence("release", 1100.0), fence("acquire", ended="skipped"),
        fence("release", 0.0, touched="nothing"), fence("acquire", 40.0, touched="nothing")))
    assert {"skipped", "1,100", "0", "40"} <= words
    assert any("Crossed out" in word for word in words)


@pytest.mark.parametrize("ended", ["stuck", "skipped", "error"])
def test_without_one_good_point_every_gap_is_marked(tmp_path: Path, ended: str) -> None:
    assert ended in words_of(results_of(tmp_path, fence("release", ended=ended)))


def test_without_stores_there_is_no_figure(tmp_path: Path) -> None:
    _, (line,) = draw_all(results_of(tmp_path, fence("release", 7.0, access="load")))
    assert line.endswith(f"no figure cycles, which needs {FIGURE.needs}")
