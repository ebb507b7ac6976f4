"""Matrix factorisation: tables and figure, of made-up results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import synthetic
from finesync_results.claims import claims_of
from finesync_results.loading import Results, load_results
from finesync_results.report import tables_of
from matplotlib.text import Text
from tables import rows_below
from workloads.sgd.report import WORKLOAD

FIGURE, SPEEDUP = WORKLOAD.figures["gpu"]


def ran(primitive: str, of: str, milliseconds: float, threads: int = 64, features: int = 16,
        epochs: int = 1, ended: str = "ok", ratings: int | str = "auto",
        **numbers: float) -> list[dict[str, Any]]:
    """A point, without noise."""
    axes = {"input": of, "ratings": ratings, "features": features, "epochs": epochs,
            "tbs_per_sm": 2, "threads_per_block": threads}
    return synthetic.exact_rows(primitive, axes, milliseconds, ended=ended, **numbers)


def results_of(folder: Path, *rows: list[dict[str, Any]]) -> Results:
    """Results with these rows."""
    return load_results(synthetic.write_gpu_run(folder, "sgd", *rows))


def learners(folder: Path) -> Results:
    """Two inputs: on the second the locks fail."""
    return results_of(
        folder, ran("listing3", "netflix-like", 80.0, rmse=0.81, sequential_rmse=0.8),
        ran("polled_movies", "netflix-like", 40.0, rmse=0.81, sequential_rmse=0.8),
        ran("polled_movies", "netflix-like", 30.0, 8, rmse=0.82, sequential_rmse=0.8),
        ran("server_movies", "netflix-like", 15.0, 256, rmse=0.81, sequential_rmse=0.8),
        ran("bipartite_timetable", "netflix-like", 3.0, 512, rmse=0.85, sequential_rmse=0.86,
            prepare_seconds=0.0004),
        ran("hogwild", "netflix-like", 2.0, 256, rmse=0.9, sequential_rmse=0.8, share_lost=0.25),
        ran("polled_movies", "movielens-10m-like", 0.0, ended="slow"),
        ran("bipartite_timetable", "movielens-10m-like", 20.0, 512, rmse=0.7, sequential_rmse=0.7,
            prepare_seconds=0.0025),
        ran("bipartite_timetable", "netflix-like", 12.0, 512, epochs=3, rmse=0.5, sequential_rmse=0.5),
        ran("bipartite_timetable", "netflix-like", 5.0, 512, features=32, rmse=0.5, sequential_rmse=0.5))


def test_times_are_those_of_the_best_grid_and_the_speed_up_that_over_the_best_lock(
        tmp_path: Path) -> None:
    assert rows_below(tables_of(learners(tmp_path)), "ms per epoch of 16 features") == {
        "input": ["movielens-10m-like", "netflix-like"], "---": ["---"] * 2,
        "listing3": ["not run", "80 (2 x 64)"],
        "polled_movies": ["slow", "30 (2 x 8)"],
        "server_movies": ["not run", "15 (2 x 256)"],
        "bipartite_timetable": ["20 (2 x 512)", "3 (2 x 512)"],
        "hogwild": ["not run", "2 (2 x 256)"],
        "sorting, once, before the timetable": ["2.5", "0.4"],
        "servers over the best lock": ["", "2x"],
        "timetable over the best lock": ["", "10x"]}


def test_errors_stand_beside_those_of_the_same_order(tmp_path: Path) -> None:
    rows = rows_below(tables_of(learners(tmp_path)), "Root mean square error after one epoch")
    assert rows["polled_movies"] == ["", "0.8200 (0.8000)"]
    assert rows["hogwild"] == ["", "0.9000 (25% lost)"]


def test_a_part_of_an_input_is_another_input(tmp_path: Path) -> None:
    errors = {"rmse": 0.8, "sequential_rmse": 0.8}
    parts = results_of(tmp_path, ran("listing3", "movielens-10m-like", 9.0, **errors),
                       ran("listing3", "movielens-10m-like", 2.0, ratings=25000, **errors))
    rows = rows_below(tables_of(parts), "ms per epoch of 16 features")
    assert rows["input"] == ["movielens-10m-like", "movielens-10m-like, 25,000 ratings"]
    assert rows["listing3"] == ["9 (2 x 64)", "2 (2 x 64)"]


def test_features_and_epochs_have_tables_of_their_own(tmp_path: Path) -> None:
    tables = tables_of(learners(tmp_path))
    assert rows_below(tables, "ms per epoch of the timetable")["netflix-like"] == ["3", "5"]
    assert rows_below(tables, "Root mean square error, by epochs") == {
        "epochs": ["1", "3"], "---": ["---"] * 2,
        "netflix-like, bipartite_timetable": ["0.85", "0.5"]}


def test_the_figure_has_a_panel_for_each_input(tmp_path: Path) -> None:
    drawn = FIGURE.draw(learners(tmp_path))
    assert drawn is not None
    words = {text.get_text() for text in drawn.findobj(Text)}
    assert {"movielens-10m-like", "netflix-like\ntimetable 10.0x the best lock", "Listing 3",
            "timetable of users and movies"} <= words
    plt.close(drawn)


def test_other_numbers_of_features_make_no_figure(tmp_path: Path) -> None:
    assert FIGURE.draw(results_of(tmp_path, ran("hogwild", "netflix-like", 1.0, features=32))) is None


def test_speedups_are_over_listing_3_and_over_the_best_lock(tmp_path: Path) -> None:
    results = learners(tmp_path)
    rows = rows_below(tables_of(results), "Speed-up over Listing 3 at its best grid")
    assert rows["pair"] == ["SGD-ML", "SGD-NF"]
    assert rows["bipartite_timetable"] == ["not run / slow", "26.7x / 10x"]
    drawn = SPEEDUP.draw(results)
    assert drawn is not None
    words = {text.get_text() for text in drawn.findobj(Text)}
    assert {"over the best lock (x)", "27", "slow"} <= words
    plt.close(drawn)
    ((_, table),), = claims_of([results]).values()
    assert "| holds: 5.33x over Listing 3 at its best grid, 2x over the best lock (SGD-NF) |" in \
        "".join(table.lines)
