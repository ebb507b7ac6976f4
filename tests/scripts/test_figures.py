"""Figures and report of made-up results."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import synthetic
from conftest import ROOT
from finesync_results.errors import UserError
from finesync_results.figures import ALL, counts, speedup
from finesync_results.loading import load_results
from finesync_results.points import gather
from finesync_results.tables import hash_table_tables
from matplotlib.text import Text

FIGURES = ROOT / "scripts" / "figures.py"


def draw(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs figures.py and checks its exit status."""
    done = subprocess.run([sys.executable, str(FIGURES), *arguments], text=True,
                          capture_output=True, timeout=120, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(name="drawn", scope="module")
def fixture_drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with figures of a GPU's and of the host executor's results, and the report."""
    folder = tmp_path_factory.mktemp("results")
    gpu = synthetic.write(folder / "test-gpu" / "gpu.json", synthetic.gpu_document())
    host = synthetic.write(folder / "host" / "host.json", synthetic.host_document())
    printed = draw(str(gpu), str(host), "--report", str(folder / "report.md")).stdout
    for path in folder.rglob("figures/*"):
        assert str(path) in printed.splitlines()
    return folder


def text_of(svg: Path) -> str:
    """The words of a drawing."""
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text(encoding="utf-8")))


@pytest.mark.parametrize(("figure", "words"), [
    ("speedup", ["Test GPU 9000", "speed-up over the spin lock (x)", "collision factor", "128K",
                 "published for the GTX 1080 Ti", "7.7", "4.0"]),
    ("contention", ["Test GPU 9000", "M inserts/s", "thread blocks per SM", "livelock", "skipped"]),
    ("section_length", ["Test GPU 9000", "run time / run time without loop", "deadlock"]),
    ("padding", ["Test GPU 9000", "M inserts/s", "one lock per line"]),
])
def test_gpu_figures_name_gpu_units_and_failures(drawn: Path, figure: str,
                                                 words: list[str]) -> None:
    assert (drawn / "test-gpu" / "figures" / f"gpu-{figure}.png").stat().st_size > 20000
    text = text_of(drawn / "test-gpu" / "figures" / f"gpu-{figure}.svg")
    for word in words:
        assert word in text


def test_the_host_executor_is_drawn_as_counts_only(drawn: Path) -> None:
    assert {path.name for path in (drawn / "host" / "figures").iterdir()} == {
        "host-counts.png", "host-counts.svg"}
    text = text_of(drawn / "host" / "figures" / "host-counts.svg")
    for word in ("counted on the host executor", "atomics per insert", "polls per insert",
                 "livelock"):
        assert word in text
    assert not re.search(r"inserts/s|speed-up|\bms\b", text)


def test_a_gpu_has_all_figures_but_the_counts(drawn: Path) -> None:
    assert {path.stem for path in (drawn / "test-gpu" / "figures").iterdir()} == {
        f"gpu-{module.NAME}" for module in ALL if module is not counts}


def test_the_same_results_give_the_same_svg(drawn: Path, tmp_path: Path) -> None:
    again = synthetic.write(tmp_path / "gpu.json", synthetic.gpu_document())
    draw(str(again))
    for path in (tmp_path / "figures").glob("*.svg"):
        assert path.read_bytes() == (drawn / "test-gpu" / "figures" / path.name).read_bytes()


def test_the_report_links_every_figure_and_tells_failures(drawn: Path) -> None:
    report = (drawn / "report.md").read_text(encoding="utf-8")
    links = [drawn / link for link in re.findall(r"!\[[^]]*\]\(([^)]*)\)", report)]
    assert set(links) >= set(drawn.glob("*/figures/*.png"))
    assert "livelock: spin_ordered at" in report
    assert "Counted on the host executor (small)" in report


def test_speedup_compares_each_primitive_at_its_own_best_grid(tmp_path: Path) -> None:
    rows = [*synthetic.rows("spin", {"collision_factor": 256, "tbs_per_sm": 1}, 8.0, 1),
            *synthetic.rows("spin", {"collision_factor": 256, "tbs_per_sm": 8}, 80.0, 1),
            *synthetic.rows("ring", {"collision_factor": 256, "tbs_per_sm": 1}, 40.0, 1),
            *synthetic.rows("ring", {"collision_factor": 256, "tbs_per_sm": 8}, 2.0, 1),
            *synthetic.rows("ticket", {"collision_factor": 256, "tbs_per_sm": 8}, None, 1,
                            "deadlock")]
    for row in rows:
        if row["status"] == "ok":
            row["real_time"] = {("spin", 1): 8.0, ("spin", 8): 80.0, ("ring", 1): 40.0,
                                ("ring", 8): 2.0}[row["primitive"], row["axes"]["tbs_per_sm"]]
    results = load_results(synthetic.write(tmp_path / "some.json",
                                           {"context": synthetic.context(), "benchmarks": rows}))
    found = speedup.speedups(gather(results.rows), 256, ["ring", "ticket"])
    assert found["ring"] is not None and found["ring"].median == 4.0
    assert found["ticket"] is None


def test_published_speedups_are_those_of_table_3() -> None:
    published, source = speedup.published_server_speedups()
    assert published == {256: pytest.approx(1 / 0.13), 1024: pytest.approx(4)}
    assert "GTX 1080 Ti" in source


def test_counts_are_per_insert_and_sum_all_scopes(tmp_path: Path) -> None:
    axes = {"collision_factor": 32, "tbs_per_sm": 1, "inserts": 100}
    rows = synthetic.rows("spin", axes, None, 1, count_rmw_device_global=250.0,
                          count_rmw_block_shared=50.0, count_poll_global=10.0)
    document = {"context": synthetic.context("host executor"), "benchmarks": rows}
    point = gather(load_results(synthetic.write(tmp_path / "one.json", document)).rows)[0]
    assert counts.per_insert(point, "count_rmw").median == 3.0
    assert counts.per_insert(point, "count_poll").median == 0.1


@pytest.mark.parametrize("module", ALL, ids=lambda module: module.NAME)
@pytest.mark.parametrize("status", ["livelock", "skipped", "error"])
def test_without_one_good_point_every_gap_is_marked(module: ModuleType, status: str,
                                                    tmp_path: Path) -> None:
    document = synthetic.host_document() if module is counts else synthetic.gpu_document()
    for row in document["benchmarks"]:
        row["status"] = status
    figure = module.draw(load_results(synthetic.write(tmp_path / "bad.json", document)))
    assert status in {text.get_text() for text in figure.findobj(Text)}


@pytest.mark.parametrize(("text", "words"), [
    (None, "No such file"), ("{", "not valid JSON"), ("{}", "not a results file")])
def test_bad_files_are_one_clear_line(tmp_path: Path, text: str | None, words: str) -> None:
    path = tmp_path / "bad.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    done = draw(str(path), code=2)
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("figures: ") and words in done.stderr


def test_the_report_tables_the_best_grid_and_the_fullest(tmp_path: Path) -> None:
    rows = [row for tbs, milliseconds in ((1, 4.0), (2, 2.0), (4, 8.0))
            for row in synthetic.rows("spin", {"collision_factor": 256, "tbs_per_sm": tbs,
                                               "threads_per_block": 64, "inserts": 4_000_000,
                                               "cs_extra": 0, "lock_padding": 0}, milliseconds)]
    path = tmp_path / "ht_gpu.json"
    path.write_text(json.dumps({"context": synthetic.context(), "benchmarks": rows}),
                    encoding="utf-8")
    table = "\n".join(hash_table_tables(load_results(path)))
    assert re.search(r"\| spin \| [\d,]+ \(2\) / [\d,]+ \|", table)
    best, full = re.search(r"\| spin \| ([\d,]+) \(2\) / ([\d,]+) \|", table).groups()
    assert int(best.replace(",", "")) == pytest.approx(4 * int(full.replace(",", "")), rel=0.25)  # the noise


def test_a_compressed_results_file_reads_like_a_plain_one(tmp_path: Path) -> None:
    document = {"context": synthetic.context(),
                "benchmarks": synthetic.rows("spin", {"collision_factor": 256}, 2.0)}
    plain, packed = tmp_path / "ht_gpu.json", tmp_path / "ht_gpu.json.gz"
    plain.write_text(json.dumps(document), encoding="utf-8")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert load_results(packed).rows == load_results(plain).rows
    assert load_results(packed).name == "ht_gpu"
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(UserError, match="not a whole gzip file"):
        load_results(packed)
