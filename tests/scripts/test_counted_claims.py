"""The counts that tests write down for claims: what is kept, and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import claims as script
import pytest
from finesync.claims import ledger
from finesync.results import counts
from finesync.results.errors import UserError
from finesync.results.recorded import of_folder
from scratch import executable

# What a build and a run of the tests do instead.
TOOLS = {"cmake": "echo cmake $* >> {log}",
         "ctest": "echo ctest $* $FINESYNC_SEED_FACTOR >> {log}; cat {lines} >> $FINESYNC_COUNTS; exit {status}"}


def line(claim: str, case: str, value: float, runs: int = 0) -> str:
    return json.dumps({"claim": claim, "case": case, "value": value, "runs": runs}) + "\n"


@pytest.fixture(name="tools")
def fixture_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a run of the tests that writes these lines, and ends so."""
    def made(lines: str, status: int = 0) -> Path:
        places = {"log": tmp_path / "log", "lines": tmp_path / "lines", "status": status}
        (tmp_path / "lines").write_text(lines, encoding="utf-8")
        for name, text in TOOLS.items():
            executable(tmp_path / name, f"#!/bin/sh\n{text.format(**places)}\n")
        return tmp_path / "out"
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return made


def test_the_counts_of_a_run_are_kept_beside_those_of_other_claims(tools: Any, tmp_path: Path) -> None:
    out = tools(line("A33", "random schedules", 0, 60))
    assert script.main(["--one", "A33", "--count", "--results", str(out)]) == 0
    said = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert said[0] == "cmake --preset host -DFINESYNC_BUILD_TESTS=ON --log-level=WARNING"
    assert said[1] == "cmake --build --preset host --target server_test"
    (test,) = ledger.claim_named("A33").tests
    assert "--no-tests=error" in said[2]
    assert said[2].endswith("-R ^({})$ 1".format(test.replace(".", "\\.")))
    tools("".join(line("I15", case, 3.5) for case in ("tiny-lock", "spin")))
    assert script.main(["--one", "I15", "--count", "--results", str(out)]) == 0
    found = json.loads((out / counts.FILE).read_text(encoding="utf-8"))["counts"]
    assert list(found) == ["A33", "I15"] and len(found["A33"]["git_revision"]) == 40
    kept = of_folder(out)
    assert kept.counted("I15", "spin").median == 3.5
    assert (kept.counted("A33", "random schedules").median, kept.counted("A33", "random schedules").runs) == (0, 60)


@pytest.mark.parametrize(("lines", "status", "said"), [
    (line("A33", "random schedules", 0, 60), 8, "ctest failed, so nothing is counted; scripts/setup.sh"),
    (line("A33", "other schedules", 0), 0, "A33: the tests did not count 'random schedules'"),
    ("", 0, "A33: the tests did not count 'random schedules'")])
def test_nothing_is_kept_of_a_test_that_failed_or_does_not_count(
        tools: Any, lines: str, status: int, said: str) -> None:
    out = tools(lines, status)
    with pytest.raises(UserError, match=said):
        script.main(["--one", "A33", "--count", "--results", str(out)])
    assert not out.exists()


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    (tmp_path / counts.FILE).parent.mkdir()
    (tmp_path / counts.FILE).write_text('{"schema_version": 1, "counts": {"A33": {}}}', encoding="utf-8")
    with pytest.raises(UserError, match="claims.json: not counts of tests at counts.A33: "):
        of_folder(tmp_path)
