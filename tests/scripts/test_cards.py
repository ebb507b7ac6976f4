"""Which card measured a row: known from the file, asked for by the recorder, minded by the judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import synthetic
from conftest import ROOT
from finesync import recorder
from finesync.claims import judge, ledger, quantities, words
from finesync.claims.criteria import FAILS, UNTOLD
from finesync.claims.expressions import Evaluation
from finesync.claims.ledger import Case
from finesync.query.numbers import Missing, Spread, exactly, of_one_card
from finesync.query.selection import Selection
from finesync.results import revisions
from finesync.results.errors import UserError
from finesync.results.json_files import read_json
from finesync.results.loading import load_results
from finesync.results.recorded import Recorded, of_folder
from finesync.results.rows_by_run import split
from synthetic import Rows, point

RECORDED = sorted((ROOT / "results").glob("nvidia-*/*.json.gz"))


def row(primitive: str, family: int | None, repetition: int, **axes: Any) -> dict[str, Any]:
    numbers = {} if family is None else {"family_index": family, "per_family_instance_index": 0}
    return {"primitive": primitive, "axes": axes, "run_type": "iteration", "repetition_index": repetition, **numbers}


def run(name: str, *command: str, **facts: Any) -> dict[str, Any]:
    return {"point": name, "command": ["ht", *command, "--benchmark_repetitions=2"], **facts}


def shares(runs: list[dict[str, Any]], rows: list[dict[str, Any]]) -> dict[str, list[int]]:
    """The places of the rows of each run."""
    found = split({"context": {"sweep": {"runs": runs}}, "benchmarks": rows})
    return {one["point"]: [next(place for place, other in enumerate(rows) if other is own) for own in of_run]
            for one, of_run in found}


SPIN = run("spin", "--primitive", "spin", "--tbs-per-sm", "1,2")
TICKET = run("ticket", "--primitive", "ticket", "--tbs-per-sm", "1")


def test_files_that_count_the_rows_of_runs_are_split_by_these_counts() -> None:
    rows = [row("spin", 0, number, tbs_per_sm=1) for number in range(3)]
    assert shares([{**SPIN, "rows": 1}, {**SPIN, "point": "again", "rows": 2}], rows) == {"spin": [0], "again": [1, 2]}


def test_rows_of_older_files_are_of_the_run_that_asks_for_them() -> None:
    spin = [row("spin", family, number, tbs_per_sm=1 + family) for family in (0, 1) for number in (0, 1)]
    ticket = [row("ticket", 0, number, tbs_per_sm=1) for number in (0, 1)]
    assert shares([SPIN, TICKET], spin + ticket) == {"spin": [0, 1, 2, 3], "ticket": [4, 5]}
    assert shares([SPIN, TICKET], ticket + spin) == {"spin": [2, 3, 4, 5], "ticket": [0, 1]}
    # Two commands ask for the first point. The one that asks for it alone left the rows of one point.
    one = run("one", "--primitive", "spin", "--tbs-per-sm", "1")
    assert shares([SPIN, one], [dict(own) for own in spin[:2]] + spin) == {"spin": [2, 3, 4, 5], "one": [0, 1]}
    # Profiled rows count no families, and a run has one.
    assert shares([one, TICKET], [row("spin", None, 0, tbs_per_sm=1), row("ticket", None, 0, tbs_per_sm=1)]) == {
        "one": [0], "ticket": [1]}
    assert shares([TICKET], spin) == {"ticket": []}


@pytest.mark.parametrize("path", [path for path in RECORDED if "h100" in path.parent.name], ids=lambda path: path.name)
def test_each_recorded_row_is_of_a_run(path: Path) -> None:
    document = read_json(path)
    found = split(document)
    assert sum(len(rows) for _, rows in found) == len(document["benchmarks"])
    assert [one["point"] for one, rows in found if not rows] == []


def in_runs(folder: Path, program: str, rows: list[Rows], cards: tuple[str, ...]) -> None:
    """A file of several runs on these cards; "": on one that is not named."""
    runs = [{"point": f"{place}", "command": [program], "rows": len(own), **({"uuid": card} if card else {})}
            for place, (own, card) in enumerate(zip(rows, cards))]
    synthetic.write(folder / f"{program}_gpu.json", {
        "context": {**synthetic.context(program=program), "sweep": {"runs": runs}}, "benchmarks": sum(rows, [])})


def atm(folder: Path, *cards: str) -> Recorded:
    """Locks and servers that were measured on these cards."""
    in_runs(folder, "atm", [[made for number in (256, 1024) for made in point(
        primitive, {"collision_factor": number, "skew": "uniform", "section_work": 0, "section": "transfer"}, time,
        ran={"server_blocks": 9} if "server" in primitive else {})]
        for primitive, time in (("spin_in_order", 1.0), ("server_nested_printed", 2.0))], cards)
    return of_folder(folder)


def test_a_ratio_over_two_cards_cannot_be_told(tmp_path: Path) -> None:
    found = judge.printed(ledger.claim_named("A03"), atm(tmp_path, "GPU-1", "GPU-2"))
    assert found.verdict == UNTOLD
    assert found.reasons() == "measured on two cards: GPU-1 and GPU-2"
    assert judge.without_verdict({"A03": judge.Judged(found)}) == []


@pytest.mark.parametrize("cards", [("GPU-1", "GPU-1"), ("GPU-1", ""), ("", "")])
def test_rows_that_name_no_card_contradict_none(tmp_path: Path, cards: tuple[str, str]) -> None:
    assert judge.printed(ledger.claim_named("A03"), atm(tmp_path, *cards)).verdict == FAILS


@pytest.mark.parametrize("card", ["GPU-1", "GPU-2"])
def test_a_series_and_a_slowdown_are_of_one_card(tmp_path: Path, card: str) -> None:
    rows = [point("spin", {"tbs_per_sm": 1, "section_work": work}, 1.0 + work) for work in (0, 1)]
    in_runs(tmp_path, "ht", rows, ("GPU-1", card))
    own = of_folder(tmp_path)
    found, missing = Evaluation(own, Case("", "ht", {"lock": "spin"}, {}, {}, {}, {}), lambda _: ()).series(
        {"time": "lock"}, {"section_work": [0, 1]})
    asked = Selection("ht", "spin", {}, {})
    if card == "GPU-1":
        assert len(found) == 2 and quantities.read("slowdown_1", own, asked).median == pytest.approx(2.0)
    else:
        assert [str(why) for why in missing] == ["measured on two cards: GPU-1 and GPU-2"]
        with pytest.raises(Missing, match="measured on two cards"):
            quantities.read("slowdown_1", own, asked)


def test_a_number_keeps_its_cards_until_it_is_a_ratio() -> None:
    one, other = (Spread(1.0, 2.0, 3.0, cards=frozenset({card})) for card in ("GPU-1", "GPU-2"))
    assert one.scaled(2).inverse().minus(exactly(1)).cards == {"GPU-1"}
    assert one.over(one).cards == frozenset() == one.saved_by(one).cards
    assert list(of_one_card([one, one.over(other), one])) == [one, one.over(other), one]
    with pytest.raises(Missing, match="measured on two cards: GPU-1 and GPU-2"):
        of_one_card([one, one.minus(other)])


def gpu_file(folder: Path, run_facts: dict[str, Any], **fields: Any) -> Path:
    document = synthetic.gpu_document()
    document["benchmarks"] = [{**made, **fields} for made in document["benchmarks"][:22]]
    document["context"]["sweep"] = {"runs": [
        {"point": "locks", "command": ["ht"], "rows": len(document["benchmarks"]), **run_facts}]}
    return synthetic.write(folder / "ht_gpu.json", document)


ALL = {"uuid": "GPU-1", "driver_version": "580.1"}


def test_the_recorder_takes_rows_that_name_card_driver_and_clock(tmp_path: Path) -> None:
    assert recorder.main([str(gpu_file(tmp_path, ALL, sm_clock_mhz=1980))]) == 0
    assert recorder.main([str(ROOT / "results" / "host-executor" / "ht_host.json.gz")]) == 0


@pytest.mark.parametrize(("facts", "fields", "lacks"), [
    ({"driver_version": "580.1"}, {"sm_clock_mhz": 1980}, "card"), ({"uuid": "GPU-1"}, {"sm_clock_mhz": 1}, "driver"),
    (ALL, {}, "clock"), ({"unmonitored": "no library"}, {}, "card and driver and clock (no library)")])
def test_the_recorder_refuses_others_in_one_line(
        tmp_path: Path, facts: dict[str, Any], fields: dict[str, Any], lacks: str) -> None:
    path = gpu_file(tmp_path, facts, **fields)
    with pytest.raises(UserError) as refused:
        recorder.main([str(path)])
    assert str(refused.value) == f"{path}: not recorded: locks does not tell its {lacks}"
    load_results(path)  # which reads it all the same


def test_the_recorder_takes_one_card_a_file_and_one_clean_revision(tmp_path: Path) -> None:
    facts = ALL | {"git_revision": "0123456789", "git_dirty": False}

    def refusal(*runs: dict[str, Any]) -> str:
        paths = []
        for number, changed in enumerate(runs):
            (tmp_path / str(number)).mkdir(exist_ok=True)
            paths.append(gpu_file(tmp_path / str(number), facts | changed, sm_clock_mhz=1980))
        if "halves" in runs[0]:
            with synthetic.changed(paths[0]) as document:
                first = document["context"]["sweep"]["runs"][0]
                first["rows"] //= 2
                document["context"]["sweep"]["runs"].append(first | runs[0]["halves"])
        with pytest.raises(UserError) as refused:
            recorder.main([str(path) for path in paths])
        return str(refused.value).split(": not recorded: ")[1]

    assert refusal({"halves": {"uuid": "GPU-2"}}) == (
        "its rows are of the cards GPU-1 and GPU-2; --fresh measures all on one")
    assert refusal({}, {"git_revision": "abcdef0123"}) == "the rows are of the revisions 012345678 and abcdef012"
    assert refusal({"git_dirty": True}) == "programs were built with changes that no commit holds"


def test_doubted_rows_are_named_with_the_verdicts_that_rest_on_them(tmp_path: Path) -> None:
    own = atm(tmp_path, "GPU-1", "GPU-1")
    (tmp_path / revisions.STATED).write_text(
        "0123\nTwo days.\ndoubted: atm server_nested_printed,other of 012345678: it asked too often\n", "utf-8")
    path = tmp_path / "atm_gpu.json"
    for number, revision in enumerate(("012345678", "fedcba987")):
        with synthetic.changed(path) as document:
            for each in document["context"]["sweep"]["runs"]:
                each["git_revision"] = revision + "0" * number
        own = of_folder(tmp_path)
        judged = judge.printed(ledger.claim_named("A03"), own)
        assert [said for said in words.doubts(judged, own) if not said.startswith("At an edge")] == (
            ["Doubted rows (`server_nested_printed`): it asked too often"] if number == 0 else [])
    assert words.doubts(judge.printed(ledger.claim_named("I01"), own), own) == []


def test_the_marked_rows_are_recorded() -> None:
    for folder in sorted({path.parent for path in RECORDED if (path.parent / revisions.STATED).exists()}):
        for line in (folder / revisions.STATED).read_text(encoding="utf-8").splitlines():
            if stated := revisions.DOUBTED.match(line):
                results = load_results(folder / f"{stated['program']}_gpu.json.gz")
                assert all(revisions.doubts(results, name) for name in stated["primitives"].split(",")), line
