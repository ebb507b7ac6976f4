"""The ledger of claims: what it names exists, its commands can be run, and the recorded runs give
the verdicts that are kept beside them."""

from __future__ import annotations

import ast
import functools
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import accepted
import claims as script
import pytest
import sweep
from conftest import ROOT
from finesync.claims import commands, judge, ledger, tables, words
from finesync.claims.criteria import FAILS, MIXED, OF_SERIES, UNTOLD
from finesync.claims.expressions import leaves, quantities_of, roles_of
from finesync.claims.judge import Judged
from finesync.claims.ledger import Claim
from finesync.claims.quantities import QUANTITIES
from finesync.papers import published
from finesync.results import schemas
from finesync.results.catalogue import all_in
from finesync.results.errors import UserError
from finesync.results.recorded import ANY_LOCK, Recorded, gpu_folders, of_folder
from finesync.results.registry import workloads

CLAIMS = list(ledger.claims().values())
RESULTS = ROOT / "results"
H100, H200 = RESULTS / "nvidia-h100-80gb-hbm3", RESULTS / "nvidia-h200"
EXPECTED = Path("expected") / "claims.json"


def names_in(program: str) -> set[str]:
    return {entry["name"] for entry in all_in(program)}


@functools.lru_cache(maxsize=None)
def counting_tests() -> set[str]:
    """Tests of files that write counts down, as in ctest."""
    found = set()
    for path in (ROOT / "tests").glob("*/*/CMakeLists.txt"):
        for program, files in re.findall(r"finesync_test\((\w+)([^)]*)\)", path.read_text(encoding="utf-8")):
            for file in files.split():
                text = (path.parent / file).read_text(encoding="utf-8")
                if "record_count(" in text:
                    found.update(f"{program}.{'.'.join(test)}" for test in re.findall(r"TEST\((\w+), (\w+)\)", text))
    return found


def problems(claim: Claim) -> Iterator[str]:
    """What a claim names that does not exist."""
    coming = ledger.coming()
    for part in claim.parts:
        if (part.criterion["by"] in OF_SERIES and not part.untold) != bool(part.over):
            yield "a series without an axis, or the contrary"
        group = part.value.get("over") if isinstance(part.value, dict) else None
        for case in ledger.group_of(claim)(group) if isinstance(group, str) else part.cases:
            if part.value is not None and case.program not in {*workloads(), *ledger.awaited()}:
                yield f"no program {case.program!r}"
            for forms, also in ((case.forms, (*coming.get(case.program, ()), ANY_LOCK)), (case.ours, ())):
                yield from (f"{case.program} has no {form}" for form in forms.values()
                            if form not in names_in(case.program) and form not in also)
            yield from (f"no role {role!r}" for role in roles_of(part.value) - set(case.forms))
        yield from (f"no quantity {name!r}" for name in quantities_of(part.value) - set(QUANTITIES))
        if part.test and part.test not in counting_tests():
            yield f"no test {part.test} that counts"
    if claim.why:
        program = claim.parts[0].cases[0].program
        yield from (f"no quantity {name!r}" for value in ledger.reasons(claim)
                    for name in quantities_of(value) - set(QUANTITIES))
        yield from (f"{program} has no {form}" for form in claim.why.get("forms", {}).values()
                    if form not in names_in(program))
        if claim.why["text"].count("{}") != len(ledger.reasons(claim)):
            yield "a reason with more values than places, or the contrary"
    if not claim.measure and any(part.value is not None for part in claim.parts):
        yield "no command measures it"


def paths_in(expression: Any) -> Iterator[str]:
    """The published numbers that an expression names."""
    if isinstance(expression, str):
        yield expression
    elif isinstance(expression, list):
        for one in expression:
            yield from paths_in(one)
    elif isinstance(expression, dict) and expression not in list(leaves(expression)):
        for key, one in expression.items():
            yield from paths_in(one) if key != "over" else ()


