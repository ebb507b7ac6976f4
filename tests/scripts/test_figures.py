"""Figures and report of made-up results."""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest
import synthetic
from conftest import ROOT
from finesync_results import collisions, pairs, published, speedups
from finesync_results.errors import UserError
from finesync_results.loading import Results, load_results
from finesync_results.points import Spread, each, of
from finesync_results.workload import Drawing
from matplotlib.text import Text
from tables import rows_below
from workloads.ht.report import WORKLOAD, counts, inserts, lock_tables, server_tables

FIGURES = ROOT / "scripts" / "figures.py"
DRAWINGS = {kind: WORKLOAD.figures[kind] for kind in ("gpu", "host", "gpu_traffic")}


@pytest.fixture(autouse=True)
def fixture_closed_figures() -> Iterator[None]:
    """Closes what a test has drawn."""
    yield
    plt.close("all")


def draw(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs figures.py and checks its exit status."""
    done = subprocess.run([sys.executable, str(FIGURES), "--only", *arguments], text=True,
                          capture_output=True, timeout=600, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(name="drawn", scope="module")
def fixture_drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with figures of a GPU's and of the host executor's results, and the report."""
    folder = tmp_path_factory.mktemp("results")
    gpu = synthetic.write(folder / "test-gpu" / "gpu.json", synthetic.gpu_document())
    servers = synthetic.write(folder / "test-gpu" / "servers.json", synthetic.server_document())
    moved = synthetic.write(folder / "test-gpu" / "moved.json", synthetic.traffic_document())
    host = synthetic.write(folder / "host" / "host.json", synthetic.host_document())
    printed = draw(str(gpu), str(servers), str(moved), str(host), "--report",
                   str(folder / "report.md")).stdout
    for path in folder.rglob("figures/*"):
        assert str(path) in printed.splitlines()
    return folder


def text_of(svg: Path) -> str:
    """The words of a drawing."""
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text(encoding="utf-8")))


@pytest.mark.parametrize(("figure", "words"), [
    ("speedup", ["Test GPU 9000", "at its best grid (x)", "over the best lock (x)",
                 "at full occupancy (x)", "HT-128K", "published for the GTX 1080 Ti", "7.7", "4.0",
                 "8 x 256", "lock-free (no lock)"]),
    ("contention", ["Test GPU 9000", "M inserts/s", "thread blocks per SM", "stuck", "slow",
                    "skipped"]),
    ("section_length", ["Test GPU 9000", "run time / run time without loop", "stuck"]),
    ("padding", ["Test GPU 9000", "M inserts/s", "one lock per line"]),
])
def test_gpu_figures_name_gpu_units_and_failures(drawn: Path, figure: str,
                                                 words: list[str]) -> None:
    assert (drawn / "test-gpu" / "figures" / f"gpu-{figure}.png").stat().st_size > 20000
    text = text_of(drawn / "test-gpu" / "figures" / f"gpu-{figure}.svg")
    for word in words:
        assert word in text


@pytest.mark.parametrize(("name", "words"), [
    ("servers-speedup", ["server, basic", "server, as in the paper", "server, fast", "Listing 1 at its best grid",
                         "published for the GTX 1080 Ti", "7.7", "4.0", "stuck", "test and test-and-set",
                         "Test GPU 9000"]),
    ("servers-section_length", ["server, basic", "server, as in the paper", "server, fast"]),
    ("servers-contention", ["server, fast (best)", "collision factor 32"]),
    ("moved-traffic", ["L2 traffic (% of spin)", "DRAM traffic (% of spin)", "stuck",
                       "published for the GTX 1080 Ti", "ncu 2025.3.1.0", "Caches were flushed"]),
])
def test_figures_of_servers_name_servers_and_who_published(drawn: Path, name: str,
                                                           words: list[str]) -> None:
    text = text_of(drawn / "test-gpu" / "figures" / f"{name}.svg")
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
        "moved-traffic", *(f"{name}-{drawing.name}" for drawing in DRAWINGS["gpu"]
                           for name in ("gpu", "servers"))}


