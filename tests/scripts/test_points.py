"""Statistics and the choice of the best point."""

from __future__ import annotations

import dataclasses
from typing import Any

from finesync_results.loading import Row
from finesync_results.points import (Spread, failure_word, fastest, gather, select, spread_of,
                                     values)


def row(primitive: str, seconds: float | None, status: str = "ok", **axes: Any) -> Row:
    """A row with these axes."""
    return Row(primitive, axes, status, "", seconds, {})


def test_spread_is_median_and_quartiles() -> None:
    assert spread_of([4.0, 1.0, 3.0, 2.0, 100.0]) == Spread(2.0, 3.0, 4.0)
    assert spread_of([5.0]) == Spread(5.0, 5.0, 5.0)


def test_ratios_and_inverses_keep_low_below_high() -> None:
    assert Spread(1.0, 2.0, 4.0).inverse() == Spread(0.25, 0.5, 1.0)
    assert Spread(2.0, 4.0, 8.0).over(Spread(1.0, 2.0, 4.0)) == Spread(0.5, 2.0, 8.0)


def test_repetitions_become_one_point_of_the_worst_status() -> None:
    points = gather([row("spin", 1.0, grid=1), row("spin", None, "livelock", grid=1),
                     row("spin", 3.0, grid=1), row("spin", 2.0, grid=2)])
    assert [(point.status, len(point.rows)) for point in points] == [("livelock", 3), ("ok", 1)]


def test_a_tuned_point_and_a_failed_candidate_are_points_of_their_own() -> None:
    swept = row("spin", 1.0, grid=1)
    tuned = dataclasses.replace(swept, tuned={"grid": 1})
    failed = dataclasses.replace(swept, seconds=None, status="wrong", excluded=True)
    points = gather([swept, tuned, failed, tuned])
    assert [(point.tuned, point.excluded, point.status, len(point.rows)) for point in points] == [
        (None, False, "ok", 1), ({"grid": 1}, False, "ok", 2), (None, True, "wrong", 1)]


def test_the_fastest_is_by_median_and_never_a_failed_point() -> None:
    points = gather([row("spin", 1.0, grid=1), row("spin", 9.0, grid=1), row("spin", 9.0, grid=1),
                     row("spin", 5.0, grid=2), row("spin", 0.1, "wrong", grid=4)])
    best = fastest(points)
    assert best is not None and best.axes == {"grid": 2}
    assert fastest(select(points, grid=4)) is None
    assert failure_word(select(points, grid=4)) == "wrong"
    assert failure_word([]) == "not run"
    assert values(points, "grid") == [1, 2, 4]
