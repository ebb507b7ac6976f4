"""Small functions and what they answer, a line each."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import compare
import pandas as pd
import pytest
import synthetic
from finesync.claims import commands, words
from finesync.figures import layout
from finesync.items import series
from finesync.query import tables as query_tables
from finesync.query.numbers import Spread, exactly
from finesync.query.points import PointRow, PointTable, in_order
from finesync.query.selection import Selection, matches
from finesync.report.needs import Entry, _differ, _listed, value
from finesync.report.places import by_folder, of_gpu, places
from finesync.results import revisions, schemas, sync_tables
from finesync.results.catalogue import looks
from finesync.results.workload import Unit
from finesync.sweep import (arguments, point_process, progress, runner, traffic_run, traffic_stalls)
from finesync.sweep.plan import PlannedPoint
from finesync_inputs.unpack import count_entries
from tables import results_of

REFUSED = argparse.ArgumentTypeError
# Axes that rows may lack, and one that they must have.
FITS = Selection("ht", "spin", {"u": 1, "v": 2}, {"v": 3}).fits
STALLED, ISSUES = traffic_stalls._PER_ISSUE, f"{traffic_stalls._ISSUES}.sum"
BEST, UNIT = Spread(0.9, 1.0, 1.1), Unit("us", 1e6)


def point(**changes: Any) -> PlannedPoint:
    return PlannedPoint(**{"name": "e,a=1", "program": "ht", "axes": {"a": [1], "b": [2, 3]},
                           "options": {"c": 4}, "repetitions": 5, "timeout_s": 6.0, **changes})


def claim(**measure: list[str]) -> Any:
    """What a claim says of its measurements."""
    return argparse.Namespace(measure={f"{name}/gpu": own for name, own in measure.items()})


def rows(*ended: str, kind: str = "iteration") -> dict[str, Any]:
    return {"benchmarks": [{"run_type": kind, "status": word, "reason": f"a {word}"} for word in ended]}


@pytest.mark.parametrize(("function", "given", "answer"), [
    (progress.duration, (0.04,), "0.0 s"), (progress.duration, (59.9,), "59.9 s"),
    (progress.duration, (60,), "1 min 00 s"), (progress.duration, (185.4,), "3 min 05 s"),
    (progress.duration, (3599,), "59 min 59 s"), (progress.duration, (7800,), "2 h 10 min"),
    (arguments.seconds, ("90s",), 90.0), (arguments.seconds, ("1.5m",), 90.0),
    (arguments.seconds, ("2h",), 7200.0), (arguments.seconds, ("2",), REFUSED),
    (arguments.seconds, ("-1s",), REFUSED), (arguments.seconds, ("1s2",), REFUSED),
    (arguments.shard, ("1/1",), (1, 1)), (arguments.shard, ("3/8",), (3, 8)),
    (arguments.shard, ("8/8",), (8, 8)), (arguments.shard, ("0/8",), REFUSED),
    (arguments.shard, ("9/8",), REFUSED), (arguments.shard, ("1/8/",), REFUSED),
    (arguments.positive, ("1",), 1), (arguments.positive, ("0",), REFUSED),
    (arguments.positive, ("-3",), REFUSED), (arguments.kinds, ("gpu,nccl",), ["gpu", "nccl"]),
    (arguments.kinds, ("gpu,",), REFUSED),
    (compare.share, ("0.0001",), 1e-4), (compare.share, ("0.00009",), REFUSED),
    (compare.share, ("1",), REFUSED), (compare.share, ("x",), REFUSED),
    (compare.percent, ("0",), 0.0), (compare.percent, ("2",), 0.02), (compare.percent, ("-1",), REFUSED),
    (compare.percent, ("1000",), REFUSED), (compare.percent, ("x",), REFUSED),
    (compare.shown, (0.98765,), "0.988"), (compare.shown, (1e300,), "1e+300"),
    (query_tables.three_digits, (0.75649,), "0.756"), (query_tables.three_digits, (99.96,), "100"),
    (query_tables.three_digits, (100.4,), "100"), (query_tables.three_digits, (1234.5,), "1,234"),
    (query_tables.three_digits, (1e308,), "1e+308"),
    (layout.short_number, (0.004,), "0.004"), (layout.short_number, (0.0949,), "0.09"),
    (layout.short_number, (0.126,), "0.13"), (layout.short_number, (3.96,), "4.0"),
    (layout.short_number, (16.6,), "17"), (layout.short_number, (2690.4,), "2,690"),
    (layout.short_number, (1e300,), "1e+300"),
    (layout.count_label, (256,), "256"), (layout.count_label, (1024,), "1K"),
    (layout.count_label, (1025,), "1025"), (layout.count_label, ("auto",), "auto"),
    (layout.needs_log, ([1.0, 12.0],), False), (layout.needs_log, ([13.0, 1.0],), True),
    (layout.needs_log, ([],), False),
    (in_order, (["b", 10, 2, "a", 2],), [2, 10, "a", "b"]),
    (looks, ({"name": "a", "variants": [{"name": "b"}]},),
     [{"name": "a", "variants": [{"name": "b"}]}, {"name": "b"}]),
    # Apart are medians that differ by more than 3 % with quartiles that do not touch.
    (_differ, (BEST, Spread(1.11, 1.3, 1.6)), True), (_differ, (Spread(1.11, 1.3, 1.6), BEST), True),
    (_differ, (BEST, Spread(1.1, 1.3, 1.6)), False),
    (_differ, (Spread(1, 1, 1), Spread(1.02, 1.02, 1.02)), False),
    (_differ, (Spread(1, 1, 1), Spread(1.04, 1.04, 1.04)), True),
    (matches, (5, {"least": 5}), True), (matches, (4, {"least": 5}), False),
    (matches, ("x", {"least": 5}), False), (matches, ("f.gr-0123abcd", {"file": "f.gr"}), True),
    (matches, ("fxgr-0123abcd", {"file": "f.gr"}), False),
    (matches, ("f.gr-0123abc", {"file": "f.gr"}), False), (matches, (2, [1, 2]), True),
    (matches, (3, [1, 2]), False), (matches, ("a", "a"), True),
    (str, (Selection("ht", "spin", {}, {"a": 1, "b": [1, 2], "c": {"least": 3}, "d": {"file": "f"}}),),
     "spin (a 1, b 1 or 2, c of at least 3, d from f)"), (str, (Selection("", "spin", {}, {}),), "spin"),
    (FITS, ({"u": 1, "v": 3},), True), (FITS, ({"v": 3},), True), (FITS, ({"u": 2, "v": 3},), False),
    (FITS, ({"u": 1},), False), (FITS, ({"u": 1, "v": 2},), False),
    (words._median, (exactly(1, 3), "x"), "1 of 3x"), (words._median, (exactly(2), " %"), "2 %"),
    (sync_tables.sectors_per_operation, (PointRow(pd.Series({
        "l2_sectors_atomic": 30.0, "l2_sectors_reduction": 20.0, "operations": 10.0}), ""), "atomics"), 5.0),
    (_listed, (["a"],), "`a`"), (_listed, (["a", "b", "c"],), "`a`, `b` and `c`"),
    (value, (Entry("a", BEST, "ok"), UNIT), "1 us"), (value, (Entry("a", None, "hung"), UNIT), "hung"),
    (runner.outcome_of, (rows("ok", "ok"),), "ok"),
    (runner.outcome_of, (rows("ok", "error", "wrong", "wrong"),),
     "1 error, 2 wrong of 4 rows (a error)"),
    (runner.repetitions, (rows("ok", kind="aggregate"),), []),
    (revisions.of_context, ({"finesync": {"git_revision": "0123456789abc", "git_dirty": True}},),
     ["012345678 with changes"]),
    (revisions.of_context, ({"finesync": {}, "sweep": {"runs": [
        {"git_revision": "b" * 40}, {}, {"git_revision": "a" * 40}, {"git_revision": "b" * 40}]}},),
     ["a" * 9, "b" * 9, "unknown"]),
    (PlannedPoint.command, (point(),), ["ht", "--a", "1", "--b", "2,3", "--c", "4",
                                        "--benchmark_repetitions=5"]),
    (PlannedPoint.command, (point(tune=True, options={}),), [
        "ht", "--a", "1", "--b", "2,3", "--tune", "--benchmark_repetitions=5"]),
    (PlannedPoint.has, (point(), "e", ["a=1", "b=3"]), True),
    (PlannedPoint.has, (point(), "e", ["a=1", "b=4"]), False), (PlannedPoint.has, (point(), "f", []), False),
    (PlannedPoint.combinations, (point(),), [{"a": 1, "b": 2}, {"a": 1, "b": 3}]),
    (lambda one: one.processes, (point(options={"engine": "nccl", "gpus": 4}),), 4),
    (lambda one: one.processes, (point(options={"engine": "nvshmem"}),), 1),
    (lambda one: one.processes, (point(options={"gpus": 4}),), 0),
    (point_process._matches, (
        {"primitive": "a", "axes": {"x_y": 1}}, point(), {"primitive": "a", "x-y": "1"}), True),
    (point_process._matches, ({"primitive": "a", "axes": {"x_y": 1}}, point(), {"x-y": 2}), False),
    (point_process._matches, ({"primitive": "a", "axes": {}}, point(), {"x-y": 2}), True),
    (point_process._matches, ({"primitive": "b", "axes": {}}, point(), {"primitive": "a"}), False),
    (point_process._matches, ({"primitive": "a", "axes": {}}, point(tune=True), {}), False),
    (point_process._matches, ({"primitive": "a", "axes": {}, "tuned": {}}, point(tune=True), {}), True),
    (lambda *own: [point_process.error_row(*own)[key] for key in ("name", "axes", "status", "reason")],
     (point(options={"c-d": "e/4"}), {"a": 1, "primitive": "p"}, "why"),
     ["ht/p/c_d:e-4/a:1", {"c_d": "e-4", "a": 1}, "error", "why"]),
    (traffic_run._of_one_run, ({"items_per_second": 50.0, "real_time": 200.0, "time_unit": "ms",
                                schemas.LENT: 0.5},), {"operations": 10, schemas.LENT: 0.5}),
    (traffic_run._of_one_run, ({"real_time": 200.0},), {}),
    (traffic_run._last_line, ("==PROF== x\nfirst\n last \n\n==ERROR== y",), "no results: last"),
    # Two kernels: 10 issues with 1 and 3 warps stalled, and 30 with 2 and 0.
    (traffic_stalls.shares, ([STALLED.format("barrier"), STALLED.format("wait")], [
        {ISSUES: number, f"{STALLED.format('barrier')}.ratio": one, f"{STALLED.format('wait')}.ratio": other
         }.__getitem__ for number, one, other in ((10, 1, 3), (30, 2, 0))]),
     {"stalled_barrier_percent": 70.0, "stalled_wait_percent": 30.0}),
    (traffic_stalls.shares, ([STALLED.format("wait")], [lambda name: 0.0]), {"stalled_wait_percent": 0.0}),
    # A whole plan holds its entries, and an entry its points.
    (commands.of_several, ([claim(ht=["a"], atm=["c"]), claim(ht=["b", "a"])],),
     {"ht/gpu": ["a", "b"], "atm/gpu": ["c"]}),
    (commands.of_several, ([claim(ht=["a"]), claim(ht=[])],), {"ht/gpu": []}),
    (commands.of_several, ([claim(ht=[]), claim(ht=["a"])],), {"ht/gpu": []}),
    (commands.of_several, ([claim(ht=["a,p=1", "b,p=1"]), claim(ht=["a"])],), {"ht/gpu": ["b,p=1", "a"]}),
])
def test_a_small_function_has_a_known_answer(function: Callable[..., Any], given: tuple[Any, ...], answer: Any) -> None:
    if answer is REFUSED:
        with pytest.raises(REFUSED):
            function(*given)
        return
    found = function(*given)
    assert (list(found) if isinstance(answer, list) else found) == answer


@pytest.mark.parametrize(("text", "entries"), [
    (b"", 0), (b"1 2\n", 1), (b"% c\n%\n1 2\n3 4\n", 2), (b"c x\np sp 3 2\na 1 2\na 2 3\n", 2),
    (b"1 2\n% later\n", 2), (b"pq\n", 1)])
def test_entries_are_the_lines_below_the_head(tmp_path: Path, text: bytes, entries: int) -> None:
    (tmp_path / "file").write_bytes(text)
    assert count_entries(tmp_path / "file") == entries


def test_places_are_own_runs_first_then_those_with_most_results(tmp_path: Path) -> None:
    made = {place: [results_of(tmp_path / place, program, [], machine=machine, date=f"{place}-01-02T03")
                    for program in programs]
            for place, machine, programs in (("2024", "host executor", ["ht"]), ("2026", "gpu", ["ht"]),
                                             ("2025", "gpu", ["ht", "mutex"]))}
    (host,), (alone,), (first, second) = made.values()
    found = places([host, alone, first, second])
    assert [(place.folder.name, place.name, place.on_gpu, place.recorded, place.dates()) for place in found] \
        == [("2025", "Test GPU 9000, 2025", True, False, ["2025-01-02"]),
            ("2026", "Test GPU 9000, 2026", True, False, ["2026-01-02"]),
            ("2024", "Host executor", False, False, ["2024-01-02"])]
    assert [place.counted for place in found] == [[host]] * 3
    assert [place.name for place in places([alone])] == ["Test GPU 9000"]
    assert by_folder([first, alone, second]) == {tmp_path / "2025": [first, second], tmp_path / "2026": [alone]}
    own: Any = argparse.Namespace(folder=Path("elsewhere/2026"))
    assert of_gpu(tmp_path, own, [first, alone, second, host]) == [alone]


def timed(rest: float | None) -> PointTable:
    ends = dict(zip(("_low", "", "_high"), (1.0, 2.0, 4.0)))
    number = "unsynchronized_ns_per_operation"
    return PointTable(pd.DataFrame([{f"seconds{end}": share * 1e-6 for end, share in ends.items()} | (
        {} if rest is None else {f"{number}{end}": rest * share for end, share in ends.items()})]))


@pytest.mark.parametrize(("rest", "number", "low_to_high"), [
    (None, "time", (1.0, 2.0, 4.0)), (None, "synchronization", "no number"),
    (1000.0, "synchronization", "no number"),
    (250.0, "synchronization", (1e-9, 1.5, 3.75)), (200.0, "synchronization", (0.2, 1.6, 3.8))])
def test_synchronization_is_what_the_rest_leaves(rest: float | None, number: str, low_to_high: Any) -> None:
    found = series._value(timed(rest), number)
    assert low_to_high == (found if isinstance(found, str) else pytest.approx((found.low, found.median, found.high)))


def test_numbers_of_items_are_multiples_of_a_form_and_bands_of_what_it_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    one = series.Series("a", {1: Spread(2, 4, 8), 2: Spread(1, 1, 1), 4: Spread(1, 1, 1)},
                        {1: "hung", 3: "hung", 5: "hung"})
    base = series.Series("b", {1: Spread(1, 2, 4)}, {2: "wrong", 5: "wrong"})
    series._divide([series.Group("", [series.Panel({}, [one], {}, {})])], [base])
    assert one.values == {1: Spread(1, 2, 4)} and one.failed == {1: "hung", 2: "without b", 5: "hung"}
    monkeypatch.setattr(series.published, "numbers", lambda path: {"x": 20.0, "y": 50.0})
    assert series._published_band({"of": "b", "saves": "p"}, [one, base]) == {1: (1.0, 1.6)}
    bars = {"published": {"over": "b", "speedups": "p", "names": {"c": "x", "d": "y"}}}
    of_bars = [one, series.Series("b", {"b": Spread(90, 100, 110)})]
    assert series._published_bars(bars, of_bars) == {"c": (5.0, 5.0), "d": (2.0, 2.0)}
    assert series._published_bars(bars, [one]) == series._published_bars({}, of_bars) == {}


@pytest.mark.parametrize(("status", "failed"), [
    ("ok", 0), ("skipped", 0), ("livelock", 0), ("timeout", 0), ("wrong", 1), ("deadlock", 1), ("error", 1)])
def test_a_sweep_failed_by_a_row_that_shows_a_fault(tmp_path: Path, status: str, failed: int) -> None:
    store: Any = argparse.Namespace(merged=synthetic.write(
        tmp_path / "f.json", rows("ok", status) | {"context": {"sweep": {"runs": []}}}))
    assert runner.summary(store) == failed


def test_progress_counts_points_and_tells_what_is_left(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = iter((0.0, 60.0, 120.0, 180.0, 190.0))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    shown = progress.Progress(4)
    for name in "ab":
        shown.finished(name, "ok", 1.0)
    assert capsys.readouterr().out.splitlines() == ["[1/4] a: ok, 1.0 s, 3 min 00 s left",
                                                    "[2/4] b: ok, 1.0 s, 2 min 00 s left"]
    shown.live = True
    shown.tick(["c"])
    bar = "#" * (progress._BAR // 2) + "-" * (progress._BAR // 2)
    assert capsys.readouterr().out == f"\r\033[K[{bar}] 2/4, 3 min 10 s left  c"