def test_the_same_results_give_the_same_svg(drawn: Path, tmp_path: Path) -> None:
    again = synthetic.write(tmp_path / "gpu.json", synthetic.gpu_document())
    draw(str(again))
    assert len(list((tmp_path / "figures").glob("*.svg"))) == 4
    for path in (tmp_path / "figures").glob("*.svg"):
        assert path.read_bytes() == (drawn / "test-gpu" / "figures" / path.name).read_bytes()


def test_the_report_links_every_figure_and_tells_failures(drawn: Path) -> None:
    report = (drawn / "report.md").read_text(encoding="utf-8")
    links = [drawn / link for link in re.findall(r"!\[[^]]*\]\(([^)]*)\)", report)]
    assert set(links) >= set(drawn.glob("*/figures/*.png"))
    assert "slow: spin_ordered at" in report and "stuck: spin_ordered at" in report
    assert "for lock 7, stuck" in report
    assert "- combinations: 262 ok, 5 stuck, 4 skipped, 1 slow\n" in report
    assert "Counted on the host executor (small)" in report


def exact(primitive: str, milliseconds: float | None, ended: str = "ok",
          **axes: Any) -> list[dict[str, Any]]:
    """One repetition without noise; at 256 elements unless told otherwise."""
    made = synthetic.rows(primitive, {"collision_factor": 256, **axes}, milliseconds, 1, ended)[:1]
    return [row | {"real_time": milliseconds or 0.0} for row in made]


def results_of(folder: Path, *rows: list[dict[str, Any]]) -> Results:
    """A GPU's results with these rows."""
    document = {"context": synthetic.context(), "benchmarks": [row for own in rows for row in own]}
    return load_results(synthetic.write(folder / "some.json", document))


def test_speedup_compares_each_primitive_at_its_own_best_grid(tmp_path: Path) -> None:
    points = inserts.inserts(results_of(
        tmp_path, exact("spin", 8.0, tbs_per_sm=1), exact("spin", 80.0, tbs_per_sm=8),
        exact("ring", 40.0, tbs_per_sm=1), exact("ring", 2.0, tbs_per_sm=8),
        exact("ticket", None, "stuck", tbs_per_sm=8)))
    found = collisions.ratio(of(points, "ring"), of(points, "spin"))
    assert isinstance(found, Spread) and found.median == 4.0
    assert collisions.ratio(of(points, "ticket"), of(points, "spin")) == "stuck"


def test_listing_1_at_full_occupancy_fills_an_sm_and_the_tuned_lock_is_the_best(
        tmp_path: Path) -> None:
    results = results_of(
        tmp_path, exact("spin", 8.0, tbs_per_sm=1), exact("spin", 90.0, tbs_per_sm=8),
        exact("spin", 70.0, tbs_per_sm=8, lock_padding="padded"), exact("ticket", 5.0, tbs_per_sm=1),
        exact("ticket", 4.0, tbs_per_sm=8, lock_padding="padded"),
        exact("ticket", 1.0, tbs_per_sm=1, section="empty"),
        exact("ring", 1.0, tbs_per_sm=1, cs_extra=1),
        exact("combining", 2.0, "wrong", tbs_per_sm=1), exact("server_fast", 0.5, tbs_per_sm="auto"),
        exact("lockfree", 0.1, tbs_per_sm=8))
    (pair,) = speedups.recorded(results)
    full, best_grid, best_lock = pair.baselines().values()
    assert list(full["seconds"]) == [pytest.approx(0.09)]
    assert sorted(best_grid["seconds"]) == [pytest.approx(0.008), pytest.approx(0.09)]
    tuned = collisions.best(best_lock)
    assert tuned is not None
    assert (tuned["primitive"], collisions.grid_label(tuned, results.gpu)) == ("ticket", "8 x 256")
    assert dataclasses.replace(pair, gpu={}).baselines()[f"{pair.printed} at full occupancy"].empty


