"""The thesis's claims of its applications, T12 to T16, on made-up rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from finesync.claims import ledger, stand_ins, words
from finesync.claims.criteria import DIRECTION, FAILS, HOLDS, MIXED, UNTOLD
from finesync.claims.judge import Judged
from finesync.query.numbers import Missing
import synthetic
from synthetic import Rows
from synthetic_applications import APPLICATIONS, LEVELS, Speedups, barriers, by_contention, by_time_saved
from test_claims import judged, numbers, recorded

# As in the thesis: CCG is ahead at first, SRB from 4 TBs/SM on, and by so many percent in the end.
AS_PUBLISHED = {"bfs": by_time_saved(-11, -4, 8, 16, 24), "sssp": by_time_saved(-17, -4, 8, 20, 31),
                "pagerank": by_time_saved(-9, -6, 1, 3, 4),
                "reduce": by_time_saved(-15, -5, 20, 40, 62)}
SHARES = {"bfs": 0.4, "sssp": 0.5, "pagerank": 0.1, "reduce": 0.8}
MICRO = barriers({1: 0.8, 2: 0.6, 4: 0.7, 8: 0.9, 16: 1.1, 32: 1.2})


def rows_of(**changed: Speedups) -> dict[str, list[Rows]]:
    """The rows of all four as published, but for those that are changed."""
    return {program: by_contention(program, changed.get(program, speedups), SHARES[program])
            for program, speedups in AS_PUBLISHED.items()}


def verdict(number: str, folder: Path, micro: list[Rows] | None = None, **changed: Speedups) -> str:
    return judged(number, folder, barrier=micro or MICRO, **rows_of(**changed)).printed.verdict


@pytest.mark.parametrize("number", ["T12", "T13", "T14", "T15", "T16"])
def test_without_rows_it_cannot_be_told_and_with_the_thesis_s_it_holds(number: str, tmp_path: Path) -> None:
    without = judged(number, tmp_path, barrier=MICRO).printed
    assert without.verdict == UNTOLD
    assert {reason.removesuffix(" is not recorded") for reason in map(str, without.missing())} <= set(APPLICATIONS)
    assert verdict(number, tmp_path) == HOLDS


def flat(percent: float) -> Speedups:
    return by_time_saved(*[percent] * len(LEVELS))


@pytest.mark.parametrize(("number", "changed", "said"), [
    ("T12", {"reduce": flat(0), "bfs": flat(0)}, DIRECTION),
    ("T12", {"reduce": flat(-60), "bfs": flat(-30), "sssp": flat(-20)}, FAILS),
    ("T13", {"reduce": flat(30)}, DIRECTION),
    ("T13", {"reduce": flat(-30)}, MIXED),  # and the gain does not follow the share
    ("T13", {"reduce": flat(-30), "pagerank": flat(-20)}, FAILS),
    ("T14", {"bfs": by_time_saved(-40, -4, 8, 16, 60)}, DIRECTION),
    ("T14", {"bfs": by_time_saved(11, 4, 8, 16, 24)}, MIXED),
    ("T14", {"bfs": by_time_saved(11, 4, -8, -16, -24)}, FAILS),
    ("T15", {"sssp": by_time_saved(-50, -4, 8, 16, 50)}, DIRECTION),
    ("T15", {"sssp": by_time_saved(-17, -4, 8, -16, -24)}, MIXED),
    ("T15", {"sssp": by_time_saved(11, 4, -8, -16, -24)}, FAILS),
    ("T16", {"bfs": by_time_saved(-40, -30, -20, -16, 60)}, MIXED),  # no sooner than alone
    ("T16", {"bfs": by_time_saved(-11, -4, -8, -16, -24)}, MIXED),
    ("T16", {program: by_time_saved(-11, -4, -8, -16, -24) for program in APPLICATIONS}, FAILS)])
def test_a_changed_row_changes_the_verdict(number: str, changed: dict[str, Speedups], said: str,
                                           tmp_path: Path) -> None:
    assert verdict(number, tmp_path, **changed) == said


def test_srb_may_overtake_sooner_than_alone_but_later_than_published(tmp_path: Path) -> None:
    late = barriers({1: 0.8, 2: 0.6, 4: 0.7, 8: 0.8, 16: 0.9, 32: 1.2})
    assert verdict("T16", tmp_path, late, bfs=by_time_saved(-40, -30, -20, -16, 60)) == DIRECTION


def test_the_numbers_are_percentages_of_time_saved(tmp_path: Path) -> None:
    assert numbers(judged("T12", tmp_path, **rows_of()).printed) == {"": pytest.approx((24 + 31 + 4 + 62) / 4)}
    found = numbers(judged("T13", tmp_path, **rows_of()).printed)
    assert found["reduce"] == pytest.approx(62) and found["PageRank"] == pytest.approx(4)
    assert found["gain and share"] > 0.95
    assert numbers(judged("T14", tmp_path, **rows_of()).printed) == {
        "least": pytest.approx(11), "most": pytest.approx(24)}


def test_each_level_of_contention_has_its_own_graph(tmp_path: Path) -> None:
    """Another graph at 16 TBs/SM is no row of the claim."""
    made = by_contention("bfs", AS_PUBLISHED["bfs"])
    for row in made[-1]:
        row["axes"] = {**row["axes"], "input": "road"}
    found = judged("T14", tmp_path, bfs=made).printed
    assert found.verdict == UNTOLD
    assert found.reasons() == "sense_reversing_printed (tbs_per_sm 16, input road-23947347) " \
        "is not recorded"


def test_ours_have_verdicts_of_their_own(tmp_path: Path) -> None:
    made = rows_of()
    made = {program: made[program] + by_contention(program, flat(-30), srb="sense_reversing") for program in made}
    found = {number: judged(number, tmp_path, barrier=MICRO, **made) for number in ("T12", "T14", "T16")}
    assert {number: own.words["verdict"] for number, own in found.items()} == dict.fromkeys(found, HOLDS)
    assert found["T12"].words["ours"] == FAILS and found["T14"].words["ours"] == MIXED


def test_a_verdict_says_that_graphs_stand_for_others(tmp_path: Path) -> None:
    found: Judged = judged("T14", tmp_path, **rows_of())
    assert words.verdict(found.printed) == "holds, by stand-in"
    assert words.again(found) == []
    fetched = by_contention("bfs", by_time_saved(-11, -4, 8, 16, 20), levels="roads")
    both = judged("T14", tmp_path, bfs=by_contention("bfs", AS_PUBLISHED["bfs"]) + fetched[2:])
    assert words.again(both) == ["At the thesis's own graphs: 11 % (least); 20 % (most), holds"]
    assert numbers(both.printed)["most"] == pytest.approx(24)
    missing = judged("T14", tmp_path, barrier=MICRO).printed
    assert words.verdict(missing) == f"{UNTOLD}: bfs is not recorded"


def test_a_verdict_against_the_claim_is_explained_by_what_barriers_take_alone(tmp_path: Path) -> None:
    """A hundred barriers take half of a run: of 1,600 us with CCG, 2,133 with SRB as printed, 1,280 as rewritten."""
    made = by_contention("bfs", flat(-25)) + by_contention("bfs", flat(20), srb="sense_reversing")
    found = judged("T14", tmp_path, bfs=made).printed
    assert words.why(found, recorded(tmp_path, bfs=made)) == (
        "At 16 TBs/SM one of BFS's barriers alone takes 10.7 us with SRB and 8 with CCG. "
        "SRB as rewritten takes 6.4 us, and is 20 % ahead.")
    assert words.why(found, recorded(tmp_path, bfs=made[:-2])) == ""


def test_a_reason_may_have_values_of_another_program(tmp_path: Path) -> None:
    made = rows_of(**{program: flat(-25) for program in APPLICATIONS})
    found = judged("T12", tmp_path, **made).printed
    assert words.why(found, recorded(tmp_path, **made)) == (
        "The mean is most of all reduce's: at 16 TBs/SM one of its barriers alone takes 10.7 us with SRB and 8 with "
        "CCG, but the run takes 1.33x as long with SRB: 21.3 us a round, and 16 with CCG. The cause is not known.")


def test_an_unknown_level_is_missing() -> None:
    case = ledger.application("thesis", "BFS")
    assert case.axes({"contention": 2, "backoff": "no"}) == {"tbs_per_sm": 2, "input": "road-264346", "backoff": "no"}
    with pytest.raises(Missing, match="^bfs has no load for 32 TBs/SM$"):
        case.axes({"contention": 32})


def test_each_claim_says_how_far_its_stand_ins_are(tmp_path: Path) -> None:
    """Of what ran, next to the input of the paper: made-up roads with half of the arcs, and a million more vertices."""
    ran = {"vertices": 24_947_347, "arcs": 58_333_000}
    sparse = {"vertices": 264_346, "arcs": 366_923}
    rows = recorded(tmp_path, bfs=[synthetic.point("cooperative_groups", {"input": name, "tbs_per_sm": 1}, 1.0, ran=own)
                                   for name, own in (("road-264346", sparse), ("road-23947347", ran))])
    first, york, *_, usa = stand_ins.of_claim(ledger.claim_named("T14"), rows).split("; ")
    assert first == "`rmat-graph500-17` for bgg.gr: a bipartite graph whose size is not published"
    assert york == "`road-264346` for USA-road-d.NY: 366,923 arcs for 733,846, vertices as there"
    assert usa == "`road-23947347` for USA-road-d.USA: 24.9 M vertices for 23.9 M, arcs as there"
    # A01 is of a group of pairs, T08 of no input; without a row of an input its name stands alone.
    assert stand_ins.of_claim(ledger.claim_named("A01"), rows).startswith("`rmat` for rmat22.sym; `r4-cycle` for r4-")
    assert stand_ins.of_claim(ledger.claim_named("T08"), rows) == ""


def test_every_stand_in_is_the_input_of_a_claim() -> None:
    used = {name for claim in ledger.claims().values() for _, name in stand_ins.inputs(claim)}
    assert set(stand_ins.known()) - used == set()
