"""Figures of barriers, mutexes and semaphores, drawn of made-up results."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
import synthetic
import synthetic_sync
from conftest import ROOT
from finesync_results import sync_sweeps
from finesync_results.figures import fairness, lines, split, time_over_section, which
from finesync_results.loading import Results, load_results
from finesync_results.workload import workload_of
from matplotlib.figure import Figure
from matplotlib.text import Text
from synthetic_sync import PROGRAMS, document, point

FIGURES = ROOT / "scripts" / "figures.py"


@pytest.fixture(autouse=True)
def fixture_closed_figures() -> Iterator[None]:
    """Closes what a test has drawn."""
    yield
    plt.close("all")


@pytest.fixture(name="drawn", scope="module")
def fixture_drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the figures of all three programs, on a GPU and counted, and the report."""
    folder = tmp_path_factory.mktemp("results")
    files = [synthetic.write(folder / "test-gpu" / f"{program}.json", make())
             for program, make in synthetic_sync.GPU.items()]
    files += [synthetic.write(folder / "host" / f"{program}.json",
                              synthetic_sync.counts(program)) for program in PROGRAMS]
    subprocess.run([sys.executable, str(FIGURES), "--only", *map(str, files), "--report",
                    str(folder / "report.md")], check=True, capture_output=True, timeout=600)
    return folder


def drawn_of(results: Results, name: str) -> Figure:
    """A figure of these results, by its name."""
    (drawing,) = (drawing for drawing in workload_of(results.program).figures[results.kind]
                  if drawing.name == name)
    figure = drawing.draw(results)
    assert figure is not None
    return figure


def text_of(svg: Path) -> str:
    """The words of a drawing."""
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text(encoding="utf-8")))


def load(folder: Path, program: str, *rows: list[dict[str, object]],
         machine: str = "gpu") -> Results:
    """Results of one program with these rows."""
    made = document(program, [row for own in rows for row in own], machine)
    return load_results(synthetic.write(folder / "some.json", made))


@pytest.mark.parametrize(("name", "words"), [
    ("barrier-time", ["us per barrier", "atomic tree", "sense-reversing tree (SRB)", "libcu++",
                      "cooperative groups (CCG)", "local exchange", "256 threads,", "skipped"]),
    ("barrier-section", ["1 TB/SM", "16 TBs/SM", "32 TBs/SM", "loads and stores", "1,000"]),
    ("barrier-split", ["the rest", "adaptive", "8 TBs/SM", "own scale"]),
    ("mutex-time", ["us per hand-off", "array queue", "cluster cohort", "MCS queue"]),
    ("mutex-fairness", ["Gini coefficient", "99th percentile of waits, us", "fewest to most"]),
    ("semaphore-time", ["size 1", "size 10", "size 120", "spin, back-off", "priority, back-off",
                        "ticketed", "one word", "readers only", "stuck", "slow"]),
    ("semaphore-section", ["us per operation", "stuck", "1,000"]),
    ("semaphore-split", ["stuck", "slow", "the rest", "ticketed"]),
    ("semaphore-fairness", ["size 120: acquisitions per block", "stuck"]),
])
def test_figures_name_gpu_units_primitives_and_failures(drawn: Path, name: str,
                                                        words: list[str]) -> None:
    assert (drawn / "test-gpu" / "figures" / f"{name}.png").stat().st_size > 20000
    text = text_of(drawn / "test-gpu" / "figures" / f"{name}.svg")
    for word in ("Test GPU 9000", *words):
        assert word in text


def test_every_figure_of_a_program_is_drawn_and_no_other(drawn: Path) -> None:
    assert {path.stem for path in (drawn / "test-gpu" / "figures").iterdir()} == {"which"} | {
        f"{program}-{drawing.name}" for program in PROGRAMS
        for drawing in workload_of(program).figures["gpu"]}
    assert {path.stem for path in (drawn / "host" / "figures").iterdir()} == {
        f"{program}-counted" for program in PROGRAMS}