def test_what_ran_says_the_grid_and_whether_it_is_full(tmp_path: Path) -> None:
    ran = ({"blocks": 8 * 132, "threads_per_block": 256},  # all threads of each SM
           {"blocks": 32 * 132, "threads_per_block": 32},  # all blocks of each SM
           {"blocks": 8 * 132 - 1, "threads_per_block": 256}, {"blocks": 198, "threads_per_block": 64})
    rows = [row | {"ran": own} for number, own in enumerate(ran) for row in
            exact("spin", 8.0, tbs_per_sm="auto", threads_per_block="auto", number=number)]
    results = results_of(tmp_path, rows, exact("spin", 8.0, "skipped", tbs_per_sm=32))
    points = inserts.inserts(results)
    assert [collisions.grid_label(point, results.gpu) for point in each(points[points["ok"]])] == [
        "8 x 256", "32 x 32", "8.0 x 256", "1.5 x 64"]
    assert collisions.grid_labels(points[3:], results.gpu) == ["1.5 x 64"]
    assert inserts.block_sizes(points) == "32 and 64 and 256"
    assert inserts.block_sizes(points[4:]) == "256"  # none ran: as asked for
    (pair,) = speedups.recorded(results)
    assert list(pair.baselines()["Listing 1 at full occupancy"].index) == [0, 1]


def test_rates_and_not_times_are_compared(tmp_path: Path) -> None:
    points = inserts.inserts(results_of(tmp_path, exact("spin", 8.0, inserts=100),
                                        exact("server_fast", 8.0, inserts=400)))
    found = collisions.ratio(points[1:], points[:1])
    assert isinstance(found, Spread) and found.median == 4.0


def test_what_tuning_chose_or_excluded_is_no_point_of_a_sweep(tmp_path: Path) -> None:
    tuned = [row | {"tuned": {"axes": {"tbs_per_sm": 3}, "tried": 9}}
             for row in exact("spin", 1.0, tbs_per_sm=3)]
    excluded = [row | {"excluded_candidate": True}
                for row in exact("spin", None, "stuck", tbs_per_sm=5)]
    results = results_of(tmp_path, exact("spin", 8.0, tbs_per_sm=1),
                         exact("spin", 9.0, tbs_per_sm=2), tuned, excluded)
    points = inserts.inserts(results)
    assert list(inserts.grid_sweep(points)["tbs_per_sm"]) == [1, 2]
    best = collisions.best(points)
    assert best is not None and best["tbs_per_sm"] == 3
    assert points["ok"].all()


def test_sections_without_memory_accesses_are_no_inserts(tmp_path: Path) -> None:
    empty = [row for name in synthetic.LOCKS for grid in (1, 2, 4)
             for row in exact(name, 1.0, tbs_per_sm=grid, section="empty", cs_extra=grid - 1)]
    results = results_of(tmp_path, empty)
    assert all(drawing.draw(results) is None for drawing in DRAWINGS["gpu"])
    assert WORKLOAD.tables["gpu"](results) == []


def test_longer_sections_are_compared_at_one_launch(tmp_path: Path) -> None:
    points = collisions.longer(inserts.measured(results_of(
        tmp_path, exact("server_fast", 2.0, tbs_per_sm=1, servers_percent=50),
        exact("server_fast", 6.0, tbs_per_sm=1, servers_percent=50, cs_extra=4),
        exact("server_fast", 9.0, tbs_per_sm=1, servers_percent=33, cs_extra=4))))
    ratios = collisions.lengthened(points)
    assert {size: ratio.median for size, ratio in ratios.items()} == {0: 1.0, 4: 3.0}


def test_published_speedups_are_those_of_tables_3_and_4() -> None:
    normalised = {pair: entry["run_time_normalised"]
                  for pair, entry in published.latencies().items()}
    assert normalised == {"ATM-256": 0.31, "ATM-1K": 0.68, "HT-256": 0.13, "HT-1K": 0.25,
                          "MST-rmat": 0.11, "MST-r4": 0.13}
    assert published.speedups() == {
        "hql": {"HT-32": 10.0, "HT-128": 1.6, "HT-512": 1.1, "HT-1K": 0.9},
        "bows": {"HT-1K": 1.3, "ATM-1K": 1.8},
        "server": {"HT-32": 18.3, "HT-128": 8.9, "HT-512": 4.0, "HT-1K": 3.9, "ATM-1K": 1.5}}
    named = {pair.name for pair in pairs.pairs_of([], all_inputs=True)}
    assert {*published.latencies(), *published.server_speedups()} <= named
    assert published.gpu() == "GTX 1080 Ti"


