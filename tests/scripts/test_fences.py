"""What fences cost, where rows are missing or failed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import synthetic
from finesync.report.markdown_page import tables_of
from tables import results_of, rows_below
from workloads.fence.report import WORKLOAD

(FIGURE,) = WORKLOAD.figures["gpu"]
BY_ACCESS = "Cycles per fence by the memory that the SM has accessed since its last one, by "


def fence(primitive: str, *cycles: float, ended: str = "ok", **axes: Any) -> list[dict[str, Any]]:
    """A repetition for each median; by default after a thread's own store 2,000 cycles ago."""
    full = {"accessed": "near-l2", "access": "store", "accessor": "same-thread", "fenced_before": "no",
            "delay": 2000, **axes}
    return [synthetic.rows(primitive, full, 1.0, 1, ended, fence_cycles_p5=own * 0.9,
                           fence_cycles_p50=own, fence_cycles_p95=own * 1.5)[0]
            for own in cycles or (0.0,)]


def test_what_failed_or_was_not_run_is_said_in_words(tmp_path: Path) -> None:
    rows = rows_below(tables_of(results_of(
        tmp_path, "fence", fence("release", 7.0, accessed="none"),
        fence("release", 600.0, access="load"),
        fence("release", ended="error"),
        fence("release", 9.0, accessed="shared-memory", access="load"),
        fence("release", 8.0, accessed="shared-memory"),
        *(fence("release_cluster", ended="skipped", access=access)
          for access in ("load", "store", "addition")))),
                      BY_ACCESS)
    assert rows["release"] == ["7", "9 / 8 / not run", "600 / error / not run"]
    assert rows["release_cluster"] == ["not run", "not run", "skipped"]


def test_a_process_that_left_no_rows_fails_in_the_cells_it_was_to_fill(tmp_path: Path) -> None:
    lost = fence("acquire", ended="error", accessed="far-l2")
    for axis in ("accessor", "fenced_before", "delay"):
        del lost[0]["axes"][axis]
    tables = tables_of(results_of(tmp_path, "fence", fence("release", 700.0), lost))
    assert rows_below(tables, BY_ACCESS) == {
        "accessed": ["own side of the L2", "other side"], "---": ["---"] * 2,
        "release": ["700", "not run"], "acquire": ["not run", "error"]}


def test_a_row_without_cycles_is_not_taken_for_a_fence_that_costs_none(tmp_path: Path) -> None:
    rows = fence("release", 7.0)
    del rows[0]["fence_cycles_p95"]
    results = results_of(tmp_path, "fence", rows)
    assert rows_below(tables_of(results), BY_ACCESS)["release"] == ["not run"]


def test_bars_show_stores_and_reach_from_the_5th_to_the_95th_percentile(tmp_path: Path) -> None:
    drawn = FIGURE.draw(results_of(
        tmp_path, "fence", fence("release", 1.0, access="load"),
        fence("release", 600.0, 500.0, 700.0), fence("release", 4.0, accessed="none", delay=300),
        fence("release", 2.0, accessor="other-warp"), fence("release", 3.0, fenced_before="yes"),
        fence("acquire", 400.0)))
    assert drawn is not None
    (panel,) = drawn.axes
    assert [bar.get_height() for bar in panel.patches] == [600.0, 400.0]
    whiskers = [bar.get_segments()[0][:, 1].tolist() for bar in panel.collections]
    assert whiskers == [pytest.approx([540.0, 900.0]), pytest.approx([360.0, 600.0])]
