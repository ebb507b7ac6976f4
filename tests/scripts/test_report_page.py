"""The report as one file for a browser, and its Markdown page, of made-up results."""

from __future__ import annotations

import base64
import gzip
import html
import json
import random
import re
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import report
import synthetic
import synthetic_sync
from conftest import ROOT
from finesync.claims import judge
from finesync.items.listed import items
from finesync.report import html_page, runs
from finesync.report.places import places
from finesync.results import catalogue
from finesync.results.errors import UserError
from finesync.results.loading import load_results
from finesync.results.recorded import of_results
from forked import run_script

Document = dict[str, Any]
FIGURE = "<svg xmlns='http://www.w3.org/2000/svg' width='720' height='360'/>"


def made_up(folder: Path) -> list[Path]:
    """The results of a GPU and of the host executor, and a figure."""
    documents = {"gpu": {**{program: make() for program, make in synthetic_sync.GPU.items()},
                         "ht": synthetic.server_document()},
                 "host": {"mutex": synthetic_sync.counts("mutex")}}
    (folder / "gpu" / "figures").mkdir(parents=True)
    (folder / "gpu" / "figures" / "thesis-figure5.4.svg").write_text(FIGURE, encoding="utf-8")
    return [synthetic.write(folder / place / f"{program}_{place}.json", document)
            for place, own in documents.items() for program, document in own.items()]


def page_of(*paths: Path) -> str:
    """The page of some results files."""
    return html_page.page(places([load_results(path) for path in paths]), ROOT / "results")


def data_in(text: str) -> Document:
    """The results in a page."""
    (found,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)
    data: Document = json.loads(found)
    return data


