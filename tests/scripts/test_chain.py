"""Chains through the threads of a block: tables, figure and plans, of made-up results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest
import synthetic
from conftest import ROOT
from finesync_results import published
from finesync_results.catalogue import primitives
from finesync_results.claims import ABSENT
from finesync_results.loading import Results, load_results
from finesync_results.plan import load_plan
from finesync_results.report import tables_of
from matplotlib.text import Text
from tables import claims_below, rows_below
from workloads.chain.report import WORKLOAD
from workloads.chain.report.cycles import PAPER

(FIGURE,) = WORKLOAD.figures["gpu"]
PLANS = ROOT / "workloads" / "chain" / "plans"
PAPER_ABOVE = "A different GPU: ICS'15"

# Cycles of a hand-over from warp to warp, and bytes of 16 warps.
COSTS = {"spin": (160.0, 2048), "shared_spin": (500.0, 64), "named_barrier": (70.0, 0),
         "vote": (350.0, 64), "mbarrier": (85.0, 128), "full_empty": (150.0, 0),
         "heralded": (50.0, 0)}
BY_WARPS = {"shared_spin", "named_barrier", "vote", "mbarrier", "heralded"}


def chain(primitive: str, ended: str = "ok", **axes: Any) -> dict[str, Any]:
    """A row of a chain of 16 warps and distance 32, unless told."""
    full = {"warps": 16, "distance": 32, "rounds": 200, **axes}
    links = (32 * full["warps"] - 1) // full["distance"]
    cost, sync_bytes = COSTS[primitive]
    row = synthetic.rows(primitive, full, 1.0, 1, ended, chain_cycles_p5=cost * links * 0.9,
                         chain_cycles_p50=cost * links, chain_cycles_p95=cost * links * 1.5,
                         count_named_barrier=64.0 * links * full["rounds"])[0]
    if "ran" in row:
        row["ran"] |= {"sync_bytes": sync_bytes, "links": links,
                       "named_barriers": 15 if primitive == "named_barrier" else 0}
    return row


def planned(name: str = "gpu") -> list[dict[str, Any]]:
    """A row for each combination of a plan, of the primitives that have costs."""
    made = []
    for point in load_plan(PLANS / f"{name}.json").points:
        for chosen in point.combinations():
            axes = {**point.options, **chosen}
            primitive = str(axes.pop("primitive"))
            if primitive in COSTS:
                lost = primitive in BY_WARPS and axes["distance"] % 32 != 0
                made.append(chain(primitive, "skipped" if lost else "ok", **axes))
    return made


def results_of(folder: Path, rows: list[dict[str, Any]], machine: str = "gpu") -> Results:
    """Results with these rows."""
    made = {"context": synthetic.context(machine, program="chain"), "benchmarks": rows}
    return load_results(synthetic.write(folder / "chain.json", made))


def test_the_schemes_stand_beside_the_published_speed_ups(tmp_path: Path) -> None:
    tables = tables_of(results_of(tmp_path, planned()))
    rows = rows_below(tables, "Cycles of a chain of 16 warps")
    assert rows["spin"] == ["2,400", "160", "1.00", "1.0 (atom_lock)"]
    assert rows["named_barrier"] == ["1,050", "70", "2.29", "2.6 (warp_barr)"]
    assert rows["mbarrier"][2:] == ["1.88", "-"]


def test_resources_are_what_ran_took(tmp_path: Path) -> None:
    rows = rows_below(tables_of(results_of(tmp_path, planned())), "What a scheme takes")
    assert rows["spin"] == ["2,048", "0", "2,048 bytes, 512 lock bits"]
    assert rows["named_barrier"] == ["0", "15", "0 bytes, 0 lock bits"]
    assert rows["heralded"] == ["0", "0", "-"]


def test_distances_are_per_hand_over_and_say_what_is_missing(tmp_path: Path) -> None:
    rows = rows_below(tables_of(results_of(tmp_path, planned())), "Cycles per hand-over in a block")
    assert rows["distance"] == ["1", "2", "4", "8", "16", "32", "64"]
    assert rows["spin"] == ["160"] * 7
    assert rows["vote"] == ["skipped"] * 5 + ["350"] * 2


def test_warps_are_a_table_where_there_are_several(tmp_path: Path) -> None:
    heading = "Cycles of the chain, by its warps:"
    tables = tables_of(results_of(tmp_path, planned()))
    assert rows_below(tables, heading)["spin"] == ["160", "480", "1,120", "2,400"]
    one = tables_of(results_of(tmp_path, [chain("spin")]))
    assert heading not in "\n".join(table.title for table in one)


def test_counts_of_the_executor_are_per_hand_over(tmp_path: Path) -> None:
    rows = rows_below(tables_of(results_of(tmp_path, planned("host"), "host executor")),
                      "Operations per hand-over of a warp, of 16 warps")
    assert rows["named_barrier"][3] == "64"


def test_the_figure_names_every_scheme_and_crosses_out_what_failed(tmp_path: Path) -> None:
    drawn = FIGURE.draw(results_of(tmp_path, [chain("spin"), chain("vote", ended="stuck")]))
    assert drawn is not None
    words = {text.get_text() for text in drawn.findobj(Text)}
    assert {"spin lock", "stuck"} <= words
    plt.close("all")


@pytest.mark.parametrize("rows", [[], [chain("spin", ended="error")]])
def test_without_results_nothing_is_claimed(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    results = results_of(tmp_path, rows)
    assert all("1.00" not in line for table in tables_of(results) for line in table.lines)
    plt.close("all")


def test_what_the_paper_names_is_in_the_catalogue_and_published() -> None:
    assert set(PAPER) <= {entry["name"] for entry in primitives(["channels"], "chain")}
    assert set(PAPER.values()) == set(published.ics15()["table2_speedup_over_atom_lock"])


def test_claims_are_decided_by_the_cycles(tmp_path: Path) -> None:
    rows = claims_below(PAPER_ABOVE, results_of(tmp_path, planned()))
    assert rows["the pair of warp barriers is faster than the spin lock per thread"] == [
        "2.6x", "holds: 2.29x"]
    assert rows["tiny-lock is faster than the pair of warp barriers"] == [
        "1.5x", "does not hold: 0.47x"]
    assert rows["a spin lock shared by a warp is slower than one per thread"] == [
        "0.8x", "holds: 0.32x"]
    assert rows["tiny-lock needs no shared memory beside the tokens, the spin lock a word per "
                "thread"][1] == "holds: 0 and 2,048 bytes"


def test_claims_without_rows_say_so(tmp_path: Path) -> None:
    found = claims_below(PAPER_ABOVE, results_of(tmp_path, [chain("mbarrier")]))
    assert {here for _, here in found.values()} == {ABSENT}
