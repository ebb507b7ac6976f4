"""One experiment on one fault: its outcome, and the test that caught it."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from .faults import Fault
from .matching import NoMatch
from .mutant_tree import DoesNotCompile, MutantTree, targets_of
from .processes import Done, run
from .test_names import is_pytest

KILLED = "killed"
SURVIVED = "survived"
STALE = "stale"  # its pattern does not match
BROKEN = "does not compile"
NO_TEST = "no test ran"
EQUIVALENT = "equivalent"

FAILED = re.compile(r"^\[  FAILED  \] ([\w/.]+)", re.MULTILINE)
_STARTED = re.compile(r"^\[ RUN      \] ([\w/.]+)", re.MULTILINE)
_RAN = re.compile(r"^\[==========\] (\d+) tests? from", re.MULTILINE)
_PYTEST_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Result:
    """The outcome of a fault; `by` is the test that caught it, or another remark."""

    folder: str
    id: str
    what: str
    outcome: str
    by: str = ""
    compile_s: float = 0
    test_s: float = 0
    digest: str = ""

    def to_json(self) -> dict[str, object]:
        """As a line of the results."""
        return asdict(self)


def gtest_outcome(done: Done) -> tuple[str, str]:
    """The outcome of a run of a GoogleTest program, and the test that decided it."""
    failed = FAILED.search(done.output)
    started = _STARTED.findall(done.output)
    ran = _RAN.search(done.output)
    if done.status == 0:
        return (SURVIVED, "") if ran and int(ran[1]) > 0 else (NO_TEST, "")
    if failed:
        return KILLED, failed[1]
    if not started:
        return NO_TEST, (done.output.strip().splitlines() or ["it did not start"])[-1]
    how = "time was up" if done.status is None else f"status {done.status}"
    return KILLED, f"{started[-1]} ({how})"


def pytest_outcome(done: Done, name: str) -> tuple[str, str]:
    """The same for a run of pytest; status 1: tests have failed."""
    if done.status == 0:
        return SURVIVED, ""
    failed = _PYTEST_FAILED.search(done.output)
    if done.status == 1 and failed:
        return KILLED, failed[1]
    if done.status is None:
        return KILLED, f"{name} (time was up)"
    return NO_TEST, (done.output.strip().splitlines() or [""])[-1]


def run_gtest(executable: list[str], tests: str, folder: Path, seconds: float) -> tuple[str, str]:
    """Runs some cases of a program. \returns the outcome, and the test that decided it."""
    return gtest_outcome(run([*executable, f"--gtest_filter={tests}", "--gtest_fail_fast",
                             "--gtest_color=no"], folder, seconds))


def run_pytest(name: str, tree: Path, seconds: float) -> tuple[str, str]:
    """Runs tests of the scripts in a copy of the tree."""
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", name]
    return pytest_outcome(run(command, tree, seconds), name)


def try_fault(fault: Fault, mutant: MutantTree, seconds: float) -> Result:
    """Inserts a fault, runs its tests until one catches it, and removes it again."""
    began = time.monotonic()
    made = tested = 0.0
    outcome, by = NO_TEST, ""
    try:
        with mutant.applied(fault):
            for program in fault.programs:
                mutant.make_program(fault, program)
            for target in targets_of(fault):
                executable = mutant.make(fault, target)
                made, began = made + time.monotonic() - began, time.monotonic()
                outcome, by = run_gtest([str(executable)], target.filter, mutant.bin, seconds)
                tested, began = tested + time.monotonic() - began, time.monotonic()
                if outcome != SURVIVED:
                    break
            else:
                for name in filter(is_pytest, fault.tests):
                    outcome, by = run_pytest(name, mutant.tree, seconds)
                    tested, began = tested + time.monotonic() - began, time.monotonic()
                    if outcome != SURVIVED:
                        break
    except NoMatch as why:
        outcome, by = STALE, str(why)
    except DoesNotCompile as why:
        outcome, by = BROKEN, str(why)
    return Result(fault.folder, fault.id, fault.what, outcome, by, round(made, 1), round(tested, 1))
