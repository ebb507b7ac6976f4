"""The judge of claims, on made-up rows: which rows decide, and what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from finesync.claims import judge, ledger, quantities, words
from finesync.claims.criteria import DIRECTION, FAILS, HOLDS, MIXED, UNTOLD
from finesync.claims.judge import Judged, Judgement
from finesync.papers import paper_benchmarks
from finesync.query import numbers as measured
from finesync.query.numbers import AT_LEAST, AT_MOST, Missing, Spread, exactly
from finesync.query.selection import Selection
from finesync.results.recorded import Recorded, of_results
from synthetic import Rows, point
from tables import results_of


def recorded(folder: Path, **programs: list[Rows]) -> Recorded:
    """Recorded results, PROGRAM or PROGRAM_traffic by their points."""
    return of_results("Test GPU 9000", [results_of(folder, program, *points) for program, points in programs.items()])


def judged(number: str, folder: Path, **programs: list[Rows]) -> Judged:
    return judge.judge(ledger.claim_named(number), recorded(folder, **programs))


def numbers(judgement: Judgement) -> dict[str, float]:
    """The medians of its cases, by name."""
    return {case.name: case.value.median for part in judgement.parts for case in part.cases
            if isinstance(case.value, Spread)}


def atm(primitive: str, accounts: int, microseconds: float, blocks: int = 0) -> Rows:
    """As fast at two grids, so that neither is an edge."""
    return [row for threads in (64, 128) for row in point(
        primitive, {"collision_factor": accounts, "skew": "uniform", "section_work": 0, "section": "transfer",
                    "servers_percent": blocks, "threads_per_block": threads}, microseconds,
        ran={"threads_per_block": threads, **({"server_blocks": blocks} if blocks else {})})]


def test_printed_servers_are_judged_alone_and_only_where_they_lend(tmp_path: Path) -> None:
    both = [row for accounts in (256, 1024) for row in (
        atm("spin_in_order", accounts, 10.0), atm("server_nested", accounts, 1.0, 9),
        atm("server_nested_printed", accounts, 20.0, 9),
        atm("server_nested_printed", accounts, 2.0, 1))]
    found = judged("A03", tmp_path, atm=both)
    assert numbers(found.printed) == {"ATM-256": pytest.approx(2.0), "ATM-1K": pytest.approx(2.0)}
    assert found.words == {"verdict": FAILS, "ours": DIRECTION}
    without = judged("A03", tmp_path, atm=both[:2] + both[4:6])
    assert without.words == {"verdict": UNTOLD, "ours": DIRECTION}
    assert without.printed.reasons() == "server_nested_printed is not recorded"
    assert words.verdict(without.printed) == f"{UNTOLD}: server_nested_printed is not recorded"


def forest(primitive: str, graph: str, milliseconds: float, ended: str = "ok", threads: int = 64) -> Rows:
    return point(primitive, {"input": graph, "threads_per_block": threads}, milliseconds * 1e3, ended,
                 ran={"threads_per_block": threads})


def test_a_time_limit_is_a_bound_that_decides_the_direction_and_no_size(tmp_path: Path) -> None:
    assert paper_benchmarks.inputs_of("mst")["MST-r4"] == {"input": "r4-cycle"}  # 67.1 M arcs
    slow = [row for graph in ("rmat", "r4-cycle") for row in (
        forest("per_vertex_printed", graph, 0.0, "timed out"),
        forest("server_per_vertex_printed", graph, 1.0))]
    found = judged("A04", tmp_path, mst=slow).printed
    assert found.verdict == DIRECTION
    assert words.measured(found) == "at most 0.0005x (MST-rmat), at most 0.0005x (MST-r4)"
    # A bound on the other side leaves the question open.
    other = [row for graph in ("rmat", "r4-cycle") for row in (
        forest("per_vertex_printed", graph, 3000.0),
        forest("server_per_vertex_printed", graph, 0.0, "timed out"))]
    found = judged("A04", tmp_path, mst=other).printed
    assert found.verdict == UNTOLD
    assert words.measured(found).startswith("at least 0.667x (MST-rmat)")
    assert "server_per_vertex_printed timed out after 2 s" in found.reasons()


def insert(primitive: str, keys: int, microseconds: float | list[float], grid: int = 1,
           work: int = 0, **numbers: float) -> Rows:
    return point(primitive, {"collision_factor": keys, "section": "push", "section_work": work,
                             "tbs_per_sm": grid, "threads_per_block": 64}, microseconds, **numbers)


def test_a_baseline_at_the_smallest_grid_gives_a_bound_that_stands_for_its_time(tmp_path: Path) -> None:
    servers = [insert("server_paper", keys, 1.0, grid) for keys in (1024, 32768, 131072) for grid in (1, 2)]
    locks = [insert("spin", keys, 3.0, grid) for keys in (1024, 32768, 131072) for grid in (1, 2)]
    found = judged("A24", tmp_path, ht=[*servers, *locks]).printed
    assert found.verdict == HOLDS  # as fast at the next grid
    edge = [insert("spin", keys, 3.0 * grid, grid) for keys in (1024, 32768, 131072) for grid in (1, 2)]
    found = judged("A24", tmp_path, ht=[*servers, *edge]).printed
    assert found.verdict == HOLDS
    assert found.stand_ins() == ["spin is fastest at the smallest grid recorded"]
    assert words.measured(found).startswith("at most 3x (HT-1K)")
    # The programs of the papers' authors do not tell their grids.
    untold = results_of(tmp_path, "ht", *edge).points
    untold = untold.assign(effective=[{} for _ in untold])
    assert not quantities._edge(untold, {})  # pylint: disable=protected-access


@pytest.mark.parametrize(("grids", "edge"), [
    # The time at each number of blocks of 64 threads per SM, of an SM that holds 32.
    ({1: 3.0, 2: 1.0, 4: 2.0}, ""), ({1: 1.0, 2: 2.0}, "smallest"), ({1: 1.0, 2: 1.02}, ""),
    ({1: 2.0, 2: 1.0}, "largest"), ({1: 1.02, 2: 1.0}, ""), ({1: 2.0, 32: 1.0}, ""), ({2: 1.0}, "only"),
    ({1: 2.0, 2: 1.0, 4: None}, "")])
@pytest.mark.parametrize(("side", "bound"), [("lock", AT_MOST), ("server", AT_LEAST)])
def test_a_best_grid_at_an_edge_of_those_recorded_is_a_bound_on_either_side(
        tmp_path: Path, side: str, bound: int, grids: dict[int, float | None], edge: str) -> None:
    names = {"lock": "spin", "server": "server_paper"}
    other = names[{"lock": "server", "server": "lock"}[side]]
    made = [insert(other, 1024, 9.0, grid) for grid in (1, 2)]
    for grid, time in grids.items():
        (row,) = insert(names[side], 1024, time or 1.0, grid) if time else point(
            names[side], {"collision_factor": 1024, "tbs_per_sm": grid, "section_work": 0}, 1.0, "skipped")
        if time is None:
            del row["effective"]
        else:
            row["effective"] = {**row["effective"], "blocks": 132 * grid, "threads_per_block": 64}
        made.append([row])
    found = judged("A23", tmp_path, ht=made).printed.parts[0].cases[0].value
    assert isinstance(found, Spread) and found.bound == (bound if edge else 0)
    assert found.because == (f"{names[side]} is fastest at the {edge} grid recorded" if edge else "")


def test_the_only_grid_of_the_papers_own_program_is_no_edge(tmp_path: Path) -> None:
    made = [forest("per_vertex_printed", "rmat", 90.0), *(
        forest("server_per_vertex_printed", "rmat", 10.0, threads=threads) for threads in (64, 128))]
    assert words.measured(judged("A04", tmp_path, mst=made).printed) == "0.111x (MST-rmat)"


def test_times_at_edges_stand_for_the_best_ones_and_the_verdict_says_so(tmp_path: Path) -> None:
    atm = [point(name, {"collision_factor": 1024, "tbs_per_sm": grid, "section_work": 0}, time * grid)
           for name, time in (("spin_in_order", 9.0), ("server_nested_printed", 1.0)) for grid in (1, 2)]
    rows = recorded(tmp_path, ht=[insert("spin", 1024, 9.0), insert("server_paper", 1024, 1.0)], atm=atm)
    found = judge.judge(ledger.claim_named("A23"), rows).printed
    assert words.measured(found).startswith("about 9x (HT-1K)") and found.verdict != UNTOLD
    assert words.verdict_word(found) == f"{found.verdict}, at an edge of the recorded grids"
    (said,) = words.doubts(found, rows)
    assert said.startswith("At an edge: spin is fastest at the only grid recorded; server_paper is")


def test_a_limit_is_no_stand_in(tmp_path: Path) -> None:
    edge, limit = exactly(3.0).bounded(AT_MOST, "edge", stand_in=True), exactly(9.0).bounded(AT_LEAST, "limit")
    assert edge.over(exactly(1.0)).stand_in and exactly(1.0).over(edge).stand_in
    assert edge.inverse().over(edge.inverse()).stand_in
    assert not limit.over(edge).stand_in and not measured.mean([limit, edge]).stand_in
    assert limit.taken_for_true() == limit and edge.taken_for_true() == exactly(3.0)


@pytest.mark.parametrize(("threads", "expected"), [(64, {"HT-256": pytest.approx(1.5)}), (32, {})])
def test_a_launch_that_is_left_open_is_the_one_it_ran_with(
        tmp_path: Path, threads: int, expected: dict[str, Any]) -> None:
    (longer,) = insert("spin", 256, 1.5, work=1)
    longer["axes"] = {**longer["axes"], "threads_per_block": "auto"}
    longer["effective"] = {**longer["effective"], "threads_per_block": threads}
    made = [insert("spin", 256, 1.0), [longer]]
    assert numbers(judged("A14", tmp_path, ht=made).printed) == expected


def test_a_trend_is_judged_by_its_trend(tmp_path: Path) -> None:
    """At the paper's meshes it is another. The crossing is two sizes earlier, but there is one."""
    def meshes(*ratios: float) -> Judgement:
        made = [row for side, ratio in zip((512, 1024, 2048, 4096), ratios) for row in (
            point("topological_printed", {"input": "mesh", "rows": side}, 10.0 * ratio),
            point("worklist_lock_printed", {"input": "mesh", "rows": side}, 10.0))]
        found = judged("A07", tmp_path, maxflow=made)
        assert found.printed.verdict in (UNTOLD, MIXED)  # 8kx4k is not recorded
        return found.again["meshes from 512 rows on"]
    assert meshes(0.76, 1.09, 2.2).verdict == DIRECTION
    assert meshes(0.76, 0.9, 0.95, 2.2).verdict == HOLDS
    assert meshes(2.0, 1.5, 1.2).verdict == FAILS
    assert meshes(0.76, 2.0, 0.5, 2.0).verdict == MIXED
    assert meshes(0.76, 2.0).verdict == UNTOLD


