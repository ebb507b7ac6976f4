"""Bank transfers: table and figure, of made-up results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import synthetic
from finesync_results.loading import Results, load_results
from finesync_results.report import tables_of
from matplotlib.text import Text
from tables import rows_below
from workloads.atm.report import WORKLOAD

(FIGURE,) = WORKLOAD.figures["gpu"]
ABOVE = ("M transfers/s and, in brackets, the grid at which they are most (thread blocks per SM x "
         "threads); accounts picked: ")


def ran(primitive: str, accounts: int, milliseconds: float, blocks: int = 1, threads: int = 64,
        ended: str = "ok", skew: str = "uniform") -> list[dict[str, Any]]:
    """A point of a million transfers, without noise."""
    axes = {"collision_factor": accounts, "transfers": 1_000_000, "skew": skew,
            "tbs_per_sm": blocks, "threads_per_block": threads}
    return synthetic.exact_rows(primitive, axes, milliseconds, ended=ended)


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
    rows = rows_below(tables, "Tables 3 and 4: speed-up over Listing 3 at full occupancy / over it "
                      "at its best grid / over the best lock at its best grid, on the ")
    assert rows["server_nested"] == ["40x / 4x / 2x", "- / 1.5x / 1.5x"]
    assert rows["servers, published (GTX 1080 Ti)"] == ["3.2x", "1.5x"]
    assert rows["BOWS, published (simulated GTX 1080 Ti)"] == ["", "1.8x"]
