"""Runs the tests on the host executor that count what claims are judged by, and keeps what they counted."""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..results import counts, schemas
from ..results.errors import UserError
from ..results.json_files import STRICT, read_json, write_json
from ..results.registry import ROOT
from . import ledger
from .ledger import Claim

Lines = list[dict[str, Any]]


def count(claims: Sequence[Claim], folder: Path) -> None:
    """Counts for these claims into a folder; what it has for others stays. If a test fails, nothing is kept."""
    counted = [claim for claim in claims if claim.tests]
    if not counted:
        raise UserError(f"no test counts for {', '.join(claim.id for claim in claims)}")
    path = folder / counts.FILE
    before: dict[str, Any] = {}
    if path.exists():
        document = read_json(path)
        schemas.check(path, document, "counts")
        before = document["counts"]
    how = _provenance()
    found = {**before, **_kept(counted, _lines_of([test for claim in counted for test in claim.tests]), how)}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"schema_version": 1, "counts": {
        number: found[number] for number in ledger.claims() if number in found}})


def _lines_of(tests: list[str]) -> Lines:
    """Builds and runs tests, whatever build/host was built for. Returns what they wrote down."""
    programs = list(dict.fromkeys(test.partition(".")[0] for test in tests))
    names = "|".join(map(re.escape, dict.fromkeys(tests)))
    with tempfile.TemporaryDirectory() as scratch:
        written = Path(scratch) / "counts"
        written.touch()
        for command in (
                ["cmake", "--preset", "host", "-DFINESYNC_BUILD_TESTS=ON", "--log-level=WARNING"],
                ["cmake", "--build", "--preset", "host", "--target", *programs],
                ["ctest", "--test-dir", "build/host", "--no-tests=error", "--output-on-failure", "-R", f"^({names})$"]):
            try:
                # All seeds, as the number of runs is part of what is counted.
                subprocess.run(command, cwd=ROOT, check=True,
                               env={**os.environ, "FINESYNC_COUNTS": str(written), "FINESYNC_SEED_FACTOR": "1"})
            except (subprocess.CalledProcessError, OSError) as failed:
                raise UserError(f"{command[0]} failed, so nothing is counted; scripts/setup.sh provides what "
                                "tests need") from failed
        return [STRICT.decode(line) for line in written.read_text(encoding="utf-8").splitlines()]


def _provenance() -> dict[str, Any]:
    """Of this tree, now, in the words of rows."""
    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    return {"git_revision": git("rev-parse", "HEAD"),
            "git_dirty": bool(git("status", "--porcelain", "--untracked-files=no")),
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "host": platform.node()}


def _kept(claims: Sequence[Claim], lines: Lines, how: dict[str, Any]) -> dict[str, Any]:
    """What the file has of these claims."""
    made = {}
    for claim in claims:
        cases = {line["case"]: {"value": line["value"], "runs": line["runs"]}
                 for line in lines if line["claim"] == claim.id}
        missing = [case for case in claim.counted_cases if case not in cases]
        if missing:
            raise UserError(f"{claim.id}: the tests did not count {missing[0]!r}")
        made[claim.id] = {"tests": claim.tests, **how, "cases": cases}
    return made