def test_rows_without_their_number_are_a_complaint(tmp_path: Path) -> None:
    made = [insert(name, 1024, 1.0) for name in ("spin", "server_paper")]
    found = {"A17": judged("A17", tmp_path, ht=made)}
    assert judge.without_verdict(found) == [
        "A17: cannot be told although the rows exist: server_paper (collision_factor 1024): rows "
        "without lock_transfer_cycles"]
    timed = [insert(name, 1024, 1.0, lock_transfer_cycles=cycles)
             for name, cycles in (("spin", 2000.0), ("server_paper", 600.0))]
    found = {"A17": judged("A17", tmp_path, ht=timed)}
    assert judge.without_verdict(found) == [] and found["A17"].printed.verdict == HOLDS


def test_a_surprise_is_explained_by_a_row(tmp_path: Path) -> None:
    made = [point(name, {"warps": 16, "distance": 32}, 1.0, chain_cycles_p50=cycles)
            for name, cycles in (("spin", 300.0), ("full_empty", 250.0),
                                 ("full_empty_unrolled", 150.0))]
    def why(rows_of: list[Rows]) -> str:
        return words.why(judged("I01", tmp_path, chain=rows_of).printed, recorded(tmp_path, chain=rows_of))
    assert "the full/empty word is 2x as fast" in why(made)
    assert why(made[:2]) == ""
    assert words.published(ledger.claim_named("I01")) == "4x"
    holding = [made[0], point("full_empty", {"warps": 16, "distance": 32}, 1.0, chain_cycles_p50=75.0), made[2]]
    assert judged("I01", tmp_path, chain=holding).printed.verdict == HOLDS and why(holding) == ""


