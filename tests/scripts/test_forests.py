"""Minimum spanning forests: tables, figure, claims and plan, of made-up results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import synthetic
from conftest import ROOT
from finesync_results.catalogue import primitives
from finesync_results.claims import ABSENT
from finesync_results.loading import Results, load_results
from finesync_results.plan import load_plan
from finesync_results.report import tables_of
from matplotlib.text import Text
from tables import claims_below, rows_below
from workloads.mst.report import WORKLOAD
from workloads.mst.report.times import BOUND

FIGURE, SPEEDUP = WORKLOAD.figures["gpu"]
PAPER_ABOVE = "A different GPU: ASPLOS'19"


def forest(primitive: str, of: str, milliseconds: float, ended: str = "ok",
           **axes: Any) -> list[dict[str, Any]]:
    """A point, without noise."""
    return synthetic.exact_rows(primitive, {"input": of, **axes}, milliseconds, ended=ended)


def results_of(folder: Path, *rows: list[dict[str, Any]]) -> Results:
    """Results with these rows."""
    return load_results(synthetic.write_gpu_run(folder, "mst", *rows))


def forests(folder: Path) -> Results:
    """Two graphs: on the second the printed lock fails."""
    return results_of(
        folder, forest("vertices_spin", "r4", 50.0), forest("ttas", "r4", 5.0, light=70),
        forest("exchanged", "r4", 4.0, light=0), forest("exchanged", "r4", 2.5, light=70),
        forest("server_fast", "r4", 10.0, light=70),
        forest("atomic_minimum", "r4", 2.0, light=0), forest("atomic_minimum", "r4", 1.25, light=70),
        forest("vertices_spin", "rmat", 0.0, ended="slow"), forest("exchanged", "rmat", 1.0, light=20))


def test_times_are_those_of_the_best_share(tmp_path: Path) -> None:
    rows = rows_below(tables_of(forests(tmp_path)), "ms for the forest")
    assert rows == {
        "graph": ["r4", "rmat"], "---": ["---"] * 2, "vertices_spin": ["50", "slow"],
        "ttas": ["5", "not run"], "exchanged": ["2.5", "1"], "server_fast": ["10", "not run"],
        "atomic_minimum": ["1.25", "not run"]}


def test_speed_ups_are_over_the_printed_and_over_the_best_lock(tmp_path: Path) -> None:
    rows = rows_below(tables_of(forests(tmp_path)), "Speed-up over Listing 1 at its best grid")
    assert rows["pair"] == ["MST-r4", "MST-rmat"]
    assert rows["server_fast"] == ["5x / 0.25x", "not run"]
    assert rows["atomic_minimum"] == ["40x / 2x", "not run"]
    assert rows["servers, published (GTX 1080 Ti)"] == ["7.7x", "9.1x"]
    drawn = SPEEDUP.draw(forests(tmp_path))
    assert drawn is not None
    assert "MST-r4\nexchanged records\n1 x 256" in {text.get_text() for text in drawn.findobj(Text)}
    plt.close(drawn)


def test_the_bound_has_a_table_by_how_many_edges_are_light(tmp_path: Path) -> None:
    rows = rows_below(tables_of(forests(tmp_path)), "ms of `atomic_minimum`, by how many")
    assert rows["r4"] == ["2", "1.25"]


def test_the_figure_has_a_panel_for_each_graph(tmp_path: Path) -> None:
    drawn = FIGURE.draw(forests(tmp_path))
    assert drawn is not None
    assert {"r4", "rmat", "ms"} <= {text.get_text() for text in drawn.findobj(Text)}
    plt.close(drawn)
    assert FIGURE.draw(results_of(tmp_path, forest("ttas", "r4", 0.0, ended="slow"))) is None


def test_claims_are_about_both_locks(tmp_path: Path) -> None:
    ((paper, here),) = claims_below(PAPER_ABOVE, forests(tmp_path)).values()
    assert paper == "0.11 of its time (rmat), 0.13 of its time (r4)"
    assert here == "holds: 5x over Listing 1 at its best grid, 0.25x over the best lock (MST-r4)"
    ((_, here),) = claims_below(PAPER_ABOVE, results_of(tmp_path, forest("ttas", "r4", 1.0))).values()
    assert here == ABSENT


def test_the_plan_has_every_version() -> None:
    planned = {chosen["primitive"]
               for point in load_plan(ROOT / "workloads" / "mst" / "plans" / "gpu.json").points
               for chosen in point.combinations()}
    assert planned == {one["name"] for one in primitives(["minima"], "mst")} >= {BOUND}