def test_every_claim_of_the_papers_is_in_the_ledger() -> None:
    assert {paper: [claim.paper for claim in CLAIMS].count(paper) for paper in ledger.titles()} \
        == {"asplos19": 38, "ics15": 16, "thesis": 33}
    assert all(document["paper"] == paper for paper, document in ledger.documents().items())


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_what_a_claim_names_exists(claim: Claim) -> None:
    assert list(problems(claim)) == []
    named = [*claim.shown.values(), *(
        number for part in claim.parts for number in (
            part.value, *(number for case in part.cases for number in case.numbers.values()),
            *(part.criterion.get(key) for key in ("published", "neutral", "bound"))))]
    assert all(published.number(path) >= 0 for path in paths_in(named))


@pytest.mark.parametrize("path", ["ics15.no_such_table", "ics15.lock_bits.0", "ics15.title",
                                  "ics15.table3_needleman_wunsch_us.grid.7", "ics15.headline"])
def test_a_path_without_a_number_is_refused(path: str) -> None:
    with pytest.raises(UserError, match=f"published_numbers.json: .*{path}"):
        published.number(path)


def test_what_is_coming_has_not_come() -> None:
    """A primitive that was built is no longer coming: take it off the ledger's list."""
    assert {program: sorted(set(names) & names_in(program))
            for program, names in ledger.coming().items()
            if set(names) & names_in(program)} == {}
    assert ledger.awaited() & set(workloads()) == set()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_commands_of_a_claim_can_be_run(claim: Claim) -> None:
    assert all(planned for _, planned in commands.points(claim.measure))
    for line in commands.of_claim(claim):
        program, *arguments = shlex.split(line)
        if program == "scripts/sweep.py":
            assert sweep.parse(arguments).plan.exists()
        elif program == "scripts/claims.py":
            options = script.parse(arguments)
            assert options.one == claim.id and (claim.tests or not options.count)
        else:
            assert program == "scripts/traffic.py" and (ROOT / arguments[0]).exists()


def test_an_entry_that_no_plan_has_is_refused() -> None:
    claim = ledger.claim_named("T08")
    broken = Claim(**{**vars(claim), "measure": {"barrier/gpu": ["contention,primitive=none"]}})
    with pytest.raises(UserError, match="no point matches 'contention,primitive=none'"):
        list(commands.points(broken.measure))


GPUS = [folder for folder in accepted.folders("nvidia-h200") if folder.values[0] in gpu_folders()]


@pytest.fixture(name="recorded", scope="module", params=GPUS)
def fixture_recorded(request: pytest.FixtureRequest) -> Recorded:
    """The runs of a GPU."""
    return of_folder(request.param)


@pytest.fixture(name="judged", scope="module")
def fixture_judged(recorded: Recorded) -> dict[str, Judged]:
    """All claims by them."""
    return judge.judge_all(recorded)


def test_the_recorded_runs_give_the_expected_verdicts(recorded: Recorded, judged: dict[str, Judged]) -> None:
    assert len(GPUS) >= 2
    expected = json.loads((RESULTS / recorded.name / EXPECTED).read_text(encoding="utf-8"))["verdicts"]
    assert judge.differences(judged, expected) == []
    assert judge.without_verdict(judged) == []
    assert set(expected) == {claim.id for claim in CLAIMS}


def test_a_claim_that_does_not_hold_is_explained(recorded: Recorded, judged: dict[str, Judged]) -> None:
    for number, own in judged.items():
        found = own.printed
        assert found.verdict not in (MIXED, FAILS) or words.why(found, recorded), f"{number} {found.verdict}: why?"


def test_every_reason_has_its_values_on_a_recorded_gpu() -> None:
    gpus = [of_folder(folder) for folder in gpu_folders()]
    assert [claim.id for claim in CLAIMS if claim.why and not any(words.reason(claim, gpu) for gpu in gpus)] == []


def test_a_table_of_a_paper_has_the_reasons_and_only_asplos_19_an_operating_point() -> None:
    recorded = of_folder(H100)
    asplos, thesis = (tables.of_judged({number: judge.judge(ledger.claims()[number], recorded)}, recorded)[0]
                      for number in ("A03", "T21"))
    (cells,) = asplos.rows.values()
    said = dict(zip(asplos.columns, cells))
    assert "x (ATM-256: " in said["at the paper's own operating point"]
    assert said["verdict"].startswith(f"{FAILS}. The published locks of ATM-256 pass on in 24,269 cycles")
    assert "at the paper's own operating point" not in thesis.columns