def semaphores(axes: dict[str, Any], **microseconds: float) -> list[Rows]:
    """One of size 1 each, without back-off."""
    return [point(name, {"size": 1, "ldst": 10, "backoff": "no",
                         "threads_per_block": 64, **axes}, time)
            for name, time in microseconds.items()]


def test_a_claim_is_read_again_at_other_rows_which_do_not_decide(tmp_path: Path) -> None:
    whole = [one for blocks in (1, 2, 4) for one in semaphores(
        {"tbs_per_sm": blocks}, spin_printed=10.0, priority_printed=4.0)]
    few = [one for blocks in (1, 2, 4) for one in semaphores(
        {"tbs_per_sm": blocks, "sms": 20}, spin_printed=10.0, priority_printed=6.6)]
    found = judged("T17", tmp_path, semaphore=whole + few)
    assert numbers(found.printed) == {"": pytest.approx(60)} and found.printed.verdict == HOLDS
    assert words.again(found) == ["At 20 SMs' worth of blocks: 34 %, holds"]
    without = judged("T17", tmp_path, semaphore=few)
    assert without.printed.verdict == UNTOLD
    assert set(without.again) == {"20 SMs' worth of blocks", "80 SMs' worth of blocks"}


@pytest.fixture(name="locks", scope="module")
def fixture_locks(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Runs of ten inserts. Each number is its grid times one of its own, and so tells the grid."""
    def at(name: str, grid: int, microseconds: float = 0.0, ended: str = "ok", **more: float) -> Rows:
        (made,) = point(name, {"tbs_per_sm": grid, "threads_per_block": 64, "inserts": 10, "own": name},
                        microseconds, ended, lock_transfer_cycles=100.0 * grid, barriers=3.0 * grid,
                        barrier_ns=400.0 * grid, locks_lent_per_operation=0.25 * grid,
                        unsynchronized_ns_per_operation=250.0 * grid, chain_cycles_p50=800.0 * grid,
                        ran={"blocks": 132 * grid, "server_blocks": 33 * grid, "sync_bytes": 8 * grid,
                             "hops": 4, "max_ratings_per_movie": 7 * grid}, **more)
        made["real_time"] *= 10
        if ended == "skipped":
            del made["effective"]
        return [made]
    timed = [at("spin", 1, 2.0), at("spin", 2, 1.0), at("array", 1, 1.0), at("array", 2, 3.0),
             at("spin", 4, 1.02),
             at("ticket", 1, 1.0), at("ticket", 2, 1.02), at("lockfree", 2, 5.0), at("lockfree", 1, 7.0),
             *(at("tas", grid, ended=word) for grid, word in ((1, "timed out"), (2, "hung"), (4, "skipped"))),
             *(at("ttas", grid, ended=word) for grid, word in ((1, "timed out"), (2, "wrong"))),
             *(at("mcs", grid, 1.0, word) for grid, word in ((1, "ok"), (2, "hung"), (4, "ok")))]
    for (row,) in timed:
        if row["primitive"] == "lockfree":
            del row["items_per_second"]
    counts = {"operations": 10.0, "l2_bytes": 1000.0, "dram_bytes": 500.0, "l2_hit_percent": 75.0,
              "l2_sectors_write": 60.0, "l2_sectors_atomic": 30.0, "l2_sectors_reduction": 20.0,
              "stalled_barrier_percent": 40.0, "stalled_membar_percent": 5.0, "stalled_sleeping_percent": 1.0}
    folder = tmp_path_factory.mktemp("locks")
    return of_results("Test GPU 9000", [
        results_of(folder, "ht", *timed),
        results_of(folder, "ht_traffic", at("spin", 2, 1.0, **counts), at("array", 2, 3.0, **counts)),
        results_of(folder, "ht", at("spin", 1, 1.0, lock_tries_per_operation=7.0,
                                    count_store_block_shared=9.0), machine="host executor")])


@pytest.mark.parametrize(("quantity", "form", "said"), [
    ("time", "spin", 1.0), ("run_time", "spin", 10.0), ("unsynchronized", "spin", 0.5),
    ("synchronization", "spin", 0.5), ("lock_transfer_cycles", "spin", 200.0),
    ("chain_cycles", "spin", 1600.0), ("cycles_per_hop", "spin", 400.0), ("server_blocks", "spin", 66.0),
    ("server_share", "spin", 0.25), ("thread_time", "spin", 264 * 64.0), ("blocks", "spin", 264.0),
    ("thread_time", "array", (132 * 64.0, AT_MOST)), ("barriers", "spin", 6.0), ("barrier_alone", "spin", 0.8),
    ("locks_lent", "spin", 0.5), ("ratings_of_hottest", "spin", 14.0), ("l2_writes", "spin", 6.0),
    ("sync_bytes", "spin", 16.0), ("sync_bytes", "lockfree", 16.0),
    ("shared_bytes", "spin", "rows without shared_bytes"), ("rounds", "spin", "rows without rounds"),
    ("time", "lockfree", "lockfree: not run"), ("time", "no", "no is not recorded"),
    # Two seconds of a run, and of each of its ten operations.
    ("time", "tas", (2e5, AT_LEAST)), ("run_time", "tas", (2e6, AT_LEAST)),
    ("time", "ttas", "ttas: timed out"), ("time", "array", (1.0, AT_MOST)), ("time", "ticket", 1.0),
    ("lock_transfer_cycles", "array", (100.0, AT_MOST)),
    ("highest_grid", "spin", (4.0, AT_LEAST)), ("highest_grid", "mcs", 1.0),
    ("highest_grid", "ttas", "no run ended"),
    ("hung_runs", "tas", (1.0, 0, 2)), ("unfinished_runs", "tas", (2.0, 0, 3)),
    ("unfinished_runs", "mcs", (1.0, 0, 3)), ("hung_runs", "spin", (0.0, 0, 0)),
    ("l2_bytes", "spin", 100.0), ("dram_bytes", "spin", 50.0), ("l2_hit_percent", "spin", 75.0),
    ("l2_atomics", "spin", 5.0), ("stalled_at_barriers", "spin", 40.0),
    ("stalled_synchronizing", "spin", 46.0), ("l2_bytes", "array", "at a launch of 3.0 times the best"),
    ("l2_bytes", "ticket", "ticket has no recorded traffic"),
    ("counted_lock_tries", "spin", 7.0), ("counted_stores", "spin", 9.0),
    ("counted_stores", "array", "array has no recorded counts")])
def test_each_quantity_is_read_from_its_rows(locks: Recorded, quantity: str, form: str, said: Any) -> None:
    selection = Selection("ht", form, {}, {}, "lock")
    if isinstance(said, str):
        with pytest.raises(Missing, match=said):
            quantities.read(quantity, locks, selection)
        return
    found = quantities.read(quantity, locks, selection)
    median, bound, runs = (*said, 0)[:3] if isinstance(said, tuple) else (said, 0, 0)
    assert (found.median, found.bound, found.runs) == (pytest.approx(median), bound, runs)
