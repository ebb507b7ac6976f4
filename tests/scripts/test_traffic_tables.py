"""The figure and the tables of memory traffic."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
from finesync.report.markdown_page import tables_of
from finesync.papers import sync_traffic
from finesync.results.loading import load_results
from tables import results_of
from workloads.ht.report import TRAFFIC


def test_percentages_are_of_the_same_factor_section_and_memory(tmp_path: Path) -> None:
    rows = [*synthetic.traffic_row("spin", 256, "empty", 800.0, 0.0),
            *synthetic.traffic_row("spin", 256, "push", 1000.0, 50.0),
            *synthetic.traffic_row("spin", 1024, "push", 7.0, 7.0),
            *synthetic.traffic_row("server_fast", 256, "push", 250.0, 10.0),
            *synthetic.traffic_row("server_fast", 256, "empty", 80.0, 10.0),
            *synthetic.traffic_row("server_paper", 256, "push", 1.0, 1.0, "timed out")]
    found = sync_traffic.by_extent(results_of(tmp_path, "ht_traffic", rows), "push")
    whole, net = (found[extent].select(collision_factor=256)
                  for extent in (sync_traffic.WHOLE, sync_traffic.NET))
    assert sync_traffic.percent(whole, "server_fast", "spin", "l2_bytes") == 25.0
    assert sync_traffic.percent(whole, "server_fast", "spin", "dram_bytes") == 20.0
    assert sync_traffic.percent(net, "server_fast", "spin", "l2_bytes") == 10.0
    assert sync_traffic.percent(net, "server_fast", "spin", "dram_bytes") == "spin has none"
    assert sync_traffic.percent(whole, "server_paper", "spin", "l2_bytes") == "timed out"
    assert sync_traffic.percent(whole, "server_fast", "tas", "l2_bytes") == "not run"


@pytest.mark.parametrize(("keep", "drawn"), [
    ({"spin"}, False), ({"server_fast"}, False), ({"spin", "server_fast"}, True),
    ({"tas", "server_fast"}, True), (set(), False)])
def test_the_figure_needs_a_server_and_a_lock(tmp_path: Path, keep: set[str], drawn: bool) -> None:
    document = synthetic.traffic_document()
    document["benchmarks"] = [row for row in document["benchmarks"] if row["primitive"] in keep]
    results = load_results(synthetic.write(tmp_path / "t.json", document))
    assert (TRAFFIC.draw(results) is not None) is drawn
    tables_of(results)


def test_traffic_of_forests_is_by_graph_and_all_launches(tmp_path: Path) -> None:
    rows = [row for graph, moved in (("rmat", 3e6), ("road", 5e6))
            for row in synthetic.exact_rows("per_vertex_printed", {"input": graph}, 1.0,
                                            l2_bytes=moved, dram_bytes=moved / 2)]
    (table,) = tables_of(results_of(tmp_path, "mst_traffic", rows))
    assert table.lines[0] == "| graph | rmat | road |"
    assert table.rows == {"per_vertex_printed": ["3 / 2", "5 / 2"]}
