"""What the programs of ASPLOS'19 and ICS'15 report: verdicts on claims, and what no recorded run
pins. test_documents.py compares their tables with those of the recorded runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import synthetic
from finesync.figures.report import tables_of
from finesync.papers import published
from finesync.papers.claims import ABSENT, claims_of
from finesync.results.catalogue import primitives
from finesync.results.loading import Results
from finesync.results.registry import workloads
from tables import claims_below, results_of, rows_below
from workloads.chain.report import tables as chains
from workloads.nw.report import tables as matrices

ASPLOS19, ICS15 = "A different GPU: ASPLOS'19", "A different GPU: ICS'15"
Rows = list[dict[str, Any]]


def transfer(primitive: str, accounts: int, milliseconds: float, section_work: int = 0,
             **numbers: float) -> Rows:
    """A point of the bank: a million transfers."""
    return synthetic.exact_rows(primitive, {
        "collision_factor": accounts, "transfers": 1_000_000, "skew": "uniform", "tbs_per_sm": 1,
        "threads_per_block": 64, "section_work": section_work}, milliseconds, **numbers)


def chain(primitive: str, cycles: float, **changes: Any) -> Rows:
    """A chain of 16 warps, from warp to warp unless told otherwise, and its cost of a hop."""
    axes = {"warps": 16, "distance": 32, "rounds": 200, **changes}
    links = (32 * axes["warps"] - 1) // axes["distance"]
    rows = synthetic.exact_rows(primitive, axes, 1.0, **{
        f"chain_cycles_p{share}": cycles * links for share in (5, 50, 95)},
                                count_named_barrier=64.0 * links * axes["rounds"])
    for row in rows:
        row["effective"] |= {"sync_bytes": 2048 if primitive == "spin" else 0, "hops": links}
    return rows


def flow(primitive: str, rows: int, milliseconds: float, columns: int | str = "auto",
         ended: str = "ok", **numbers: float) -> Rows:
    return synthetic.exact_rows(primitive, {
        "input": "mesh", "rows": rows, "columns": columns, "tbs_per_sm": 1,
        "threads_per_block": 256}, milliseconds, ended=ended, **numbers)


def matrix(primitive: str, rows: int, milliseconds: float, **numbers: float) -> Rows:
    made = synthetic.exact_rows(primitive, {
        "input": "rodinia", "rows": rows, "columns": "auto", "row_pitch": "packed", "tile_size": "auto"},
                                milliseconds, **numbers)
    for row in made:
        row["effective"] |= {"rows": rows, "columns": rows}
    return made


def bank(folder: Path) -> Results:
    """Listing 3 and servers at each of the paper's contentions, with latencies and longer
    sections."""
    rows = []
    for accounts, ms, longer in ((256, 40.0, 80.0), (1024, 10.0, 18.0), (32768, 2.0, 2.1),
                                 (131072, 1.0, 1.0)):
        rows += [*transfer("spin_in_order", accounts, ms, lock_transfer_cycles=4000.0),
                 *transfer("spin_in_order", accounts, longer, section_work=1),
                 *transfer("server_nested", accounts, ms / 2, lock_transfer_cycles=1000.0)]
    return results_of(folder, "atm", rows)


def test_claims_of_the_bank_have_a_verdict_and_its_numbers(tmp_path: Path) -> None:
    net = [synthetic.exact_rows(name, {"collision_factor": 32768, "transfers": 1000,
                                       "section": "empty", "section_work": 1}, 1.0, **moved)
           for name, moved in (("spin_in_order", {"l2_bytes": 1000.0, "dram_bytes": 100.0}),
                               ("server_nested", {"l2_bytes": 700.0, "dram_bytes": 120.0}))]
    traffic = results_of(tmp_path, "atm_traffic", *net)
    found = claims_below(ASPLOS19, bank(tmp_path), traffic)
    assert found["servers take less time than Listing 3"] == [
        "0.31 of its time (256), 0.68 of its time (1,024)",
        "holds: 0.50 of that of Listing 3 at its best grid, 0.50 of the best lock's (256); "
        "0.50 of that of Listing 3 at its best grid, 0.50 of the best lock's (1,024)"]
    assert found["run time follows lock-transfer latency"][1] == \
        "holds: latency 0.25, time 0.50 (256); latency 0.25, time 0.50 (1,024)"
    assert found["servers gain less over Listing 3 than BOWS does"][1] == \
        "does not hold: 2x (1,024)"
    assert found["few accounts are sensitive to longer sections, many are not"][1].startswith(
        "holds: with 1,000 cycles more 2.00x (256), 1.80x (1,024), 1.05x (32,768)")
    assert found["servers cause less traffic than locks, net of the sections"][1] == \
        "mixed: L2 70.0 %, DRAM 120.0 % (32,768)"
    assert claims_of([traffic]) == {}


def test_claims_of_chains_are_decided_by_the_cycles(tmp_path: Path) -> None:
    rows = claims_below(ICS15, results_of(
        tmp_path, "chain", chain("spin", 160.0), chain("warp_spin", 500.0),
        chain("named_barrier", 70.0), chain("full_empty", 150.0)))
    assert rows["the pair of warp barriers is faster than the spin lock per thread"] == [
        "2.6x", "holds: 2.29x"]
    assert rows["tiny-lock is faster than the pair of warp barriers"] == [
        "1.5x", "does not hold: 0.47x"]
    assert rows["a spin lock shared by a warp is slower than one per thread"] == [
        "0.8x", "holds: 0.32x"]
    assert rows["tiny-lock needs shared memory only for the tokens, the spin lock also a word per "
                "thread"][1] == "holds: 0 and 2,048 bytes"


def meshes(folder: Path) -> Results:
    """The paper's meshes: the worklist is slower on the first two and faster on the last."""
    rows = []
    for sides, ms in (((2048, "auto"), 80.0), ((4096, "auto"), 110.0), ((8192, 4096), 50.0)):
        rows += [*flow("topological", sides[0], 100.0, sides[1]),
                 *flow("spin", sides[0], ms, sides[1], rounds=900.0),
                 *flow("ticket", sides[0], ms / 2, sides[1]),
                 *flow("server_worklist", sides[0], ms / 4, sides[1], rounds=9.0)]
    return results_of(folder, "maxflow", rows)


