"""Bank transfers: table and figure, of made-up results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import synthetic
from finesync_results.claims import ABSENT, claims_of
from finesync_results.loading import Results, load_results
from finesync_results.report import tables_of
from matplotlib.text import Text
from tables import claims_below, rows_below
from workloads.atm.report import WORKLOAD

FIGURE, SPEEDUP, LONGER = WORKLOAD.figures["gpu"]
ABOVE = ("M transfers/s and, in brackets, the grid at which they are most (thread blocks per SM x "
         "threads); accounts picked: ")


def ran(primitive: str, accounts: int, milliseconds: float, blocks: int = 1, threads: int = 64,
        ended: str = "ok", skew: str = "uniform", cs_extra: int = 0,
        **numbers: float) -> list[dict[str, Any]]:
    """A point of a million transfers, without noise."""
    axes = {"collision_factor": accounts, "transfers": 1_000_000, "skew": skew,
            "tbs_per_sm": blocks, "threads_per_block": threads, "cs_extra": cs_extra}
    return synthetic.exact_rows(primitive, axes, milliseconds, ended=ended, **numbers)


def results_of(folder: Path, *rows: list[dict[str, Any]]) -> Results:
    """Results with these rows."""
    return load_results(synthetic.write_gpu_run(folder, "atm", *rows))


def test_a_cell_holds_the_best_grid_and_listing_3_is_there_as_the_paper_ran_it(
        tmp_path: Path) -> None:
    tables = tables_of(results_of(
        tmp_path, ran("listing3", 256, 50.0), ran("listing3", 256, 40.0, 2, 8),
        ran("listing3", 256, 0.0, 8, 256, ended="stuck"), ran("listing3", 1024, 20.0),
        ran("listing3", 1024, 2000.0, 8, 256), ran("all_or_none", 256, 10.0),
        ran("all_or_none", 1024, 0.0, ended="slow"), ran("busy_words", 256, 1.0, skew="zipf-99")))
    assert rows_below(tables, ABOVE + "all alike.") == {
        "accounts": ["256", "1,024"], "---": ["---"] * 2,
        "Listing 3 at full occupancy": ["stuck", "0.5 (8 x 256)"],
        "listing3": ["25 (2 x 8)", "50 (1 x 64)"], "all_or_none": ["100 (1 x 64)", "slow"]}
    assert rows_below(tables, ABOVE + "Zipf 0.99.")["busy_words"] == ["1,000 (1 x 64)"]


def test_a_line_is_of_the_grids_at_which_answers_come_in_time(tmp_path: Path) -> None:
    tables = tables_of(results_of(
        tmp_path, ran("busy_words", 256, 1.0, answer_p99_ns=10_001.0),
        ran("busy_words", 256, 2.0, 2, 8, answer_p99_ns=10_000.0),
        ran("busy_words", 1024, 1.0, answer_p99_ns=20_000.0), ran("listing3", 256, 4.0)))
    assert rows_below(tables, ABOVE + "all alike.") == {
        "accounts": ["256", "1,024"], "---": ["---"] * 2,
        "busy_words": ["1,000 (1 x 64)", "1,000 (1 x 64)"],
        "listing3": ["250 (1 x 64)", "not run"],
        "busy_words, 99 % of answers within 10 us": ["500 (2 x 8)", "none"]}


def test_the_figure_has_a_panel_for_each_way_to_pick_accounts(tmp_path: Path) -> None:
    drawn = FIGURE.draw(results_of(
        tmp_path, *(ran(name, accounts, 1.0, skew=skew)
                    for name in ("listing3", "busy_words") for accounts in (256, 1024)
                    for skew in ("uniform", "zipf-80"))))
    assert drawn is not None
    words = {text.get_text() for text in drawn.findobj(Text)}
    assert {"accounts picked: all alike", "accounts picked: Zipf 0.8", "Listing 3",
            "busy words"} <= words
    plt.close(drawn)


def test_one_number_of_accounts_makes_no_figure(tmp_path: Path) -> None:
    assert FIGURE.draw(results_of(tmp_path, ran("listing3", 256, 1.0))) is None


def test_speedups_stand_beside_those_of_the_paper(tmp_path: Path) -> None:
    tables = tables_of(results_of(
        tmp_path, ran("listing3", 256, 40.0), ran("listing3", 256, 400.0, 8, 256),
        ran("all_or_none", 256, 20.0), ran("server_nested", 256, 10.0),
        ran("listing3", 1024, 9.0), ran("listing3", 1024, 0.0, 8, 256, ended="slow"),
        ran("server_nested", 1024, 6.0)))
    rows = rows_below(tables, "Speed-up over Listing 3 at full occupancy / over Listing 3 at its "
                      "best grid / over the best lock, each at its best grid, on the ")
    assert rows["server_nested"] == ["40x / 4x / 2x", "slow / 1.5x / 1.5x"]
    assert rows["servers, published (GTX 1080 Ti)"] == ["3.2x", "1.5x"]
    assert rows["BOWS, published (simulated GTX 1080 Ti)"] == ["", "1.8x"]


def few_and_many(folder: Path) -> Results:
    """Listing 3 and servers at each of the paper's contentions, with latencies and a longer section
    where it tells."""
    rows = []
    for accounts, ms, longer in ((256, 40.0, 80.0), (1024, 10.0, 18.0), (32768, 2.0, 2.1),
                                 (131072, 1.0, 1.0)):
        rows += [ran("listing3", accounts, ms, lock_transfer_cycles=4000.0),
                 ran("listing3", accounts, longer, cs_extra=1),
                 ran("server_nested", accounts, ms / 2, lock_transfer_cycles=1000.0)]
    return results_of(folder, *rows)


def test_lock_transfers_stand_beside_table_3(tmp_path: Path) -> None:
    rows = rows_below(tables_of(few_and_many(tmp_path)), "Lock-transfer latency in cycles")
    assert rows["Listing 3 at its best grid"][0] == "4,000 / 1"
    assert rows["server_nested"][0] == "1,000 / 0.5"
    assert rows["server, published (GTX 1080 Ti)"] == ["8,292 / 0.31", "13,831 / 0.68", "", ""]


def test_longer_sections_are_a_figure_and_no_transfers(tmp_path: Path) -> None:
    results = few_and_many(tmp_path)
    drawn = LONGER.draw(results)
    assert drawn is not None
    words = {text.get_text() for text in drawn.findobj(Text)}
    assert {"run time / run time without loop", "Listing 3"} <= words
    plt.close(drawn)
    assert rows_below(tables_of(results), ABOVE)["listing3"][0] == "25 (1 x 64)"


def test_speedups_have_a_panel_for_each_baseline(tmp_path: Path) -> None:
    drawn = SPEEDUP.draw(few_and_many(tmp_path))
    assert drawn is not None
    words = {text.get_text() for text in drawn.findobj(Text)}
    assert {"over the best lock (x)", "servers, data in messages", "2.0",
            "servers, published for the GTX 1080 Ti"} <= words
    plt.close(drawn)
    assert SPEEDUP.draw(results_of(tmp_path, ran("listing3", 256, 1.0))) is None


def claims(*all_results: Results) -> dict[str, list[str]]:
    """What ASPLOS'19 printed and what was measured, by claim."""
    return claims_below("A different GPU: ASPLOS'19", *all_results)


def test_claims_have_a_verdict_and_the_numbers_that_decide_it(tmp_path: Path) -> None:
    net = [synthetic.exact_rows(name, {"collision_factor": 32768, "transfers": 1000,
                                       "section": "empty", "cs_extra": 1}, 1.0, **moved)
           for name, moved in (("listing3", {"l2_bytes": 1000.0, "dram_bytes": 100.0}),
                               ("server_nested", {"l2_bytes": 700.0, "dram_bytes": 120.0}))]
    document = {"context": synthetic.context(program="atm_traffic"), "benchmarks": sum(net, [])}
    traffic = load_results(synthetic.write(tmp_path / "atm_gpu_traffic.json", document))
    found = claims(few_and_many(tmp_path), traffic)
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


def test_claims_without_rows_say_so(tmp_path: Path) -> None:
    found = claims(results_of(tmp_path, ran("lockfree", 256, 1.0)))
    assert {here for _, here in found.values()} == {ABSENT}
