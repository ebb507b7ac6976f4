"""What products take whose tiles are cut: by the number of tiles and their depth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import synthetic
from finesync.figures.legibility import findings
from finesync.report.markdown_page import tables_of
from tables import results_of, rows_below, words_of
from workloads.stream_k.report import WORKLOAD

(FIGURE,) = WORKLOAD.figures["gpu"]


def product(primitive: str, us: float, ended: str = "ok", **axes: Any) -> list[dict[str, Any]]:
    full = {"tiles": 100, "depth": 128, "tbs_per_sm": 1, "rounds": 10, **axes}
    return synthetic.point(primitive, full, us, ended)


def points() -> list[list[dict[str, Any]]]:
    return [product("turns", 9.0), product("sums_in_words", 6.0), product("turns", 7.0, tiles=33),
            product("sums_in_words", 5.0, tiles=33), product("turns", 40.0, depth=1024),
            product("sums_in_words", 0.0, ended="hung", depth=1024)]


def test_products_are_by_tiles_and_depth(tmp_path: Path) -> None:
    tables = tables_of(results_of(tmp_path, "stream_k", *points()))
    shallow = rows_below(tables, "Microseconds per product, tiles of 128 steps")
    assert shallow["turns"] == ["7", "9"]
    assert shallow["sums_in_words"] == ["5", "6"]
    deep = rows_below(tables, "Microseconds per product, tiles of 1024 steps")
    assert (deep["turns"], deep["sums_in_words"]) == (["40"], ["hung"])


def test_the_figure_has_a_panel_for_each_product(tmp_path: Path) -> None:
    figure = FIGURE.draw(results_of(tmp_path, "stream_k", *points()))
    assert {"33 tiles of 128 steps", "100 tiles of 128 steps", "100 tiles of 1024 steps"} <= set(words_of(figure))
    assert figure is not None and findings(figure) == []


def test_without_products_there_is_no_figure(tmp_path: Path) -> None:
    assert FIGURE.draw(results_of(tmp_path, "stream_k", product("turns", 0.0, ended="hung"))) is None
