"""The hash table's report: the paper's servers step by step and by the sizes that a program chooses,
servers on several GPUs, and memory traffic."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import accepted
import pytest
import synthetic
from finesync.papers import sync_traffic
from finesync.report.folder_tables import tables_of
from finesync.results.loading import Results, load_results
from synthetic import Rows
from tables import results_of, rows_below
from test_legibility import drawn, faults_of
from workloads.ht.report.curves import curve_tables, step_tables
from workloads.ht.report.figures import ACROSS_GPUS, TRAFFIC

INSERTS = 134217728
# Billions per second of two GPUs over those of one, by what sections do.
GAIN = {"push": 1.5, "count": 1.7, "empty": 1.9}


def server(primitive: str, milliseconds: float, tuned: bool = False, **axes: Any) -> Rows:
    """A million inserts."""
    where = {"collision_factor": 256, "inserts": 1_000_000, "section": "push", "section_work": 0,
             "client_work": 0, "threads_per_block": 512, "tbs_per_sm": 1, **axes}
    rows = synthetic.exact_rows(primitive, where, milliseconds)
    return [{**row, "tuned": {"axes": {}}} for row in rows] if tuned else rows


def test_steps_are_over_the_basic_servers_each_as_tuned(tmp_path: Path) -> None:
    results = results_of(tmp_path, "ht", server("server_basic", 4.0, tuned=True),
                         server("server_led", 2.0, tuned=True),
                         server("server_led", 0.5),
                         server("server_paper", 1.0, tuned=True))
    (table,) = step_tables(results)
    assert table.rows["basic (3.2.1)"] == ["0.25 (1x)"]
    assert table.rows["basic and a leader warp (3.2.3)"] == ["0.5 (2x)"]
    assert table.rows["both, a lazy copy of read_idx"] == ["1 (4x)"]
    assert table.rows["basic and local buffers (3.2.4)"] == ["not run"]
    assert step_tables(results_of(tmp_path, "ht", server("server_basic", 4.0, tuned=True),
                                  server("server_paper", 1.0, tuned=True))) == []


def test_curves_are_of_one_launch_and_of_sizes_that_were_swept(tmp_path: Path) -> None:
    results = results_of(
        tmp_path, "ht",
        *(server("server_paper", 100 / share, servers_percent=share) for share in (10, 50)),
        *(server("server_paper", 1000 / share, servers_percent=share, section_work=4)
          for share in (10, 50)),
        server("server_paper", 20.0, servers_percent=50, client_work=4),
        server("server_paper", 0.1, servers_percent=90, threads_per_block="auto"),
        server("server_paper", 0.1, servers_percent=80, tuned=True),
        server("server_paper", 0.1, servers_percent=70, sms=28),
        server("server_paper", 5.0, servers_percent=50, server_locks=512),
        server("server_paper", 2.5, servers_percent=50, server_locks=4096))
    share, locks = curve_tables(results)
    assert (share.id, share.columns) == ("server-share", [10, 50])
    assert share.rows == {"sections of 0 thousand cycles more": ["0.1", "0.5"],
                          "sections of 4 thousand cycles more": ["0.01", "0.05"]}
    assert (locks.id, locks.rows) == ("server-locks", {"256 keys": ["0.2", "0.4"]})
    assert curve_tables(results_of(tmp_path, "ht", server("server_paper", 1.0))) == []


def at(primitive: str, rate: float, keys: int, section: str, ended: str = "ok", **axes: Any) -> Rows:
    """A point at this rate, in billions of inserts per second. By default on one GPU."""
    full = {"collision_factor": keys, "section": section, "section_work": 0, "inserts": INSERTS, **axes}
    return synthetic.exact_rows(primitive, full, INSERTS / rate / 1e6, ended)


@pytest.fixture(name="results")
def fixture_results(tmp_path: Path) -> Results:
    points = []
    for keys in (256, 4096, 131072):
        rate = keys ** 0.5 / 6
        for section, gain in GAIN.items():
            points.append(at("server_fast", rate * 1.1, keys, section, client_work=0))
            for gpus in (1, 2, 4):
                for buffer, slower in ((32, 1.2), (64, 1.0)):
                    points.append(at("gpus_server", rate * gain ** (gpus // 2) / slower, keys, section,
                                     "skipped" if gpus == 4 and keys == 256 else "ok",
                                     gpus=gpus, local_buffer=buffer, client_work=0))
        points += [at("gpus_lockfree", 100 / gpus ** 2, keys, "count", gpus=gpus) for gpus in (1, 2, 4)]
    return results_of(tmp_path, "ht", *points)


def test_servers_of_several_gpus_are_set_against_one_gpu_and_additions(results: Results) -> None:
    assert results.kind == "gpus"
    rows = rows_below(tables_of(results), "G counts/s of all GPUs together")
    assert list(rows)[2:] == ["server_fast, GPUs: 1", *(f"gpus_server, GPUs: {gpus}" for gpus in (1, 2, 4)),
                              *(f"gpus_lockfree, GPUs: {gpus}" for gpus in (1, 2, 4))]
    assert rows["server_fast, GPUs: 1"][2] == "66.4 (0.664x additions)"
    assert rows["gpus_server, GPUs: 2"][2] == "103 (1.55x one GPU, 4.1x additions)"
    assert rows["gpus_server, GPUs: 4"][0] == "skipped"
    assert rows["gpus_lockfree, GPUs: 2"][2] == "25"
    messages = rows_below(tables_of(results), "G empty sections/s of all GPUs together")
    assert messages["gpus_server, GPUs: 2"][2] == "115 (1.73x one GPU)"


def test_a_table_names_what_its_brackets_are_over(tmp_path: Path) -> None:
    points = [at("gpus_server", 40, 4096, section, gpus=2, client_work=0) for section in ("empty", "push")]
    lock_free = at("gpus_lockfree", 15, 4096, "count", gpus=2)
    pushes, counts, messages = (table.title for table in tables_of(results_of(tmp_path, "ht", *points, lock_free)))
    assert pushes.endswith("at its best grid; in brackets: over lock-free additions on as many GPUs:")
    assert counts.startswith("G counts/s")
    assert messages.endswith("at its best grid:")


def test_the_figure_is_legible_and_all_is_as_accepted(results: Results, accept: bool) -> None:
    seen = accepted.of_results(results)
    assert faults_of(drawn(results), seen) == []
    accepted.compare(accept, "servers-of-gpus", seen)


def test_servers_of_one_gpu_have_no_figure_and_beside_others_are_results_of_one_gpu(tmp_path: Path) -> None:
    one = results_of(tmp_path, "ht", at("gpus_server", 50.0, 256, "push", gpus=1))
    assert one.kind == "gpus" and ACROSS_GPUS.draw(one) is None
    beside = results_of(tmp_path, "ht", at("gpus_server", 50.0, 256, "push", gpus=1),
                        at("tas", 1.0, 256, "push", tbs_per_sm=1, lock_layout="packed"))
    assert beside.kind == "gpu"


def test_percentages_are_of_the_same_factor_section_and_memory(tmp_path: Path) -> None:
    rows = [*synthetic.traffic_row("spin", 256, "empty", 800.0, 0.0),
            *synthetic.traffic_row("spin", 256, "push", 1000.0, 50.0),
            *synthetic.traffic_row("spin", 1024, "push", 7.0, 7.0),
            *synthetic.traffic_row("server_fast", 256, "push", 250.0, 10.0),
            *synthetic.traffic_row("server_fast", 256, "empty", 80.0, 10.0),
            *synthetic.traffic_row("server_paper", 256, "push", 1.0, 1.0, "timed out")]
    found = sync_traffic.by_extent(results_of(tmp_path, "ht_traffic", rows), "push")
    whole, net = (found[extent].select(collision_factor=256) for extent in (sync_traffic.WHOLE, sync_traffic.NET))
    assert sync_traffic.percent(whole, "server_fast", "spin", "l2_bytes") == 25.0
    assert sync_traffic.percent(whole, "server_fast", "spin", "dram_bytes") == 20.0
    assert sync_traffic.percent(net, "server_fast", "spin", "l2_bytes") == 10.0
    assert sync_traffic.percent(net, "server_fast", "spin", "dram_bytes") == "spin has none"
    assert sync_traffic.percent(whole, "server_paper", "spin", "l2_bytes") == "timed out"
    assert sync_traffic.percent(whole, "server_fast", "tas", "l2_bytes") == "not run"


@pytest.mark.parametrize(("keep", "shown"), [
    ({"spin"}, False), ({"server_fast"}, False), ({"spin", "server_fast"}, True),
    ({"tas", "server_fast"}, True), (set(), False)])
def test_the_figure_needs_a_server_and_a_lock(tmp_path: Path, keep: set[str], shown: bool) -> None:
    document = synthetic.traffic_document()
    document["benchmarks"] = [row for row in document["benchmarks"] if row["primitive"] in keep]
    results = load_results(synthetic.write(tmp_path / "t.json", document))
    assert (TRAFFIC.draw(results) is not None) is shown
    tables_of(results)