def test_an_empty_folder_gives_no_verdict(tmp_path: Path) -> None:
    counted = judge.counts(list(judge.judge_all(of_folder(tmp_path)).values()))
    assert counted == {UNTOLD: len(CLAIMS), **dict.fromkeys(set(counted) - {UNTOLD}, 0)}


def test_the_counts_of_tests_are_recorded_for_each_case(recorded: Recorded) -> None:
    assert {number: sorted(cases) for number, cases in recorded.counts.items()} \
        == {claim.id: sorted(claim.counted_cases) for claim in CLAIMS if claim.tests}


def test_a_change_of_a_criterion_names_claims_and_recorded_gpus_once() -> None:
    listed = [change for document in ledger.documents().values() for change in document["changes"]]
    for change in listed:
        assert set(change["claims"]) <= {claim.id for claim in CLAIMS}
        assert list(change["verdicts"]) == [folder.name for folder in (H100, H200)]  # recorded before them
        assert all(list(verdicts) == change["claims"] for verdicts in change["verdicts"].values())
    lines = tables.changes().lines
    assert lines[0] == "| claims | earlier | now | because | nvidia-h100-80gb-hbm3 | nvidia-h200 |"
    assert len(lines) == len(listed) + 2
    (t25,) = (line for line in lines if line.startswith("| T25 |"))
    assert t25.endswith(" | does not hold -> cannot be told | cannot be told, as before |")


