"""The applications' figures and tables: their barriers, other forms of a round, and the crossover."""

from __future__ import annotations

from pathlib import Path

import accepted
import pytest
from conftest import ROOT
from finesync.figures import shared
from finesync.figures.applications import crossover, levels, shares
from finesync.figures.legibility import findings
from finesync.query.tables import Table
from finesync.report import folder_tables
from finesync.report.folder_tables import tables_of
from finesync.results import applications
from finesync.results.catalogue import primitives_of
from finesync.results.loading import Results
from finesync.results.registry import workload_named, workloads
from synthetic import Rows, ending
from synthetic_applications import APPLICATIONS, CCG, point
from tables import results_of
from test_items import barriers, stalled
from test_legibility import drawn, faults_of

RELAUNCH = "dependent_relaunch"  # which no catalogue knows: found by its rows


def run(primitive: str, microseconds: float, problem: str | int, form: str = "blocking",
        barriers_each: float = 0.5, share: float = 0.6, ended: str = "ok", rounds: int = 100) -> Rows:
    """A run at the grid that the program chooses; a sum has so many rounds."""
    work = {"words": problem, "rounds": rounds} if isinstance(problem, int) else {"input": problem}
    made = point(primitive, microseconds, {**work, "threads_per_block": "auto",
                                           "barrier_form": form}, share, ended=ended)
    for row in made:
        if "barrier_ns" in row:
            row["barrier_ns"] = barriers_each * 1e3
    return made


def relaunched(microseconds: float, words: int) -> Rows:
    """No barriers to count."""
    made = run(RELAUNCH, microseconds, words)
    return [{key: value for key, value in row.items() if not key.startswith("barrier")} for row in made]


@pytest.fixture(name="loaded")
def fixture_loaded(tmp_path: Path) -> list[Results]:
    searches = [one for graph, time in (("grid", 200.0), ("road", 1000.0)) for one in (
        run(CCG, time, graph, barriers_each=1.0), run("autotuned", 0.8 * time, graph, share=0.4),
        run("flat_counters", 0.9 * time, graph),
        run("autotuned", 0.4 * time, graph, form="overlapped"),
        run("flat_counters", 0.6 * time, graph, form="overlapped"))]
    # At a grid that was asked for.
    apart = point(CCG, 1.0, {"input": "road-264346", "tbs_per_sm": 2})
    sums = [one for words, time, other in ((1024, 100.0, 220.0), (65536, 200.0, 250.0),
                                           (1048576, 2000.0, 1900.0)) for one in (
        run(CCG, 2 * time, words, barriers_each=1.0), run("autotuned", time, words),
        relaunched(other, words))]
    return [results_of(tmp_path, "bfs", *searches, apart), results_of(tmp_path, "reduce", *sums)]


def table(loaded: list[Results], name: str) -> Table:
    made = applications.of_gpu(loaded)
    return next(one for one in made if one.id == f"applications-{name}")


def test_forms_are_found_by_their_rows(loaded: list[Results]) -> None:
    grid, road = applications.runs(loaded[0])
    assert (grid.name, road.name) == ("bfs, grid", "bfs, road")
    assert grid.persistent is not None and grid.persistent["primitive"] == "autotuned"
    assert {name: point["primitive"] for name, point in grid.contenders().items()} == {"overlapped": "autotuned"}
    assert list(applications.runs(loaded[1])[0].contenders()) == [RELAUNCH]
    assert applications.pure_share(grid.persistent) == pytest.approx(100 * 0.5 / 160)


def test_other_kernels_are_no_barriers(tmp_path: Path) -> None:
    """The catalogue has types of relaunched searches, and rows of the bitmaps cost of a barrier."""
    searches = [run(CCG, 100.0, "rmat"), run("graph_relaunch", 50.0, "rmat"), run("direction_optimizing", 10.0, "rmat")]
    own, = applications.runs(results_of(tmp_path, "bfs", *searches))
    assert own.persistent is not None and own.persistent["primitive"] == CCG
    assert set(own.contenders()) == {"graph_relaunch", "direction_optimizing"}


def test_sums_are_compared_with_those_of_as_many_rounds(tmp_path: Path) -> None:
    sums = [run(CCG, 30.0, 1024, rounds=10), run(CCG, 300.0, 1024), run("autotuned", 200.0, 1024, form="split-phase")]
    few, many = applications.runs(results_of(tmp_path, "reduce", *sums))
    assert (few.name, many.name) == ("reduce, 1,024 x 10", "reduce, 1,024 x 100")
    assert few.contenders() == {} and list(many.contenders()) == ["split-phase"]
    loaded = results_of(tmp_path, "reduce", *sums)
    assert [run.rounds for run in applications.longest_runs(loaded)] == [100]