@pytest.mark.parametrize("program", PROGRAMS)
def test_counts_are_titled_as_counted_and_show_no_times(drawn: Path, program: str) -> None:
    text = text_of(drawn / "host" / "figures" / f"{program}-counted.svg")
    for word in ("counted on the host executor", "atomics", "fences", "polls",
                 f"per {workload_of(program).operation}", "measures no time"):
        assert word in text
    assert not re.search(r"\b(us|ns|ms)\b", text)


def test_one_page_names_the_winners_of_all_three_programs(drawn: Path) -> None:
    text = text_of(drawn / "test-gpu" / "figures" / "which.svg")
    for word in ("Which barrier, which lock, which semaphore: Test GPU 9000", "Which barrier?",
                 "Which lock?", "Which semaphore?", "one_hop", "adaptive", "carrying", "ticketed",
                 "32 TBs/SM", "no library", "the library"):
        assert word in text
    assert re.search(r"CCG x \d", text) and re.search(r"libcu\+\+ x \d", text)
    assert "atomic_tree" not in text


def test_one_program_alone_has_a_page_too(tmp_path: Path) -> None:
    only = load_results(synthetic.write(tmp_path / "mutex.json", synthetic_sync.mutexes()))
    figure = which.draw([only])
    assert figure is not None
    words = {text.get_text() for text in figure.findobj(Text)}
    assert "Which lock?" in words and "Which barrier?" not in words


def test_the_same_results_give_the_same_svg(drawn: Path, tmp_path: Path) -> None:
    again = [synthetic.write(tmp_path / f"{program}.json", make())
             for program, make in synthetic_sync.GPU.items()]
    subprocess.run([sys.executable, str(FIGURES), "--only", *map(str, again)], check=True,
                   capture_output=True, timeout=600)
    drawings = sorted((tmp_path / "figures").glob("*.svg"))
    assert len(drawings) == 12
    for path in drawings:
        assert path.read_bytes() == (drawn / "test-gpu" / "figures" / path.name).read_bytes()


def test_the_report_links_figures_tables_and_claims(drawn: Path) -> None:
    report = (drawn / "report.md").read_text(encoding="utf-8")
    links = {drawn / link for link in re.findall(r"!\[[^]]*\]\(([^)]*)\)", report)}
    assert links >= set(drawn.glob("*/figures/*.png"))
    for words in ("## The thesis's claims, and what was measured here: Test GPU 9000",
                  "Microseconds per barrier, 64 threads, 10 loads and stores:",
                  "Per hand-off, counted on the host executor", "livelock: spin at",
                  "stuck: spin at", "slow: spin at", "slow, size 120: at 2 TBs/SM |",
                  "operations counted on the host executor |"):
        assert words in report


def test_without_data_a_figure_is_left_out_with_one_line(tmp_path: Path) -> None:
    load(tmp_path, "semaphore", *(point("semaphore", "spin", 1.0, tbs_per_sm=blocks)
                                  for blocks in (1, 2)))
    alone = synthetic.write(tmp_path / "other" / "barrier.json",
                            document("barrier", point("barrier", "cluster", 1.0)))
    printed = subprocess.run(
        [sys.executable, str(FIGURES), "--only", str(tmp_path / "some.json"), str(alone)], check=True,
        text=True, capture_output=True, timeout=600).stdout.splitlines()
    left_out = {line.split("no figure ")[1].split(",")[0] for line in printed
                if line.startswith(f"{tmp_path}/some.json: ")}
    assert left_out == {"section", "split", "fairness"}
    assert sum(line.startswith(f"{alone}: no figure ") for line in printed) == 3
    assert f"{alone.parent}: no figure which, which needs {which.WHICH.needs}" in printed


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_rows_at_all_draw_nothing(program: str, tmp_path: Path) -> None:
    for machine in ("gpu", "host executor"):
        results = load(tmp_path, program, machine=machine)
        assert all(drawing.draw(results) is None
                   for drawing in workload_of(program).figures[results.kind])
    assert which.draw([load(tmp_path, program)]) is None