def test_the_script_fails_with_a_line_for_a_verdict_that_differs(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = ["--one", "C-T29", "--results", str(H200)]
    assert script.main([*one, "--expect", str(H200 / EXPECTED)]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert "T29  holds\n" in shown.out and "--only touched,primitive=release" in shown.out
    changed = json.loads((H200 / EXPECTED).read_text(encoding="utf-8"))
    changed["verdicts"]["T29"]["verdict"] = "mixed"
    (tmp_path / "changed.json").write_text(json.dumps(changed), encoding="utf-8")
    assert script.main([*one, "--expect", str(tmp_path / "changed.json")]) == 1
    assert capsys.readouterr().err == "nvidia-h200: T29, verdict: holds, expected mixed\n"
    for name, verdicts in (("own.json", {"T29": {"verdict": "holds"}}),
                           ("changed.json", {**changed["verdicts"], "T29": {"verdict": "holds"}})):
        assert script.main([*one, "--write", str(tmp_path / name)]) == 0
        assert json.loads((tmp_path / name).read_text(encoding="utf-8"))["verdicts"] == verdicts


def test_verdicts_of_several_gpus_stand_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "nvidia-other"
    other.mkdir()
    shutil.copy(H200 / "instructions_gpu.json.gz", other)
    both = ["--results", str(H200), "--results", str(other)]
    assert script.main(["--one", "T29", *both]) == 0
    assert capsys.readouterr().out.count("T29  holds\n") == 2
    by_gpu = {name: {number: judge.judge(ledger.claims()[number], of_folder(folder))
                     for number in ("T11", "T20", "T29")}
              for name, folder in (("one", H200), ("other", other))}
    lines = tables.side_by_side(by_gpu, {"one": of_folder(H200), "other": of_folder(other)}).lines
    assert lines[0] == "| claim | published | one | verdict | other | verdict |"
    assert lines[2].startswith("| T11: ") and lines[2].endswith("| holds | – | cannot be told |")
    assert "| mixed. A writer takes all permits at any size" in lines[3]
    name, published_there, here, verdict, there, other_verdict = lines[4].strip("| ").split(" | ")
    assert name.startswith("T29: ") and published_there and here and here == there
    assert verdict == other_verdict == "holds"


@pytest.mark.parametrize(("arguments", "said"), [
    (["--one", "X01"], "no claim 'X01'; there are A01, "),
    (["--paper", "isca20"], "there is no paper 'isca20'; known are asplos19, ics15, thesis"),
    (["--results", "nowhere"], "nowhere: no such folder"),
    (["--results", str(H200), "--results", str(H200), "--write", "x"], "are for one GPU"),
    (["--count"], "are for one GPU"), (["--one", "T08", "--count", "--results", str(H200)], "no test counts for T08")])
def test_bad_usage_is_one_line(arguments: list[str], said: str) -> None:
    with pytest.raises(UserError) as error:
        script.main(arguments)
    assert said in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(("change", "where"), [
    ({"criterion": {"by": "hope"}}, "criterion"),
    ({"criterion": {"by": "ordering", "side": "above"}}, "'neutral' is a required property"),
    ({"value": {"ratio": [1]}}, "value"), ({"value": {"time": 3}}, "value"),
    ({"value": {"time": "lock", "over": "figure 7"}}, "value"),
    ({"untold": "and a value"}, "parts[0]"),
    ({"over": {"rows": [1], "columns": [2]}}, "over"), ({"cases": {"a": {"were": {}}}}, "cases")])
def test_a_ledger_of_another_form_is_refused(change: dict[str, Any], where: str) -> None:
    part = {"value": {"time": "lock"}, "criterion": {"by": "count", "published": 3}}
    claim = {"source": "", "claim": "", "parts": [part]}
    ledger_of = {"schema_version": 1, "paper": "a", "title": "A", "claims": {"A01": claim}}
    schemas.check(Path("a.json"), ledger_of, "claims")
    part.update(change)
    with pytest.raises(UserError, match="a.json: not a ledger of claims") as error:
        schemas.check(Path("a.json"), ledger_of, "claims")
    assert where in str(error.value) and "\n" not in str(error.value)


def test_a_change_without_both_verdicts_is_refused() -> None:
    change = {"claims": ["A01"], "was": "", "is": "", "because": "", "verdicts": {"gpu": {"A01": ["holds"]}}}
    ledger_of = {"schema_version": 1, "paper": "a", "title": "A", "changes": [change], "claims": {}}
    with pytest.raises(UserError, match=r"at changes\[0\]"):
        schemas.check(Path("a.json"), ledger_of, "claims")


def numbers_of(document: Any) -> Iterator[float]:
    """All published numbers but the axes of a table."""
    if isinstance(document, dict):
        for name, one in document.items():
            yield from numbers_of(one) if name not in ("grid", "collision_factors", "gpus") else ()
    elif isinstance(document, list):
        for one in document:
            yield from numbers_of(one)
    elif isinstance(document, (int, float)):
        yield float(document)


def typed(code: str) -> set[float]:
    """The numbers of three digits or more in Python code, and all with two decimals in its texts."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += re.findall(r"(?<![\w.,])(?:\d*\.\d{2,}|\d{1,3}(?:,\d{3})+|\d{3,})(?![\w.])", node.value)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            digits = str(node.value).strip("0.").replace(".", "")
            found += [str(node.value)] if len(digits) > 2 else []
    return {float(text.replace(",", "")) for text in found}


# Powers of two are sizes of blocks, rings and inputs too, and powers of ten are units.
THEIRS = {number for number in numbers_of(json.loads(
    (ROOT / "results" / "published" / "published_numbers.json").read_text(encoding="utf-8")))
    if not (number.is_integer() and int(number) & (int(number) - 1) == 0) and number != 1000}


def test_no_published_number_is_typed_in_python() -> None:
    # The numbers of figures are lengths on paper.
    files = [*(path for path in (ROOT / "scripts" / "finesync").rglob("*.py")
               if path.parent.name != "figures"), ROOT / "scripts" / "claims.py",
             *ROOT.glob("workloads/*/report.py"), *ROOT.glob("workloads/*/report/*.py")]
    assert {str(path.relative_to(ROOT)): sorted(found) for path in files
            if (found := typed(path.read_text(encoding="utf-8")) & THEIRS)} == {}


@pytest.mark.parametrize("code", ["LATENCY = 24269", "SAID = 'falls to 8,292 cycles'",
                                  "def f(x=21.45):\n    return x", "TEXT = f'{1} of 73.51 %'"])
def test_a_published_number_that_is_typed_is_found(code: str) -> None:
    assert typed(code) & THEIRS