def test_claims_of_flows_are_about_the_worklist_and_servers(tmp_path: Path) -> None:
    worklist, servers, rounds = claims_below(ASPLOS19, meshes(tmp_path)).values()
    assert worklist == ["0.78x (2kx2k), 0.98x (4kx4k), 2.05x (8kx4k)",
                        "mixed: 1.25x (2kx2k), 0.909x (4kx4k), 2x (8kx4k)"]
    assert servers[1].startswith("holds: 4x over Listing 1 at its best grid, 2x over the best "
                                 "lock (MF-2kx2k); ")
    assert rounds[1] == "holds: 9 against 900 (2kx2k), 9 against 900 (4kx4k), 9 against 900 (8kx4k)"


def test_a_mesh_that_is_missing_is_named_and_in_no_mean(tmp_path: Path) -> None:
    rows = rows_below(tables_of(results_of(
        tmp_path, "maxflow", flow("topological", 2048, 10.0), flow("spin", 2048, 5.0),
        flow("topological", 4096, 0.0, ended="timed out"), flow("spin", 4096, 5.0))), "Section 4.1")
    assert rows["worklist under Listing 1's locks"] == ["2x", "timed out", "not recorded",
                                                        "1 of 3 meshes"]


def test_claims_of_forests_and_learning_are_about_both_locks(tmp_path: Path) -> None:
    forests = [synthetic.exact_rows(name, {"input": "r4"}, ms) for name, ms in (
        ("per_vertex_spin", 50.0), ("full_empty", 2.5), ("server_fast", 10.0))]
    ((theirs, here),) = claims_below(ASPLOS19, results_of(tmp_path, "mst", *forests)).values()
    assert theirs == "0.11 of its time (rmat), 0.13 of its time (r4)"
    assert here == "holds: 5x over Listing 1 at its best grid, 0.25x over the best lock (MST-r4)"
    learners = [synthetic.exact_rows(name, {"input": "netflix-like", "ratings": "auto",
                                            "features": 16, "epochs": 1}, ms)
                for name, ms in (("spin_in_order", 80.0), ("user_movie_tas", 30.0),
                                 ("server_movies", 15.0))]
    ((_, here),) = claims_below(ASPLOS19, results_of(tmp_path, "sgd", *learners)).values()
    assert here == "holds: 5.33x over Listing 3 at its best grid, 2x over the best lock (SGD-NF)"