@pytest.mark.parametrize("ended", ["livelock", "stuck", "slow", "skipped", "error"])
@pytest.mark.parametrize("name", ["time", "section", "counted", "which"])
def test_without_one_good_point_every_gap_is_marked(name: str, ended: str,
                                                    tmp_path: Path) -> None:
    made = synthetic_sync.counts("semaphore") if name == "counted" else synthetic_sync.semaphores()
    for row in made["benchmarks"]:
        row |= synthetic.ending(ended)
    results = load_results(synthetic.write(tmp_path / "bad.json", made))
    figure = which.draw([results]) if name == "which" else drawn_of(results, name)
    assert figure is not None
    assert ended in {text.get_text() for text in figure.findobj(Text)}


def test_a_timeout_hangs_from_the_top_and_a_skipped_point_stands_at_the_foot(
        tmp_path: Path) -> None:
    results = load(tmp_path, "barrier", *(
        point("barrier", "cluster", 1.0, ended, tbs_per_sm=blocks)
        for blocks, ended in ((1, "ok"), (2, "stuck"), (4, "slow"), (8, "skipped"))))
    figure = drawn_of(results, "time")
    heights = {note.get_text(): note.xy[1] for note in figure.axes[0].texts}
    assert heights == {"stuck": 1, "slow": 1, "skipped": 0}


def test_the_split_is_of_the_best_run_and_never_negative(tmp_path: Path) -> None:
    points = sync_sweeps.measured(load(
        tmp_path, "barrier", point("barrier", "cluster", 4.0, rest_ns_per_operation=1000.0),
        point("barrier", "adaptive", 2.0, rest_ns_per_operation=2500.0),
        point("barrier", "one_hop", 2.0)))
    assert split.parts(points[:1]) == (pytest.approx(1.0), pytest.approx(3.0))
    assert split.parts(points[1:2]) == (pytest.approx(2.0), 0.0)
    assert split.parts(points[2:]) is None and split.parts([]) is None


def test_a_gini_coefficient_of_zero_is_drawn(tmp_path: Path) -> None:
    results = load(tmp_path, "mutex", *(
        point("mutex", "array", 1.0, tbs_per_sm=blocks, acquisitions_gini=0.0,
              acquisitions_min=7.0, acquisitions_max=8.0, wait_p99_ns=900.0) for blocks in (1, 2)))
    figure = drawn_of(results, "fairness")
    assert [list(line.get_ydata()) for line in figure.axes[1].lines][0] == [0.0, 0.0]
    assert fairness.shares_of(sync_sweeps.measured(results).iloc[0]) == (7.0, 8.0)


def test_long_sections_are_no_part_of_the_graph_over_grids(tmp_path: Path) -> None:
    results = load(tmp_path, "mutex", *(
        point("mutex", "array", 1.0, tbs_per_sm=blocks, ldst=ldst)
        for blocks in (1, 2) for ldst in (10, 100)))
    assert len(drawn_of(results, "time").axes) == 1
    assert list(time_over_section.families(sync_sweeps.measured(results))) == ["1 TB/SM", "2 TBs/SM"]


def test_titles_hold_what_differs_and_the_caption_the_rest(tmp_path: Path) -> None:
    settings = sync_sweeps.by_setting(sync_sweeps.measured(load(
        tmp_path, "semaphore", *(point("semaphore", "spin", 1.0, size=size)
                                 for size in (1, 10)))))
    assert lines.titles(settings) == (["size 1", "size 10"], "64 threads, 10 loads and stores")
    assert lines.unbroken("64 threads, no loads and stores", 25) == \
        "64 threads,\nno loads and stores"
