"""Runs generated faults, each in the programs that have them all: first the tests that the lists name for
the fault's file, then all others of the same programs."""

from __future__ import annotations

import time
from dataclasses import dataclass

from .experiment import BROKEN, FAILED, KILLED, NO_TEST, SURVIVED, Result, run_gtest
from .mutant_tree import targets_of
from .processes import run
from .schemata import FAULT, Schemata

_MOST_BYTES = 24 << 30  # of addresses: a fault may make a loop without end that allocates


@dataclass(frozen=True)
class WithoutFault:
    """How a program ran without a fault: tests that failed are left out; None if it did not end."""

    seconds: float
    failed: frozenset[str] | None


def run_without_fault(schemata: Schemata, program: str, seconds: float) -> WithoutFault:
    began = time.monotonic()
    done = run([*_started(schemata, program, 0), "--gtest_color=no"], schemata.bin, seconds)
    failed = frozenset(FAILED.findall(done.output))
    ended = done.status == 0 or (done.status == 1 and failed)
    return WithoutFault(time.monotonic() - began, failed if ended else None)


def try_generated(schemata: Schemata, number: int, right: dict[str, WithoutFault],
                  seconds: float) -> Result:
    """Runs the tests of a fault until one catches it."""
    fault = schemata.numbers[number]
    began = time.monotonic()
    outcome, by = (BROKEN, schemata.dropped[number]) if number in schemata.dropped else (NO_TEST, "")
    targets = [target for target in targets_of(fault) if target.program in right and outcome == NO_TEST]
    runs = [*((target.program, target.filter) for target in targets),
            *((target.program, "*") for target in targets if right[target.program].failed is not None)]
    survived = False
    for program, tests in runs:
        without = right[program]
        left_out = ":".join(sorted(without.failed or ()))
        most = seconds if without.failed is None else min(seconds, 3 * without.seconds + 10)
        outcome, by = run_gtest(_started(schemata, program, number), f"{tests}-{left_out}", schemata.bin, most)
        if outcome == NO_TEST and by and without.failed is not None:
            outcome = KILLED  # it ended before its first test
        if outcome not in (SURVIVED, NO_TEST):
            break
        survived |= outcome == SURVIVED
    else:
        outcome = SURVIVED if survived else outcome
    return Result(fault.folder, fault.id, fault.what, outcome, by,
                  test_s=round(time.monotonic() - began, 1))


def _started(schemata: Schemata, program: str, number: int) -> list[str]:
    return ["prlimit", f"--as={_MOST_BYTES}", "env", f"{FAULT}={number}", str(schemata.bin / program)]
