"""Statistics and the choice of the best point."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
import synthetic
from finesync.query.points import PointTable, Spread
from tables import results_of


def points_of(folder: Path, *rows: dict[str, Any]) -> PointTable:
    """The points of a results file with these rows."""
    return results_of(folder, "ht", list(rows)).points


def row(primitive: str, seconds: float, ended: str = "ok", **axes: Any) -> dict[str, Any]:
    return {"primitive": primitive, "axes": axes, "real_time": seconds, "time_unit": "s",
            **synthetic.launch(axes), **synthetic.ending(ended)}


def test_a_spread_is_median_and_quartiles(tmp_path: Path) -> None:
    points = points_of(tmp_path, *(row("spin", seconds) for seconds in (4, 1, 3, 2, 100)), row("ticket", 5.0))
    assert [point.spread("seconds") for point in points] == [Spread(2.0, 3.0, 4.0), Spread(5.0, 5.0, 5.0)]
    assert points.first().spread("cycles") is None


def test_an_even_number_of_repetitions_has_its_median_between_the_middle_ones(tmp_path: Path) -> None:
    points = points_of(tmp_path, *(row("spin", seconds) for seconds in (8, 1, 2, 4)))
    assert points.first().spread("seconds") == Spread(1.75, 3.0, 5.0)


def test_ratios_and_inverses_keep_low_below_high() -> None:
    assert Spread(1.0, 2.0, 4.0).inverse() == Spread(0.25, 0.5, 1.0)
    assert Spread(2.0, 4.0, 8.0).over(Spread(1.0, 2.0, 4.0)) == Spread(0.5, 2.0, 8.0)


def test_repetitions_become_one_point_of_the_worst_status(tmp_path: Path) -> None:
    points = points_of(tmp_path, row("spin", 1.0, grid=1), row("spin", 0.0, "livelock", grid=1),
                       row("spin", 3.0, grid=1), row("spin", 2.0, grid=2),
                       *(row("spin", 1.0, word, grid=4) for word in ("timed out", "ok", "hung")))
    assert list(points["status"]) == ["livelock", "ok", "timeout"]
    assert list(points["ended"]) == ["livelock", "ok", "hung"]
    livelock, good, hung = points["reason"]
    assert (livelock, good) == ("a livelock", "") and hung.endswith("for lock 7")
    assert points["seconds"].isna().tolist() == [True, False, True]


def test_a_point_ended_as_its_worst_repetition(tmp_path: Path) -> None:
    order = ["wrong", "deadlock", "livelock", "hung", "timed out", "error", "skipped", "ok"]
    pairs = list(itertools.combinations(order, 2))
    points = points_of(tmp_path, *(row("spin", 1.0, word, which=number, turned=turned)
                                   for number, pair in enumerate(pairs) for turned in (0, 1)
                                   for word in (pair[::-1] if turned else pair)))
    assert list(points["ended"]) == [worse for worse, _ in pairs for _ in (0, 1)]
    assert not points["ok"].any() and points["seconds"].isna().all()


def test_units_rates_and_counts_are_read_as_they_are_named(tmp_path: Path) -> None:
    units = [{**row("spin", 4.0, unit=unit), "time_unit": unit, "items_per_second": 8.0,
              "flag": True, "unit": 3.0, "count_rmw_a": 2, "count_rmw_b": 3, "count_poll_a": 4}
             for unit in ("s", "ms", "us", "ns")]
    units[1] |= {"throttled": {"by": ["heat", "power"], "samples": 2, "kept": True}}
    units[2] |= {"throttled": {"by": ["heat"], "samples": 2, "kept": False}, "power_capped": True}
    units[3]["items_per_second"] = 0.0
    points = points_of(tmp_path, *units)
    assert points["seconds"].tolist() == pytest.approx([4.0, 4e-3, 4e-6, 4e-9])
    assert points["seconds_per_operation"].tolist()[:3] == [0.125] * 3
    assert points["seconds_per_operation"].isna().tolist() == [False] * 3 + [True]
    assert [points.first().median(f"count_{what}") for what in ("rmw", "poll", "fence")] == [5, 4, 0]
    assert points["throttled"].tolist() == ["", "heat, power", "", ""]
    assert points["unit"].tolist() == ["s", "ms", "us", "ns"], "the axis, not a number of its name"
    assert points["power_capped"].tolist() == [False, False, True, False] and "flag" not in points


@pytest.mark.parametrize(("program", "machine", "gpus", "kind", "timed", "on_gpu"), [
    ("ht", "gpu", [], "gpu", True, True), ("ht", "gpu", [1, 1], "gpus", True, True),
    ("ht", "gpu", [0, 1], "gpu", True, True), ("ht", "gpu", [0, 2], "gpus", True, True),
    ("ht_traffic", "gpu", [], "gpu_traffic", False, True),
    ("ht", "host executor", [2], "host", False, False)])
def test_the_kind_of_results_is_by_program_machine_and_gpus(
        tmp_path: Path, program: str, machine: str, gpus: list[int], kind: str, timed: bool,
        on_gpu: bool) -> None:
    made = [row("spin", 1.0, gpus=number) if number else row("spin", 1.0) for number in gpus or [0]]
    results = results_of(tmp_path, program, made, machine=machine)
    assert (results.kind, results.timed, results.on_gpu) == (kind, timed, on_gpu)


def test_a_full_grid_fills_the_threads_or_the_blocks(tmp_path: Path) -> None:
    points = points_of(tmp_path, *({**row("spin", 1.0, place=place),
                                    "effective": {"blocks": blocks, "threads_per_block": threads}}
                                   for place, (blocks, threads) in enumerate((
                                       (132 * 32, 32), (132 * 32 - 1, 32), (132 * 2, 1024),
                                       (132 * 2 - 1, 1024), (132, 2048)))))
    assert points.at_full_occupancy(synthetic.GPU)["place"].tolist() == [0, 2, 4]
    assert [point.grid_label({"sms": 132}) for point in points][2:4] == ["2 x 1024", "2.0 x 1024"]
    assert points.at_full_occupancy({}).empty


def test_a_limit_and_a_speed_up_are_of_all_points_or_none(tmp_path: Path) -> None:
    late = [{**row("tas", 1.0, "timed out", grid=grid)} for grid in (1, 2)]
    points = points_of(tmp_path, row("spin", 2.0, grid=1), row("spin", 3.0, grid=2), *late,
                       row("ttas", 8.0, grid=1)).assign(operations=[10.0, 20.0, 10.0, 40.0, 4.0])
    spin, tas, ttas = points.by_primitive().values()
    assert tas.time_limit() == pytest.approx(2 / 40) and points.time_limit() is None
    assert spin.time_limit() is None and points.none().time_limit() is None
    assert spin.speedup_over(ttas) == Spread(10.0, 10.0, 10.0)
    assert spin.speedup_over(tas) == tas.speedup_over(spin) == "timed out"
    assert spin.first_spread("seconds_low", "seconds", "seconds_high") == Spread(2.0, 2.0, 2.0)
    assert tas.first_spread("seconds_low", "seconds", "seconds_high") == "timed out"


def test_a_tuned_point_and_a_failed_candidate_are_points_of_their_own(tmp_path: Path) -> None:
    swept = row("spin", 1.0, grid=1)
    tuned = {**swept, "tuned": {"axes": {"grid": 1}}}
    failed = {**row("spin", 0.0, "wrong", grid=1), "excluded_candidate": True}
    points = points_of(tmp_path, swept, {**tuned, "real_time": 3.0}, failed, tuned)
    assert list(zip(points["tuned"], points["excluded"], points["status"])) == [
        (None, False, "ok"), ({"grid": 1}, False, "ok"), (None, True, "wrong")]
    assert points["seconds"].tolist()[:2] == [1.0, 2.0]


def test_axes_keep_their_kind_where_some_rows_lack_them(tmp_path: Path) -> None:
    points = points_of(tmp_path, row("spin", 1.0, grid=2, section="empty"), row("spin", 1.0))
    assert f"{points.values('grid')} {points.values('section')}" == "[2] ['empty']"
    assert len(points.select(section="empty")) == 2  # what a point lacks counts as equal
    assert len(points.select(section="full", grid=2)) == 1
    assert points.values("nothing") == [] and len(points.select(nothing=1)) == 2


def test_an_axis_may_hold_numbers_and_names(tmp_path: Path) -> None:
    points = points_of(tmp_path, *(row("spin", 1.0, grid=grid) for grid in ("auto", 16, 2, 16)), row("lockfree", 1.0))
    assert points.values("grid") == [2, 16, "auto"]
    assert list(points.above("grid", 2)) == [False, True, False, False]
    assert list(points.select(grid="auto")["primitive"]) == ["spin", "lockfree"]


def test_the_fastest_is_by_median_and_never_a_failed_point(tmp_path: Path) -> None:
    points = points_of(tmp_path, row("spin", 1.0, grid=1), row("spin", 9.0, grid=1),
                       row("spin", 9.0, grid=1), row("spin", 5.0, grid=2),
                       row("spin", 0.1, "wrong", grid=4))
    best = points.fastest_point()
    assert best is not None and best["grid"] == 2
    assert points.select(grid=4).fastest_point() is None
    assert points.select(grid=4).failure_word() == "wrong"
    assert points.none().failure_word() == "not run"
    assert points.values("grid") == [1, 2, 4]


@pytest.mark.parametrize("machine", ["gpu", "host executor"])
def test_a_file_without_rows_has_no_points(tmp_path: Path, machine: str) -> None:
    points = results_of(tmp_path, "ht", machine=machine).points
    assert points.empty and points.fastest_point() is None


def test_no_points_among_none_keep_their_columns(tmp_path: Path) -> None:
    none = points_of(tmp_path, row("spin", 1.0)).none()
    assert none.where([]).failure_word() == "not run"
