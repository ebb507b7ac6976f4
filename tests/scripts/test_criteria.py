"""Criteria of claims and the numbers that they judge: which verdict, and from which value it is another one."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest
from finesync.claims import criteria, judge, ledger, words
from finesync.claims.criteria import DIRECTION, FAILS, HOLDS, MIXED, UNTOLD
from finesync.claims.ledger import Case
from finesync.query import numbers as measured
from finesync.query.numbers import AT_LEAST, AT_MOST, EITHER_WAY, Missing, Spread, exactly
from finesync.results.recorded import Recorded

EXACT = {"side": "above", "neutral": 1}
TREND = {"by": "trend", "least_points": 3}
CROSSING = {"by": "crossover", "least_points": 3, "neutral": 1, "begins": "below"}


def near(low: float, middle: float | None = None, high: float | None = None, bound: int = 0) -> Spread:
    middle = low if middle is None else middle
    return Spread(low, middle, middle if high is None else high, bound)


def verdict(criterion: dict[str, Any], found: list[Any]) -> str:
    """What cases say: values, none where it cannot be told, or the points of a line."""
    outcomes = [None if one is None else criteria.outcome(criterion, one) for one in found]
    return criteria.claimed([criteria.verdicts(criterion, outcomes)])[0]


def line(*y: float) -> list[list[tuple[int, Spread]]]:
    return [[(x, near(one)) for x, one in enumerate(y)]]


@pytest.mark.parametrize(("criterion", "found", "said"), [
    ({"by": "ratio_band", **EXACT, "published": 4}, [near(1.001)], FAILS),
    ({"by": "ratio_band", **EXACT, "published": 4}, [near(3.0), near(0.5)], MIXED),
    ({"by": "ratio_band", **EXACT, "published": 4}, [near(4.0, bound=AT_LEAST)], DIRECTION),
    ({"by": "ratio_band", **EXACT, "published": 4}, [near(4.0, bound=AT_MOST)], UNTOLD),
    ({"by": "bound", **EXACT, "bound": 2}, [near(1.9, 2.1, 2.3)], DIRECTION),
    ({"by": "bound", **EXACT, "bound": 2}, [near(3.0, bound=AT_LEAST)], HOLDS),
    ({"by": "ordering", **EXACT, "quorum": 0.5}, [near(2.0), near(2.0), near(0.5)], HOLDS),
    ({"by": "ordering", **EXACT, "quorum": 0.5}, [near(2.0), near(0.5)], MIXED),
    ({"by": "ordering", **EXACT, "quorum": 0.5}, [near(2.0), near(2.0), None], HOLDS),
    ({"by": "ordering", **EXACT, "quorum": 0.5}, [near(2.0), None], UNTOLD),
    ({"by": "ordering", **EXACT}, [near(0.5), None], UNTOLD),
    ({"by": "count", "published": 0, "side": "below", "neutral": 900}, [near(29.0)], DIRECTION),
    ({"by": "events", "expected": "none", "least_runs": 9}, [exactly(0, 3)], UNTOLD),
    ({"by": "events", "expected": "none", "least_runs": 9}, [exactly(1, 3)], FAILS),
    ({"by": "events", "expected": "none", "least_runs": 9}, [exactly(0, 9)], HOLDS),
    ({"by": "events", "expected": "some", "least_runs": 9}, [exactly(0, 10)], FAILS),
    ({"by": "events", "expected": "some", "least_runs": 9}, [exactly(0, 3)], UNTOLD),
    ({"by": "events", "expected": "some", "least_runs": 9}, [exactly(1, 3)], HOLDS),
    ({"by": "ordering", **EXACT}, [near(0.9, 2.0, 3.0)], FAILS),
    ({"by": "ordering", **EXACT}, [near(0.1, 0.5, 1.2)], FAILS),
    ({"by": "bound", "side": "below", "neutral": 1, "bound": 0.5}, [near(0.4, 0.5, 0.6)], DIRECTION),
    ({"by": "count", "published": 3}, [near(3.0, bound=AT_LEAST)], FAILS),
    ({**TREND, "direction": "up", "ends": 1.1}, line(1.0, 1.5, 1.4, 1.6), DIRECTION),
    ({**TREND, "direction": "up", "ends": 1.1}, line(1.09, 1.18, 1.17, 1.08, 1.05, 1.05), FAILS),
    ({**TREND, "direction": "up", "ends": 1.1}, line(1.0, 1.05, 1.1), HOLDS),
    ({**TREND, "direction": "up", "ends": 1.1}, line(1.0, 1.05, 1.09), DIRECTION),
    ({**TREND, "direction": "up", "ends": 1.0, "step": 0.2}, line(1.0, 1.25, 1.1), HOLDS),
    ({**TREND, "direction": "up", "ends": 1.0}, line(1.0, 1.2, 1.0), MIXED),
    ({**TREND, "direction": "up", "ends": 1.0}, line(1.0, 1.2, 1.3, 1.4, 0.99), MIXED),
    ({**TREND, "direction": "down", "ends": 1.5}, line(1.5, 1.2, 1.0), HOLDS),
    ({**TREND, "direction": "down", "ends": 1.1}, line(1.0, 1.2, 1.5), FAILS),
    ({**TREND, "direction": "down", "ends": 1.1}, line(1.5, 1.0), UNTOLD),
    ({**TREND, "direction": "flat", "flat_factor": 1.5}, line(1.0, 1.2, 1.5), HOLDS),
    ({**TREND, "direction": "flat", "flat_factor": 1.5}, line(1.0, 1.2, 1.6), FAILS),
    (CROSSING, line(0.5, 0.9, 1.2), HOLDS), (CROSSING, line(0.5, 0.9), UNTOLD),
    (CROSSING, line(0.5, 0.6, 0.7), FAILS), (CROSSING, line(1.5, 0.9, 0.8), FAILS),
    ({**CROSSING, "begins": "above"}, line(1.5, 0.9, 0.8), HOLDS), (CROSSING, line(0.5, 1.2, 0.5), MIXED),
    (CROSSING, line(0.5, 1.02, 0.5, 0.4), FAILS), (CROSSING, line(0.98, 1.5, 1.6), FAILS),
    ({**CROSSING, "between": (1, 9)}, line(0.5, 1.2, 1.3), HOLDS),
    ({**CROSSING, "between": (1.1, 9)}, line(0.5, 1.2, 1.3), DIRECTION),
    ({**CROSSING, "between": (0, 2)}, line(0.5, 0.6, 0.7, 1.2), HOLDS),
    ({**CROSSING, "between": (0, 1.9)}, line(0.5, 0.6, 0.7, 1.2), DIRECTION),
])
def test_each_criterion_has_its_verdicts(criterion: dict[str, Any], found: list[Any], said: str) -> None:
    assert verdict(criterion, found) == said


@pytest.mark.parametrize(("criterion", "last", "first"), [
    # Each has its verdict up to the first number and not from the second on.
    ({"by": "ordering", "side": "above", "neutral": 50}, (51.4, FAILS), (51.6, HOLDS)),
    ({"by": "ordering", "side": "below", "neutral": 50}, (48.6, FAILS), (48.4, HOLDS)),
    ({"by": "ordering", "side": "above", "neutral": -50}, (-48.6, FAILS), (-48.4, HOLDS)),
    ({"by": "ordering", "side": "above", "neutral": 0}, (0.02, FAILS), (0.04, HOLDS)),
    ({"by": "ordering", "side": "above", "neutral": 2, "margin": 0.1}, (2.19, FAILS), (2.21, HOLDS)),
    ({"by": "ratio_band", **EXACT, "published": 4}, (2.66, DIRECTION), (2.67, HOLDS)),
    ({"by": "ratio_band", **EXACT, "published": 4}, (6.0, HOLDS), (6.01, DIRECTION)),
    ({"by": "ratio_band", **EXACT, "published": 4, "factor": 1.1}, (4.39, HOLDS), (4.41, DIRECTION)),
    ({"by": "ratio_band", "side": "above", "neutral": 1, "published": 26, "points": 10},
     (15.9, DIRECTION), (16.0, HOLDS)),
    ({"by": "ratio_band", "side": "above", "neutral": 1, "published": 26, "points": 10},
     (36.0, HOLDS), (36.1, DIRECTION)),
    ({"by": "bound", **EXACT, "bound": 2}, (1.99, DIRECTION), (2.0, HOLDS)),
    ({"by": "bound", "side": "below", "neutral": 1, "bound": 0.5}, (0.5, HOLDS), (0.51, DIRECTION)),
    ({"by": "count", "side": "above", "neutral": 1, "published": 3}, (2.99, DIRECTION), (3.0, HOLDS)),
    ({"by": "count", "published": 3}, (3.0, HOLDS), (3.01, FAILS)),
])
def test_each_criterion_changes_its_verdict_at_its_number(
        criterion: dict[str, Any], last: tuple[float, str], first: tuple[float, str]) -> None:
    for number, said in (last, first):
        assert verdict(criterion, [near(number)]) == said


def test_parts_that_disagree_are_mixed_and_an_open_part_leaves_what_is_possible() -> None:
    assert criteria.claimed([{HOLDS}, {DIRECTION}]) == (DIRECTION, [])
    assert criteria.claimed([{HOLDS}, {FAILS}]) == (MIXED, [])
    assert criteria.claimed([{FAILS}, {HOLDS, FAILS}]) == (UNTOLD, [MIXED, FAILS])
    for by, left in (("ordering", {HOLDS, MIXED}), ("events", {HOLDS, MIXED}), ("bound", {HOLDS, DIRECTION, MIXED})):
        assert criteria.verdicts({"by": by}, [criteria.AGREES, None]) == left


def test_values_keep_their_spread_and_their_bounds() -> None:
    slow, fast = near(8.0, 10.0, 12.0), near(4.0, 5.0, 6.0)
    assert slow.over(fast) == Spread(8 / 6, 2.0, 3.0)
    assert slow.saved_by(fast) == Spread(100 * (1 - 6 / 8), 50.0, 100 * (1 - 4 / 12))
    late, early = slow.bounded(AT_LEAST, "it timed out"), slow.bounded(AT_MOST, "it ran at an edge")
    assert late.over(fast).most == math.inf and fast.over(late).least == -math.inf
    assert measured.mean([late, fast]).because == "it timed out"
    assert measured.product([near(2.0), near(3.0)]).median == 6.0
    assert measured.most_over_least([near(2.0), near(3.0)]).median == 1.5
    assert [number.bound for number in (
        late.over(fast), fast.over(late), late.saved_by(fast), fast.saved_by(late), late.minus(fast),
        fast.minus(late), late.inverse(), early.scaled(2.0), measured.product([late, fast]),
        measured.greatest([early, fast]), measured.mean([fast, early]))] == [
        AT_LEAST, AT_MOST, AT_LEAST, AT_MOST, AT_LEAST, AT_MOST, AT_MOST, AT_MOST, AT_LEAST, AT_MOST, AT_MOST]
    assert slow.minus(fast) == Spread(2.0, 5.0, 8.0)
    assert measured.product([slow, fast]) == Spread(32.0, 50.0, 72.0)
    assert measured.greatest([fast, slow, fast]) == slow
    assert measured.mean([slow, fast]) == Spread(6.0, 7.5, 9.0)
    assert late.over(early).because == "it timed out; it ran at an edge"
    assert (early.least, early.most, late.least, late.most) == (-math.inf, 12.0, 8.0, math.inf)
    with pytest.raises(Missing, match="only as a bound"):
        measured.most_over_least([late, fast])
    assert measured.correlation([late, fast], [slow, fast]).bound == EITHER_WAY
    with pytest.raises(Missing, match="equal numbers"):
        measured.correlation([slow, fast], [fast, fast])
    assert measured.correlation([near(1.0), near(2.0), near(3.0)],
                                [near(5.0), near(9.0), near(7.0)]).median == pytest.approx(0.5)
    with pytest.raises(Missing, match="both sides: it timed out"):
        late.over(fast.bounded(AT_LEAST, ""))
    open_ones = [early.over(fast.bounded(AT_MOST, "")), measured.mean([late, early])]
    for number in (*open_ones, *(one.inverse() for one in open_ones), fast.over(open_ones[0])):
        assert (number.bound, number.least, number.most) == (EITHER_WAY, -math.inf, math.inf)
    assert measured.geometric_mean([near(2.0), near(8.0)]).median == pytest.approx(4.0)
    with pytest.raises(Missing, match="to zero"):
        slow.over(near(0.0))
    assert measured.correlation([near(1.0), near(2.0), near(3.0)],
                                [near(2.0), near(4.0), near(6.0)]).median == pytest.approx(1.0)


@pytest.mark.parametrize(("ahead", "said"), [
    ([0.5, 2.0, 0.9, 1.5, 2.0], (12.0, 0)), ([0.5, 0.6, 1.0, 1.1, 2.0], (12.0, 0)),
    ([1.5, 2.0, 1.1], (1.0, AT_MOST)), ([2.0, 3.0, 2.0, 0.5], (36.0, AT_LEAST))])
def test_a_form_overtakes_where_it_stays_ahead(ahead: list[float], said: tuple[float, int]) -> None:
    found = measured.overtaking(list(zip((1.0, 2.0, 4.0, 12.0, 20.0), map(near, ahead))))
    assert (found.median, found.bound) == said


@pytest.mark.parametrize(("counted", "said", "shown"), [
    ({"random schedules": exactly(0, 60)}, HOLDS, "0 of 60"),
    ({"random schedules": exactly(1, 60)}, FAILS, "1 of 60"),
    ({"random schedules": exactly(0, 15)}, UNTOLD, "0 of 15"), ({}, UNTOLD, ""), (None, UNTOLD, "")])
def test_what_tests_count_is_read_from_their_file(counted: dict[str, Spread] | None, said: str, shown: str) -> None:
    found = {"A33": judge.judge(ledger.claim_named("A33"), Recorded(
        "", lambda program, kind: None, counts={} if counted is None else {"A33": counted}))}
    printed = found["A33"].printed
    assert (printed.verdict, words.measured(printed)) == (said, shown and f"{shown} deadlocked (random schedules)")
    missing = "no test's count of random schedules is recorded"
    assert (printed.reasons() == missing) == (not counted)
    assert judge.without_verdict(found) == ([f"A33: {UNTOLD} although the rows exist: {missing}"]
                                            if counted == {} else [])


def test_verdicts_are_compared_one_by_one_and_counted() -> None:
    here = {"A": {"verdict": HOLDS, "ours": FAILS}, "B": {"verdict": MIXED}, "D": {"verdict": HOLDS}}
    there = {"A": {"verdict": HOLDS}, "B": {"verdict": HOLDS, "originals": MIXED}, "C": {}}
    own: Any = {name: SimpleNamespace(words=words_of, printed=SimpleNamespace(verdict=words_of["verdict"]))
                for name, words_of in here.items()}
    assert judge.differences(own, there) == [
        f"A, ours: {FAILS}, expected none", f"B, verdict: {MIXED}, expected {HOLDS}",
        f"B, originals: none, expected {MIXED}", f"D, verdict: {HOLDS}, expected none",
        "C: expected, but not in the ledger"]
    assert judge.counts(list(own.values())) == {HOLDS: 2, DIRECTION: 0, MIXED: 1, FAILS: 0, UNTOLD: 0}


def test_a_case_without_a_pair_or_a_program_is_refused() -> None:
    assert Case("x", "", {}, {}, {}, {}, {}).program == ""
    document = {"pairs": {"HT": {"program": "ht", "forms": {"lock": "spin"}}}, "claims": {}}
    raw = {"source": "", "claim": "", "forms": {"lock": "spin"},
           "parts": [{"cases": ["HT-7"], "value": {"time": "lock"}, "criterion": {"by": "count"}}]}
    with pytest.raises(ledger.UserError, match="A99: 'HT-7' is no pair"):
        ledger.claim_of("asplos19", "A99", raw, document)