def test_servers_are_tabled_against_the_tuned_lock(tmp_path: Path) -> None:
    tables = server_tables(results_of(
        tmp_path, exact("spin", 80.0, tbs_per_sm=8), exact("ticket", 8.0, tbs_per_sm=4),
        exact("carrying", 6.0, tbs_per_sm=4),
        exact("server_paper", 4.0, tbs_per_sm="auto"), exact("server_fast", 2.0, tbs_per_sm="auto"),
        exact("server_fast", 0.5, tbs_per_sm="auto", section="empty"),
        exact("server_fast", 0.1, tbs_per_sm="auto", section="empty", cs_extra=1),
        exact("ticket", None, "slow", tbs_per_sm=4, collision_factor=1024)))
    assert rows_below(tables, "Servers and locks") == {
        "collision factor": ["256", "1,024"], "---": ["---", "---"],
        "the best lock that protects any data": ["0.524 (ticket, 4 x 256)", "slow"],
        "the best lock that carries the word": ["0.699 (carrying, 4 x 256)", "not run"],
        "server_paper": ["1.05 (2x / 1.5x)", "not run"],
        "server_fast": ["2.1 (4x / 3x)", "not run"], "lockfree": ["not run", "not run"],
        "server_fast / server_paper": ["2x", "not run"],
        "server_fast, received only": ["8.39", "not run"]}


def test_a_lock_whose_transfers_are_not_timed_has_no_latency(tmp_path: Path) -> None:
    def at_grids(name: str, **counters: float) -> list[dict[str, Any]]:
        return [row | counters for grid in (1, 8) for row in exact(name, 8.0, tbs_per_sm=grid)]

    lines = lock_tables(results_of(
        tmp_path, at_grids("ticket", lock_transfer_cycles=1500.0), at_grids("carrying"),
        at_grids("lockfree"), [row for grid in (1, 8)
                               for row in exact("spin", None, "stuck", tbs_per_sm=grid)]))
    assert set(rows_below(lines, "M inserts/s")) >= {"ticket", "carrying", "lockfree", "spin"}
    latencies = rows_below(lines, "Lock-transfer latency")
    assert latencies["ticket"] == ["1,500 / 1,500"]
    assert latencies["spin"] == ["stuck / stuck"]
    assert not {"carrying", "lockfree"} & set(latencies)


def test_tables_3_and_4_stand_beside_the_published_ones(tmp_path: Path) -> None:
    def all_at(factor: int) -> list[dict[str, Any]]:
        made = [exact("spin", 80.0, tbs_per_sm=8, collision_factor=factor),
                exact("spin", 10.0, tbs_per_sm=1, collision_factor=factor),
                exact("ticket", 8.0, tbs_per_sm=4, collision_factor=factor),
                exact("server_fast", 2.0, tbs_per_sm="auto", collision_factor=factor)]
        return [row | {"lock_transfer_cycles": 1000.0 * row["real_time"]}
                for own in made for row in own]

    lines = speedups.tables(results_of(tmp_path, *map(all_at, (32, 256, 1024, 32768)),
                                       exact("spin", 4.0, tbs_per_sm=1, collision_factor=512)))
    third = rows_below(lines, "Lock-transfer latency")
    assert third["pair"] == ["HT-32", "HT-256", "HT-512", "HT-1K", "HT-32K"]
    assert third["Listing 1 at full occupancy"] == ["80,000 / 1 / 8"] * 2 + ["not run"] + [
        "80,000 / 1 / 8"] * 2
    assert third["Listing 1 at its best grid"][1:3] == ["10,000 / 0.125 / 1", "- / not run / 1"]
    assert third["the best lock"][0] == "8,000 / 0.1 / 0.8"
    assert third["server_fast"][:3] == ["2,000 / 0.025 / 0.2"] * 2 + ["not run"]
    assert third["baseline, published (GTX 1080 Ti)"][:3] == ["", "2,192 / 1.00", ""]
    assert third["server, published (GTX 1080 Ti)"][:4] == ["", "248 / 0.13", "", "863 / 0.25"]
    fourth = rows_below(lines, "Speed-up over ")
    assert fourth["server_fast"][:3] == ["40x / 5x / 4x"] * 2 + ["not run"]
    assert fourth["servers, published (GTX 1080 Ti)"] == ["18.3x", "7.7x", "4.0x", "4.0x", ""]
    assert fourth["HQL, published (simulated Radeon HD 5870)"] == ["10.0x", "", "1.1x", "0.9x", ""]
    assert fourth["BOWS, published (simulated GTX 1080 Ti)"] == ["", "", "", "1.3x", ""]