@pytest.fixture(name="folder", scope="module")
def fixture_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with results, and the report of them alone."""
    folder = tmp_path_factory.mktemp("results")
    paths = made_up(folder)
    assert report.main([*map(str, paths), "--only", "--out", str(folder / "report.html")]) == 0
    return folder


@pytest.fixture(name="page", scope="module")
def fixture_page(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


def test_the_page_is_one_file_that_needs_no_network(page: str) -> None:
    assert len(page.encode()) < html_page.MOST_BYTES == 2_000_000
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\((?!data:)", page)
    assert re.findall(r'<(?:link|script|img|iframe)[^>]*(?:src|href)="(?!data:|#)', page) == []
    assert "@DATA@" not in page and "@SCRIPT@" not in page and "@STYLE@" not in page


def test_the_page_names_gpu_and_dates_and_counts_verdicts(folder: Path, page: str) -> None:
    (place,) = data_in(page)["places"]
    assert place["name"] == "Test GPU 9000" and place["dates"] == ["2025-01-02"]
    files = [load_results(path) for path in sorted(folder.glob("*/*.json"))]
    judged = judge.judge_all(of_results("Test GPU 9000", sorted(files, key=lambda results: not results.on_gpu)))
    assert sum(sum(own.values()) for own in place["counts"].values()) == len(judged)
    for paper, counts in place["counts"].items():
        found = Counter(own.printed.verdict for own in judged.values() if own.printed.claim.paper == paper)
        assert {word: number for word, number in counts.items() if number} == found
    assert {number: own["verdict"] for number, own in place["verdicts"].items()} == {
        number: own.printed.verdict for number, own in judged.items()}
    assert place["verdicts"]["A05"]["at_published_latency"] == "SGD-NF, SGD-RT, SGD-ML: no published latency"
    assert place["verdicts"]["T07"]["why"].startswith("All blocks add to the one counter of CCG")


def median_times(document: Document, **axes: Any) -> dict[str, list[float]]:
    """Microseconds per operation of each primitive, from the rows: quartiles around the median."""
    found: dict[str, list[float]] = {}
    for row in document["benchmarks"]:
        if "items_per_second" in row and "tuned" not in row and all(
                row["axes"].get(axis) == value for axis, value in axes.items()):
            found.setdefault(row["primitive"], []).append(1e6 / row["items_per_second"])
    return {name: statistics.quantiles(times, n=4, method="inclusive") for name, times in found.items()}


def test_the_winner_and_its_include_are_those_of_the_rows_and_the_catalogue(page: str) -> None:
    data = data_in(page)
    checked = 0
    for blocks in synthetic_sync.GRIDS:
        times = median_times(synthetic_sync.barriers(), tbs_per_sm=blocks, ldst=10,
                             threads_per_block=64, local_exchange="no")
        del times["graph_relaunch"]
        need = next(own for own in data["places"][0]["needs"] if own["program"] == "barrier")
        answer = need["settings"]["64 threads per block, 10 loads and stores"][
            f"{blocks} thread block{'s' * (blocks > 1)} per SM"]
        fastest = min(times, key=lambda name: times[name][1])
        level = {name for name, spread in times.items()
                 if spread[1] <= 1.03 * times[fastest][1] or spread[0] <= times[fastest][2]}
        best = "autotuned" if "autotuned" in level else fastest
        assert answer["best"] == best and f"`{best}` takes " in answer["sentence"]
        library = min(times[name][1] for name in ("cooperative_groups", "libcudacxx"))
        assert answer["lead"] == pytest.approx(library / times[best][1], rel=1e-3)
        entries = {entry[0]: entry for entry in answer["entries"] if len(entry) > 3}
        assert list(entries) == sorted(times, key=lambda name: times[name][1])
        for name, spread in times.items():
            assert entries[name][3:] == pytest.approx(spread, rel=1e-3)
            assert entries[name][1] == ("best" if name == best else "level" if name in level else "")
            checked += entries[name][1] == "level"
        (entry,) = (one for one in catalogue.primitives(["barriers"]) if one["name"] == best)
        assert data["primitives"]["barrier"][best]["include"] == entry["headers"]
    assert checked, "no tie was made up"


def test_a_text_of_a_result_cannot_end_its_place_in_the_page(tmp_path: Path) -> None:
    document = synthetic_sync.mutexes()
    document["context"]["finesync"]["gpu"] = {**synthetic.GPU, "name": "</script><!--<script>@STYLE@ &amp;"}
    text = page_of(synthetic.write(tmp_path / "mutex_gpu.json", document))
    assert data_in(text)["places"][0]["name"] == "</script><!--<script>@STYLE@ &amp;"
    assert text.count("</script>") == page_of().count("</script>")


def test_figures_are_in_the_page_as_far_as_there_is_room(tmp_path: Path) -> None:
    path = synthetic.write(tmp_path / "mutex_gpu.json", synthetic_sync.mutexes())
    names = [item.name for item in items().values() if item.is_figure][:4]
    noise = random.Random(1)
    (tmp_path / "figures").mkdir()
    for name in names:
        (tmp_path / "figures" / f"{name}.svg").write_bytes(noise.randbytes(900_000))
    text = page_of(path)
    assert html_page.MOST_BYTES - 1_300_000 < len(text.encode()) <= html_page.MOST_BYTES
    figures = data_in(text)["places"][0]["figures"]
    assert [figure["name"] for figure in figures] == names
    shown = ["svg" in figure for figure in figures]
    assert shown == sorted(shown, reverse=True) and shown[0] and not shown[-1]
    assert figures[-1]["file"].endswith(f"{names[-1]}.svg")
    assert gzip.decompress(base64.b64decode(figures[0]["svg"])) == (
        tmp_path / "figures" / f"{names[0]}.svg").read_bytes()


def test_without_results_the_page_says_what_is_missing(tmp_path: Path) -> None:
    assert report.main(["--only", "--out", str(tmp_path / "empty.html")]) == 0
    data = data_in((tmp_path / "empty.html").read_text(encoding="utf-8"))
    assert data["missing"] == runs.NO_GPU and data["places"] == [] and data["runs"] == []
    assert runs.NO_GPU in (tmp_path / "empty.md").read_text(encoding="utf-8")


def test_a_gpu_names_the_programs_that_it_lacks(page: str) -> None:
    assert "Not measured on it: atm, bfs, chain," in data_in(page)["places"][0]["missing"]


def test_each_run_has_a_line_and_the_command_that_repeats_it(page: str) -> None:
    found = {run["file"].rsplit("/", 1)[1]: run for run in data_in(page)["runs"]}
    run = found["mutex_gpu.json"]
    assert (run["gpu"], run["date"], run["revision"]) == ("Test GPU 9000", "2025-01-02", "012345678")
    assert run["command"] == "scripts/sweep.py workloads/mutex/plans/gpu.json " \
        "--out results/runs/gpu"
    assert found["mutex_host.json"]["command"].startswith("scripts/sweep.py workloads/mutex/plans/host.json ")


def test_one_s_own_run_comes_before_a_recorded_one_of_the_same_gpu(tmp_path: Path) -> None:
    recorded = ROOT / "results" / "nvidia-h200" / "chain_gpu.json.gz"
    document = json.loads(gzip.decompress(recorded.read_bytes()))
    own = synthetic.write(tmp_path / "runs" / "chain_gpu.json", document)
    found = places([load_results(path) for path in (recorded, own)])
    assert [place.name for place in found] == ["NVIDIA H200, runs", "NVIDIA H200"]
    assert [place.recorded for place in found] == [False, True]


def test_the_markdown_page_is_answers_and_links(folder: Path) -> None:
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert re.findall(r"^#+ .*$", text, re.M) == [
        "# finesync results", "## Answers", "### Test GPU 9000", "## Test GPU 9000", "## Host executor"]
    assert "| one lock for all blocks | 64 threads per block, plain counter, 32 thread blocks per SM | " in text
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert {str(path.relative_to(folder)) for path in folder.glob("*/*.json")} < set(links)
    assert "gpu/figures/thesis-figure5.4.svg" in links and all((folder / link).exists() for link in links)
    assert len(text.split()) < 1500


def test_no_page_tells_a_path_of_this_machine(folder: Path, page: str) -> None:
    for text in (page, (folder / "report.md").read_text(encoding="utf-8")):
        assert str(folder.parent) not in text and "/pytest" not in text
    assert [place["where"] for place in data_in(page)["places"]] == ["gpu"] and data_in(page)["root"] == ""
    assert data_in(page_of())["root"] == "../"


def test_without_a_script_the_page_has_plain_tables(page: str) -> None:
    """And hides all that only a script fills."""
    answers, claims, figures, listed = re.findall(r"<noscript>(.*?)</noscript>", page.partition("<body>")[2], re.S)
    (place,) = data_in(page)["places"]
    for need in place["needs"]:
        setting = next(iter(need["settings"].values()))
        assert html.escape(list(setting.values())[-1]["sentence"].replace("`", "")) in re.sub("</?b>", "", answers)
    assert claims.count("<tr>") == len(place["verdicts"]) + 1 and listed.count("<tr>") == len(data_in(page)["runs"]) + 1
    assert "report.md" in figures
    shown = re.sub(r'<(\w+)[^>]*class="[^"]*scripted[^"]*".*?</\1>', "", page.partition("<body>")[2], flags=re.S)
    assert "<select" not in shown.partition("<script")[0]


@pytest.mark.parametrize("out", [".", "page", "page.v2"])
def test_what_names_no_page_is_refused(tmp_path: Path, out: str) -> None:
    (tmp_path / "here").mkdir()
    with pytest.raises(UserError, match="is not a page: name FILE.html or FILE.md"):
        report.main(["--only", "--out", str(tmp_path / "here" / out)])
    assert [*tmp_path.rglob("*")] == [tmp_path / "here"]


def test_a_bad_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    done = run_script(ROOT / "scripts" / "report.py", "--only", str(tmp_path / "bad.json"))
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("report: ") and "not valid JSON" in done.stderr