def test_a_sweep_over_grids_is_no_run_of_the_tables_unless_there_is_no_other(
        loaded: list[Results], tmp_path: Path) -> None:
    made = tables_of(loaded[0])
    assert made and all(one.columns == ["grid", "road"] for one in made)
    alone = results_of(tmp_path, "bfs", point(CCG, 1.0, {"input": "road-264346", "tbs_per_sm": 2}))
    assert all(one.columns == ["road-264346"] for one in tables_of(alone))
    assert table([alone], "times").rows["bfs, road-264346"][0] == "0.001"


def test_tables_have_a_row_for_each_problem_and_say_what_is_not_recorded(loaded: list[Results]) -> None:
    times = table(loaded, "times").rows
    assert times["bfs, grid"] == ["0.2", "0.16 (`autotuned`)", "0.08 (overlapped)"]
    assert times["reduce, 1,024 x 100"] == ["0.2", "0.1 (`autotuned`)", f"0.22 ({RELAUNCH})"]
    assert times["sssp"] == ["not recorded", "", ""]
    assert table(loaded, "shares").rows["bfs, grid"] == ["100", "1,000", "500", "50", "31.2", "60", "40"]
    assert table(loaded, "worth").rows["bfs, road"] == ["5", "20", "`autotuned`"]
    assert table(loaded, "crossover").rows == {
        "bfs, overlapped": ["1.6 to 8", "at all"],
        f"reduce, {RELAUNCH}": ["1 to 20", "from 2 to 20 us"],
            "pagerank": ["not recorded", ""], "sssp": ["not recorded", ""]}


def test_without_any_application_the_tables_say_so(tmp_path: Path) -> None:
    alone = [results_of(tmp_path, "barrier", barriers("autotuned", CCG))]
    made = applications.of_gpu(alone)
    assert len(made) == 4
    assert {cells[0] for one in made for cells in one.rows.values()} == {"not recorded"}
    assert applications.of_gpu([]) == []


def test_failures_are_words(tmp_path: Path) -> None:
    made = [run(CCG, 0.0, "grid", ended="timed out"), run("autotuned", 80.0, "grid"),
            run(CCG, 100.0, "road"), run("autotuned", 0.0, "road", ended="wrong")]
    loaded = [results_of(tmp_path, "bfs", *made)]
    assert table(loaded, "times").rows["bfs, grid"][0] == "timed out"
    assert table(loaded, "worth").rows["bfs, grid"] == ["timed out", "", ""]
    assert table(loaded, "times").rows["bfs, road"][1] == f"0.1 (`{CCG}`)"
    none = [results_of(tmp_path, "bfs", run(CCG, 0.0, "grid", ended="hung"))]
    assert table(none, "times").rows["bfs, grid"][0] == "hung"
    assert shares.draw(none) is None and crossover.draw(none) is None


@pytest.mark.parametrize(("ratios", "said"), [
    ((2.0, 1.5, 0.8), "from 2 to 3 us"), ((0.5, 1.5, 2.0), "up to 1 to 2 us"),
    ((0.5, 0.8, 0.9), "at all"), ((1.5, 1.2, 1.0), "at none"), ((0.5, 1.5, 0.5), "now and then")])
def test_a_crossover_lies_between_two_lengths(ratios: tuple[float, ...], said: str) -> None:
    assert applications.crossover(list(zip((1.0, 2.0, 3.0), ratios))) == said


def test_they_are_drawn_for_a_folder_and_without_rows_it_is_said_why(loaded: list[Results], tmp_path: Path) -> None:
    drawn = {one.name: one for one in shared.draw(loaded)}
    assert drawn[shares.NAME].figure is not None and drawn[crossover.NAME].figure is not None
    assert {shares.NAME, crossover.NAME} <= set(shared.names())
    one = [results_of(tmp_path / "one", "bfs", run("autotuned", 80.0, "grid"))]
    assert {own.name: own.reason for own in shared.draw(one)}[crossover.NAME] == f"it needs {crossover.NEEDS}"
    for row in (rows := run("autotuned", 80.0, "grid")):
        row |= ending("wrong")
    bad = [results_of(tmp_path / "bad", "bfs", rows)]
    assert {own.name: own.reason for own in shared.draw(bad)}[shares.NAME] == f"it needs {shares.NEEDS}"