def test_a_figure_without_rows_is_left_out_with_one_line(tmp_path: Path) -> None:
    document = synthetic.traffic_document()
    document["benchmarks"] = [row for row in document["benchmarks"] if row["primitive"] == "spin"]
    synthetic.write(tmp_path / "moved.json", document)
    only = [row for row in synthetic.server_document()["benchmarks"]
            if row["primitive"] == "server_fast"]
    results_of(tmp_path, only)
    printed = draw(str(tmp_path / "moved.json"), str(tmp_path / "some.json"), "--report",
                   str(tmp_path / "report.md")).stdout.splitlines()
    left_out = {line.split(":")[-1].split(",")[0].strip() for line in printed
                if line.startswith(str(tmp_path)) and "which needs" in line}
    assert left_out == {"no figure traffic", "no figure speedup", "no figure contention",
                        "no figure padding", *(f"no figure asplos19-figure{n}" for n in (7, 8, 9))}
    assert (tmp_path / "figures" / "some-section_length.png").exists()
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| the best lock that protects any data | not run |" in report


def test_counts_are_per_insert_and_sum_all_scopes(tmp_path: Path) -> None:
    axes = {"collision_factor": 32, "tbs_per_sm": 1, "inserts": 100}
    rows = synthetic.rows("spin", axes, None, 1, count_rmw_device_global=250.0,
                          count_rmw_block_shared=50.0, count_poll_global=10.0)
    document = {"context": synthetic.context("host executor"), "benchmarks": rows}
    (point,) = each(load_results(synthetic.write(tmp_path / "one.json", document)).points)
    assert counts.per_insert(point, "count_rmw").median == 3.0
    assert counts.per_insert(point, "count_poll").median == 0.1


@pytest.mark.parametrize(("kind", "drawing"), [
    (kind, drawing) for kind, drawings in DRAWINGS.items() for drawing in drawings])
@pytest.mark.parametrize("ended", ["livelock", "stuck", "slow", "skipped", "error"])
def test_without_one_good_point_every_gap_is_marked(kind: str, drawing: Drawing, ended: str,
                                                    tmp_path: Path) -> None:
    document = {"host": synthetic.host_document, "gpu": synthetic.gpu_document,
                "gpu_traffic": synthetic.traffic_document}[kind]()
    for row in document["benchmarks"]:
        row |= synthetic.ending(ended)
    figure = drawing.draw(load_results(synthetic.write(tmp_path / "bad.json", document)))
    assert ended in {text.get_text() for text in figure.findobj(Text)}


@pytest.mark.parametrize(("text", "words"), [
    (None, "No such file"), ("{", "not valid JSON"), ("{}", "not a finesync results file")])
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
                                               "cs_extra": 0}, milliseconds)]
    path = tmp_path / "ht_gpu.json"
    path.write_text(json.dumps({"context": synthetic.context(), "benchmarks": rows}),
                    encoding="utf-8")
    (cell,) = rows_below(lock_tables(load_results(path)), "M inserts/s")["spin"]
    found = re.fullmatch(r"([\d,]+) \(2\) / ([\d,]+)", cell)
    assert found
    best, full = found.groups()
    assert int(best.replace(",", "")) == pytest.approx(4 * int(full.replace(",", "")), rel=0.25)  # the noise


def test_a_compressed_results_file_reads_like_a_plain_one(tmp_path: Path) -> None:
    document = {"context": synthetic.context(),
                "benchmarks": synthetic.rows("spin", {"collision_factor": 256}, 2.0)}
    plain, packed = tmp_path / "ht_gpu.json", tmp_path / "ht_gpu.json.gz"
    plain.write_text(json.dumps(document), encoding="utf-8")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert load_results(packed).rows.equals(load_results(plain).rows)
    assert load_results(packed).name == "ht_gpu"
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(UserError, match="not a whole gzip file"):
        load_results(packed)
