"""The figures of the papers' own programs: the files, the tables, and claims by them."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import accepted
import pytest
from conftest import ROOT
from finesync.claims import judge, ledger, tables, words
from finesync.figures import originals as drawn
from finesync.papers import originals as beside
from finesync.report import drawings, folder_tables, verdicts
from finesync.results import catalogue, originals
from finesync.results.errors import UserError
from finesync.results.loading import Results, load_once
from finesync.results.recorded import of_results
from finesync.results.registry import workloads
from synthetic import point
from tables import results_of, words_of

RECORDED = ROOT / "results"
GPUS = [own.folder.name for own in originals.all_below(RECORDED)]


def barrier(original: str, blocks: int, microseconds: float | None, threads: int = 32, **more: Any) -> dict[str, Any]:
    """A row; None for one that timed out."""
    ended = {"ended": "timed out"} if microseconds is None else {"us_per_operation": microseconds}
    return {"program": "barrier", "original": original, "changed": ["moved"],
            "axes": {"threads_per_block": threads, "ldst": 10, "tbs_per_sm": blocks},
            **ended, **more}


def suite(*own: dict[str, Any], **changes: Any) -> dict[str, Any]:
    gpu = {"name": "Test GPU 9000", "sms": 132, "driver": "1"}
    return {"schema_version": 1, "role": "original", "suite": "Syncs", "gpu": gpu,
            "repository": "https://x.org/syncs", "revision": "0123456789" * 4,
            "toolkit": "CUDA 13", "date": "2026-11", "method": "By events.", "unknown": [],
            "changes": {"moved": "a struct was moved"}, "rows": list(own), "checks": [], **changes}


def form(name: str, original: str, why: str = "") -> dict[str, Any]:
    return {"paper": "thesis", "program": "barrier", "form": name, "axes": {"backoff": "no"},
            "suite": "syncs", "original": original, "changed": ["moved"], "over": "tbs_per_sm",
            **({"why": why} if why else {})}


FORMS = [form("atomic_tree_printed", "tree"), form("sense_reversing_printed", "srb", "It polls.")]
BOTH = [barrier(original, blocks, time) for original, times in
        (("tree", (4.0, 4.0, 4.0, 4.0, 4.0, 4.0)), ("srb", (2.0, 4.0, 8.0, 16.0, 32.0, None)))
        for blocks, time in zip((1, 2, 4, 8, 16, 32), times)]


def write(folder: Path, document: dict[str, Any], forms: list[dict[str, Any]] | None = None) -> Path:
    """The files of one GPU, below a folder of results; returns the folder of its results."""
    place = folder / originals.FOLDER / "gpu"
    place.mkdir(parents=True, exist_ok=True)
    (place / "syncs.json").write_text(json.dumps(document), encoding="utf-8")
    listed = {"schema_version": 1, "forms": FORMS if forms is None else forms}
    (place.parent / "forms.json").write_text(json.dumps(listed), encoding="utf-8")
    (folder / "gpu").mkdir(exist_ok=True)
    return folder / "gpu"


def ours(folder: Path, threads: int = 32) -> Results:
    """The printed tree about as fast as its original; SRB thrice as slow at one point, and faster at another."""
    times = {"atomic_tree_printed": {1: 4.4, 2: 4.4}, "sense_reversing_printed": {1: 6.0, 2: 3.0},
             "cooperative_groups": {blocks: 3.0 for blocks in (1, 2, 4, 8, 16, 32)}}
    return results_of(folder, "barrier", *(
        point(name, {"threads_per_block": threads, "ldst": 10, "load": "lines", "tbs_per_sm": blocks, "rounds": 500,
                     **({} if name == "cooperative_groups" else {"backoff": "no"})}, time)
        for name, own in times.items() for blocks, time in own.items()))


def found_in(folder: Path) -> originals.Originals:
    found = originals.beside(folder)
    assert found is not None
    return found


def test_a_file_is_read_and_stands_for_the_printed_forms(tmp_path: Path) -> None:
    own = found_in(write(tmp_path, suite(*BOTH, barrier("other", 1, 9.0))))
    assert own.forms_of("barrier") == {"atomic_tree_printed", "sense_reversing_printed"}
    assert own.shared_axes("barrier") == {"threads_per_block": 32, "ldst": 10}
    results = own.results("barrier")
    assert results is not None and results.on_gpu and own.results("semaphore") is None
    slow = results.points.of_primitives("sense_reversing_printed")
    assert list(slow["ended"]) == ["ok"] * 5 + ["timed out"]
    assert list(slow["seconds_per_operation"])[:2] == pytest.approx([2e-6, 4e-6])


def test_without_files_nothing_stands_beside_the_results(tmp_path: Path) -> None:
    assert originals.beside(tmp_path / "gpu") is None
    assert list(originals.all_below(tmp_path)) == []


def change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """A change of one place, KEY.KEY..; None takes it out."""
    def of(document: dict[str, Any]) -> None:
        *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
        place: Any = document
        for step in steps:
            place = place[step]
        if value is None:
            del place[last]
        else:
            place[last] = value
    return of


@pytest.mark.parametrize(("broken", "said"), [
    (change("revision", "main"), "revision: 'main' does not match"),
    (change("role", "other"), "role: 'original' was expected"),
    (change("gpu.driver", None), "gpu: 'driver' is a required property"),
    (change("method", ""), "method: "),
    (change("unknown", None), "'unknown' is a required property"),
    (change("rows.0.us_per_operation", 0), "rows[0]"),
    (change("rows.0.us_per_operation", None), "rows[0]"),
    (change("rows.0.ended", "timed out"), "rows[0]"),
    (change("rows.0.waited_ms", 3), "rows[0]"),
    (change("rows.0.axes.ldst", 1.5), "rows[0].axes.ldst"),
    (change("rows", []), "rows: "),
    (change("changes", {}), "tree has the change 'moved', which is not described"),
    (change("rows.1", BOTH[0]), "stands there twice")])
def test_a_wrong_file_is_refused_in_one_line(
        tmp_path: Path, broken: Callable[[dict[str, Any]], None], said: str) -> None:
    document = copy.deepcopy(suite(*BOTH))
    broken(document)
    with pytest.raises(UserError) as error:
        originals.beside(write(tmp_path, document))
    assert said in str(error.value) and "\n" not in str(error.value)
    assert str(tmp_path / "originals" / "gpu" / "syncs.json") in str(error.value)


def test_wrong_forms_and_an_empty_folder_are_refused_in_one_line(tmp_path: Path) -> None:
    folder = write(tmp_path, suite(*BOTH), [{**FORMS[0], "over": 3}])
    with pytest.raises(UserError, match=r"forms.json: not a list of printed forms .*\[0\].over"):
        originals.beside(folder)
    for path in (tmp_path / "originals" / "gpu").iterdir():
        path.unlink()
    with pytest.raises(UserError, match="gpu: no figures of an original"):
        originals.beside(folder)


def test_suites_of_one_folder_are_of_one_gpu(tmp_path: Path) -> None:
    folder = write(tmp_path, suite(*BOTH))
    other = suite(*BOTH, gpu={"name": "Test GPU 9000", "sms": 132, "driver": "2"})
    (tmp_path / "originals" / "gpu" / "more.json").write_text(json.dumps(other), encoding="utf-8")
    with pytest.raises(UserError, match="syncs is of another GPU or driver than more"):
        originals.beside(folder)


def test_the_table_has_both_times_and_says_why_they_differ(tmp_path: Path) -> None:
    checks = [{"program": "barrier", "original": "tree", "changed": ["moved"], "what": "reads",
               "axes": {"threads_per_block": 32, "tbs_per_sm": 2}, "wrong": 5, "of": 1000}]
    folder = write(tmp_path, suite(*BOTH, barrier("other", 1, 9.0), checks=checks, unknown=["the day"]))
    found = {table.id: table for table in beside.tables(found_in(folder), [ours(tmp_path)])}
    assert set(found) == {"provenance", "thesis", "others-barrier", "checks"}
    assert found["thesis"].columns[:2] == [1, 2]
    tree, srb = found["thesis"].rows.values()
    assert list(tree)[:3] == ["4 / 4.4, 1.1x", "4 / 4.4, 1.1x", "4 / not recorded"]
    assert list(srb)[:2] == ["2 / 6, 3x", "4 / 3, 0.75x"] and srb[5] == "timed out / not recorded"
    assert (tree[-1], srb[-1]) == ("", "It polls.")
    assert found["checks"].rows == {"`tree` + moved, 32 threads: reads": ["5 of 1,000"]}
    load = "32 threads, 10 loads and stores"
    assert found["others-barrier"].rows == {f"`other` + moved, {load}": ["9"]}
    whole = suite(*BOTH, {**barrier("shipped", 1, None), "us": 90.0}, barrier("shipped", 2, None))
    del whole["rows"][-2]["ended"]
    shipped = beside.tables(found_in(write(tmp_path / "whole", whole)), [])[-1].rows
    assert shipped == {f"`shipped` + moved, {load}: a whole run": ["90", ""],
                       f"`shipped` + moved, {load}": ["", "timed out"]}
    assert "the day" in found["provenance"].lines[-1]
    alone = {table.id: table for table in beside.tables(found_in(folder), [])}["thesis"]
    assert list(alone.columns) == [1, 2, 4, 8, 16, 32]
    assert next(iter(alone.rows.values()))[0] == "4 / not recorded"


def test_a_load_of_another_size_is_no_comparison(tmp_path: Path) -> None:
    own = found_in(write(tmp_path, suite(*BOTH)))
    assert beside.ratios(own, own.forms[0], ours(tmp_path, threads=64)) == {}
    assert [round(ratio, 2) for ratio in beside.ratios(own, own.forms[1], ours(tmp_path)).values()] == [3.0, 0.75]
    assert not beside.is_near(3.0) and beside.is_near(0.5)


def judged(number: str, tmp_path: Path, threads: int = 64) -> judge.Judged:
    """A claim by our rows and by originals that ran in other blocks."""
    folder = write(tmp_path, suite(*BOTH))
    loaded = ours(tmp_path, threads)
    return judge.judge(ledger.claim_named(number), of_results("Test GPU 9000", [loaded], found_in(folder)))


def test_a_claim_is_judged_by_the_originals_too(tmp_path: Path) -> None:
    found = judged("T03", tmp_path)
    assert found.originals is not None and found.originals.verdict == "does not hold"
    assert words.beside(found.originals).startswith("2x at 1, 1x at 2, 0.5x at 4")
    # Ours at two grids alone say nothing, and are not mixed with those of the originals.
    assert found.words == {"verdict": "cannot be told", "ours": "cannot be told", "originals": "does not hold"}


def test_no_verdict_is_by_an_original_on_one_side_alone(tmp_path: Path) -> None:
    """Cooperative groups has no original. T08 is read with SRB's beside it, in blocks of the same size, and that
    reading has a name of its own; T33 is not."""
    reading = "HeteroSync's SRB, CCG here"
    found = judged("T08", tmp_path / "same", threads=32)
    assert found.originals is None and judged("T33", tmp_path / "same", threads=32).originals is None
    assert words.measured(found.again[reading]).startswith("1.5x at 1, 0.75x at 2")
    assert reading not in judged("T08", tmp_path / "other", threads=64).again


def test_of_two_parts_one_by_originals_may_decide(tmp_path: Path) -> None:
    """T07: SRB, and CCG, beat the tree. The first is by originals alone, and mixed."""
    found = judged("T07", tmp_path, threads=32).originals
    assert found is not None and found.verdict == "mixed"
    assert found.reasons().endswith("; no original of cooperative_groups was measured")
    assert "CCG" not in words.measured(found)


def test_dissent_stands_beside_the_verdict(tmp_path: Path) -> None:
    found = judged("T03", tmp_path)
    assert found.printed.verdict == "cannot be told" and found.dissent() == {}
    holds = dataclasses.replace(found, printed=dataclasses.replace(found.printed, verdict="holds"))
    assert words.with_dissent("holds", holds) == "holds; **originals: does not hold**"
    assert words.otherwise([found, holds]).endswith("the printed forms: T03 (originals: does not hold).")
    level = dataclasses.replace(holds, printed=dataclasses.replace(found.printed, verdict="does not hold"))
    assert level.dissent() == {} and words.otherwise([level]) == ""
    (table,) = (one for one in tables.of_judged({"T03": dataclasses.replace(holds, ours=found.originals)}, of_results(
        "Test GPU 9000", [])) if one.id == "claims-thesis")
    assert next(iter(table.rows.values()))[2] == "holds; **originals: does not hold**"
    place: Any = SimpleNamespace(judged={"T03": holds}, claimed=of_results("Test GPU 9000", []))
    assert verdicts.of_place(place)["T03"]["dissent"] == "originals: does not hold"


def test_originals_tell_times_and_which_runs_ended_alone(tmp_path: Path) -> None:
    assert judged("T04", tmp_path / "one").originals is None  # synchronization was not timed
    axes = {"threads_per_block": 64, "ldst": 10, "rounds": 5}
    runs = [{"program": "semaphore", "original": "spin", "changed": [],
             "axes": {**axes, "size": size, "tbs_per_sm": blocks},
             **({"us_per_operation": 80.0} if blocks < 8 else
                {"ended": "timed out", "waited_ms": 2000})}
            for size in (1, 10, 120) for blocks in (1, 2, 4, 8)]
    semaphores = {**form("spin_printed", "spin"), "program": "semaphore", "changed": [],
                  "axes": {"backoff": "no", "writers": "yes", "writer": "grows"}}
    own = found_in(write(tmp_path / "two", suite(*runs), [semaphores]))
    recorded = of_results("Test GPU 9000", [], own)
    found = judge.judge(ledger.claim_named("T22"), recorded).originals
    assert found is not None
    assert words.measured(found).startswith("4 TBs/SM (size 1), 4 TBs/SM (size 10)")
    assert found.reasons() == "the originals do not tell hung_runs"


def test_figures_show_originals_and_our_forms_at_the_same_load(tmp_path: Path) -> None:
    own = found_in(write(tmp_path, suite(*BOTH)))
    ((program, figure),) = drawn.drawings(own, [ours(tmp_path)])
    said = words_of(figure)
    assert program == "barrier" and "32 threads" in said and "timed out" in said
    names = {"atomic tree, as printed", "atomic tree (original)", "SRB, as printed", "SRB (original)"}
    assert names <= set(said)
    ((_, other),) = drawn.drawings(own, [ours(tmp_path, threads=64)])
    assert names & set(words_of(other)) == {"atomic tree (original)", "SRB (original)"}


@pytest.mark.parametrize("gpu", [pytest.param(one.id, marks=one.marks) for one in accepted.folders(
    "nvidia-h200") if one.id in GPUS])
def test_recorded_originals_are_near_their_forms_or_it_says_why(gpu: str) -> None:
    own = found_in(RECORDED / gpu)
    found = {path.name.split("_")[0]: path for path in (RECORDED / gpu).glob("*_gpu.json.gz")}
    for one in own.forms:
        results = load_once(found[one.program]) if one.program in found else None
        far = {load: ratio for load, ratio in beside.ratios(own, one, results).items() if not beside.is_near(ratio)}
        assert one.why or not far, f"{one.original}, {one.name}: {far}"


@pytest.mark.parametrize("gpu", GPUS)
def test_recorded_forms_ran_with_the_blocks_threads_and_rounds_of_their_originals(gpu: str) -> None:
    own = found_in(RECORDED / gpu)
    found = {path.name.split("_")[0]: path for path in (RECORDED / gpu).glob("*_gpu.json.gz")}
    for one in own.forms:
        assert beside.unlike(own, one, load_once(found[one.program]) if one.program in found else None) == []


def test_a_form_with_other_blocks_or_rounds_is_found(tmp_path: Path) -> None:
    own = found_in(write(tmp_path, suite(*BOTH)))
    tree = own.forms[0]
    assert beside.unlike(own, tree, None) == [] == beside.unlike(own, tree, with_blocks(tmp_path, 132))
    assert beside.unlike(own, tree, with_blocks(tmp_path, 20))[0].endswith(
        "'blocks': 132}, here {'threads_per_block': 32, 'blocks': 20}")
    rounds = found_in(write(tmp_path / "rounds", suite(*(
        {**row, "axes": {**row["axes"], "rounds": 500}} for row in BOTH))))
    assert [len(beside.unlike(rounds, tree, with_blocks(tmp_path, 132, ran))) for ran in (500, 400)] == [0, 2]


def with_blocks(folder: Path, sms: int, rounds: int = 500) -> Results:
    """Rows that tell their numbers of SMs and of rounds."""
    axes = {"threads_per_block": 32, "ldst": 10, "rounds": 500, "backoff": "no"}
    return results_of(folder, "barrier", *(
        point("atomic_tree_printed", {**axes, "tbs_per_sm": blocks}, 4.4,
              ran={"blocks": sms * blocks, "threads_per_block": 32, "rounds": rounds}) for blocks in (1, 2)))


def test_no_reason_stands_where_a_form_is_near_its_original() -> None:
    """A reason that no GPU needs explains something else, such as rows of another grid."""
    far: dict[originals.Form, bool] = {}
    for own in originals.all_below(RECORDED):
        folder = RECORDED / own.folder.name
        for one in own.forms:
            path = folder / f"{one.program}_gpu.json.gz"
            found = beside.ratios(own, one, load_once(path) if path.exists() else None)
            key = dataclasses.replace(one, axes=frozenset(one.axes.items()))
            if found:
                far[key] = far.get(key, False) or not all(map(beside.is_near, found.values()))
    assert [f"{one.original}, {one.name}" for one, is_far in far.items() if one.why and not is_far] == []


@pytest.mark.parametrize("gpu", GPUS)
def test_recorded_originals_have_forms_of_today_and_axes_of_their_programs(gpu: str) -> None:
    own = found_in(RECORDED / gpu)
    for one in own.forms:
        assert one.program in workloads()
        assert one.name in {entry["name"] for entry in catalogue.all_in(one.program)}
    programs = {row["program"] for each in own.suites.values() for row in each["rows"]}
    assert programs <= set(workloads())
    assert {one.suite for one in own.forms} >= set(own.suites)


def test_the_tables_of_a_gpu_are_written_beside_its_files(tmp_path: Path) -> None:
    write(tmp_path, suite(*BOTH))
    folder_tables.write_originals(tmp_path, [])
    made = {path.name for path in (tmp_path / "originals" / "gpu" / "tables").iterdir()}
    assert made == {"provenance.md", "thesis.md"}
    drawn_to = drawings.of_originals(tmp_path, [])
    assert {path.name for path in drawn_to} == {"barrier.svg"}