def test_levels_are_drawn_by_the_size_of_their_frontier(tmp_path: Path) -> None:
    made = [point(name, 100.0, {"input": graph, "threads_per_block": "auto", "levels": noted},
                  **{f"level_ns_from_{size}": time * size ** 0.5 for size in (1, 64, 1048576)},
                  **{f"levels_from_{size}": 3.0 for size in (1, 64, 1048576)})
            for name, time in ((CCG, 3000.0), ("autotuned", 2000.0))
            for graph in ("grid", "road") for noted in ("yes", "no")]
    results = results_of(tmp_path, "bfs", *made)
    best = results.points.of_primitives(CCG).fastest_point()
    assert best is not None
    assert levels.by_size(best) == {1: 3.0, 64: 24.0, 1048576: 3072.0}
    figure = levels.draw(results, "Levels")
    assert figure is not None and findings(figure) == []
    assert [axes.get_title() for axes in figure.axes] == ["grid", "road"]
    assert len(figure.axes[0].get_lines()) >= 2
    without = [row for row in made if row[0]["axes"]["levels"] == "no"]
    assert levels.draw(results_of(tmp_path, "bfs", *without), "Levels") is None


def test_a_folder_gets_the_tables(loaded: list[Results]) -> None:
    folder_tables.write_all(loaded)
    folder = loaded[0].path.parent / "tables"
    text = (folder / "applications-times.md").read_text(encoding="utf-8")
    assert "| bfs, grid | 0.2 |" in text


def test_every_application_names_what_it_works_on() -> None:
    """A program that includes the applications' code has its barriers in these tables."""
    def including(*parts: str) -> set[str]:
        return {path.parent.name for end in ("cuh", "in", "cu") for path
                in (ROOT / "workloads").glob(f"*/*.{end}")
                if any(f"workloads/{part}/" in path.read_text(encoding="utf-8") for part in parts)}
    found = including("applications", *including("applications")) & set(workloads())
    assert {"bfs", "sssp", "reduce"} <= found
    assert found <= set(applications.programs())


# That figures can be read: of made-up results of all their primitives and plans.
GRAPHS = ("grid", "road", "rmat", "r4", "USA-road-d.NY.gr-0123abcd", "rmat-graph500/17")
WORDS = [4 ** power for power in range(5, 15)]


def results_of_program(folder: Path, program: str) -> Results:
    """Each primitive as many times as slow as the one before, in all forms of a round."""
    workload = workload_named(program)
    problems = WORDS if program == "reduce" else GRAPHS
    names = [entry["name"] for entry in primitives_of(program, workload.families, workload.without)]
    rows = [run(name, 10.0 * 1.2 ** number * 1.9 ** place, problem, form=form,
                barriers_each=0.02 * 1.9 ** place, share=0.05 + 0.08 * (place % 10))
            for number, name in enumerate([CCG, *names])
            for place, problem in enumerate(problems) for form in ("blocking", "overlapped")]
    if program == "reduce":
        for row in (row for own in rows for row in own):
            row["axes"]["rounds"] = 100
        return results_of(folder, program, *rows)
    for number, name in enumerate(("autotuned", CCG, "sense_reversing_printed")):
        rows += [point(name, 100.0, {"input": graph, "threads_per_block": "auto", "levels": "yes"},
                       **{f"level_ns_from_{2 ** size}": 2e3 * (number + 1) * 1.2 ** size
                          for size in range(0, 22, 2)}) for graph in GRAPHS]
    return results_of(folder, program, *rows)


@pytest.fixture(name="every", scope="module")
def fixture_every(tmp_path_factory: pytest.TempPathFactory) -> list[Results]:
    folder = tmp_path_factory.mktemp("applications")
    return [results_of_program(folder, program) for program in APPLICATIONS]


@pytest.mark.parametrize("program", APPLICATIONS)
def test_figures_of_one_program(every: list[Results], program: str, accept: bool) -> None:
    (own,) = (results for results in every if results.program == program)
    figures = list(drawn(own))
    assert len(figures) == len(workload_named(program).figures["gpu"])
    seen = accepted.of_results(own)
    assert faults_of(iter(figures), seen) == []
    accepted.compare(accept, program, seen)


def test_figures_of_all(every: list[Results], accept: bool) -> None:
    figures = {drawing.NAME: figure for drawing in (shares, crossover) if (figure := drawing.draw(every)) is not None}
    seen: dict[str, str] = {}
    assert len(figures) == 2 and faults_of(iter(figures.items()), seen) == []
    accepted.compare(accept, "applications", seen)


def test_figures_of_stalls_and_of_contention(tmp_path: Path, accept: bool) -> None:
    """Few of many: the thesis's figures 5.9, 5.30 and 5.31."""
    loaded = [
        results_of(tmp_path, "barrier", barriers(
            "atomic_tree_printed", "sense_reversing_printed", CCG, "atomic_tree", "autotuned")),
        results_of(tmp_path, "semaphore_traffic", stalled("spin_printed", "priority_printed"),
                   stalled("spin", "priority", writer="fixed"))]
    figures = {one.name: one.figure for one in shared.draw(loaded) if one.figure}
    assert {"thesis-figure5.30", "thesis-figure5.31"} <= figures.keys()
    seen: dict[str, str] = {}
    assert faults_of(iter(figures.items()), seen) == []
    accepted.compare(accept, "stalls", seen)
