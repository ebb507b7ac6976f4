"""Figures of applications can be read: of made-up results of all their primitives and plans."""

from __future__ import annotations

from pathlib import Path

import accepted
import pytest
from finesync.figures import shared
from finesync.figures.applications import crossover, shares
from finesync.results.catalogue import primitives_of
from finesync.results.loading import Results
from finesync.results.registry import workload_named
from synthetic_applications import APPLICATIONS, CCG
from tables import results_of
from test_applications import point, run
from test_items import barriers, stalled
from test_legibility import drawn, faults_of

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


@pytest.fixture(name="loaded", scope="module")
def fixture_loaded(tmp_path_factory: pytest.TempPathFactory) -> list[Results]:
    folder = tmp_path_factory.mktemp("applications")
    return [results_of_program(folder, program) for program in APPLICATIONS]


@pytest.mark.parametrize("program", APPLICATIONS)
def test_figures_of_one_program(loaded: list[Results], program: str, accept: bool) -> None:
    (own,) = (results for results in loaded if results.program == program)
    figures = list(drawn(own))
    assert len(figures) == len(workload_named(program).figures["gpu"])
    seen = accepted.of_results(own)
    assert faults_of(iter(figures), seen) == []
    accepted.compare(accept, program, seen)


def test_figures_of_all(loaded: list[Results], accept: bool) -> None:
    figures = {drawing.NAME: figure for drawing in (shares, crossover) if (figure := drawing.draw(loaded)) is not None}
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