def test_claims_of_matrices_are_decided_by_the_sizes_of_table_3(tmp_path: Path) -> None:
    costs = {"data_parallel": 500.0, "atomic_lock": 2000.0, "tiny_lock_shared": 600.0,
             "tiny_lock_private": 640.0}
    spin, launches, private = claims_below(ICS15, results_of(tmp_path, "nw", *(
        matrix(name, rows, cost * rows / 1e6) for name, cost in costs.items()
        for rows in (31, 1984)))).values()
    assert spin == ["3.57x (31), 296x (1,984)", "mixed: 3.33x (31), 3.33x (1,984)"]
    assert launches[1] == "mixed: 0.833x (31), 0.833x (1,984)"
    assert private[1] == "does not hold: 0.937x (31), 0.937x (1,984)"


@pytest.mark.parametrize(("program", "rows"), [
    ("atm", transfer("lockfree", 256, 1.0)), ("chain", chain("mbarrier", 85.0)),
    ("maxflow", flow("block_queues", 512, 1.0)), ("mst", synthetic.exact_rows(
        "ttas", {"input": "r4"}, 1.0)), ("nw", matrix("tile_dataflow", 31, 1.0))])
def test_claims_without_rows_say_so(tmp_path: Path, program: str, rows: Rows) -> None:
    title = ICS15 if program in ("chain", "nw") else ASPLOS19
    found = claims_below(title, results_of(tmp_path, program, rows))
    assert {here for _, here in found.values()} == {ABSENT}


@pytest.mark.parametrize("program", workloads())
@pytest.mark.parametrize("machine", ["gpu", "host executor"])
def test_without_rows_nothing_is_drawn_or_tabled(program: str, machine: str,
                                                 tmp_path: Path) -> None:
    results = results_of(tmp_path, program, machine=machine)
    assert all(drawing.draw(results) is None
               for drawing in workloads()[program].figures.get(results.kind, ()))
    assert tables_of(results) == []


@pytest.mark.parametrize(("program", "row", "cell"), [
    ("chain", chain("named_barrier", 70.0, rounds=10), "64"),
    ("nw", matrix("atomic_lock", 15, 1.0, count_rmw_block_shared=4.0 * 15 * 15), "4")])
def test_counts_of_the_executor_are_per_operation(tmp_path: Path, program: str, row: Rows,
                                                  cell: str) -> None:
    (table,) = tables_of(results_of(tmp_path, program, row, machine="host executor"))
    assert f" {cell} |" in table.lines[-1]


def test_the_floor_of_small_matrices_is_their_longest_path() -> None:
    assert matrices.floor(31, 31, 1e6) == pytest.approx(61 * 4e-9)
    assert matrices.floor(1 << 15, 1 << 15, 1e6) == pytest.approx(2**32 / 4.3e12)


@pytest.mark.parametrize(("program", "family", "names", "theirs"), [
    ("chain", "channels", chains.PAPER, lambda: published.ics15()["table2_speedup_over_atom_lock"]),
    ("nw", "alignments", matrices.PAPER,
     lambda: published.ics15()["table3_needleman_wunsch_us"])])
def test_what_the_paper_names_is_in_the_catalogue_and_published(
        program: str, family: str, names: dict[str, str],
        theirs: Callable[[], dict[str, Any]]) -> None:
    assert set(names) <= {entry["name"] for entry in primitives([family], program)}
    assert set(names.values()) == set(theirs()) - {"grid"}
