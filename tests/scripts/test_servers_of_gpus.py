"""The tables and the figure of servers on several GPUs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import accepted
import pytest
import synthetic
from finesync.report.markdown_page import tables_of
from finesync.results.loading import Results
from tables import results_of, rows_below
from test_legibility import drawn, faults_of
from workloads.ht.report import WORKLOAD

(FIGURE,) = WORKLOAD.figures["gpus"]
INSERTS = 134217728
# Billions per second of two GPUs over those of one, by what sections do.
GAIN = {"push": 1.5, "count": 1.7, "empty": 1.9}


def at(primitive: str, rate: float, keys: int, section: str, ended: str = "ok", **axes: Any
       ) -> list[dict[str, Any]]:
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
    assert one.kind == "gpus" and FIGURE.draw(one) is None
    beside = results_of(tmp_path, "ht", at("gpus_server", 50.0, 256, "push", gpus=1),
                        at("tas", 1.0, 256, "push", tbs_per_sm=1, lock_layout="packed"))
    assert beside.kind == "gpu"
