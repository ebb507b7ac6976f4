#!/usr/bin/env python3
"""Tries the checks of machine code on machine code that is wrong.

usage: machine_code_test.py NVDISASM ARCHITECTURE OBJECT... --traps OBJECT...

Each trap of the compiler (traps/, docs/library/compiler_traps.md) must be rejected for what it is, on the
architectures that it bites, and its variant without the trap accepted. And each kernel of the first
objects must be rejected when one of its fences is taken away, or the scope of an access narrowed. A
watchdog's check in its loop makes a lock slower than by hand.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from checks import complaints, longer_rounds
from disassembly import kernels_of
from events import event_of
from expected import Expected, expected_of
from sass_reader import Instruction, Kernel

# What its kernels must do, the complaint about the trap, and the first architecture that it bites.
TRAPS = {
    "torn_message": (Expected("", whole="ld128?"), "a message in two parts", 75),
    "uniform_mask": (Expected(""), "one lane's mask stands for all", 80),
    "cluster_atomics": (Expected("", in_cluster=True), "not atomic", 90),
    "lost_release": (Expected("", whole="write release rmw64@shared* write", scope="cta"),
                     "no membar.all.cta", 90),
    "spilled_wait": (Expected(""), "local memory", 75),
    "long_poll": (Expected("", polls=True), "polls are long", 75),
    "early_poll": (Expected("", polls_after_addition=True), "a poll before the own addition", 75),
}


def trapped(kernels: dict[str, Kernel], architecture: int) -> Iterator[str]:
    """Traps that are not rejected, right variants that are."""
    for name, (expected, reason, first) in TRAPS.items():
        trap, right = kernels[f"trap_{name}"], kernels[f"right_{name}"]
        found = list(complaints(trap, expected, architecture))
        if architecture >= first and not any(reason in complaint for complaint in found):
            yield f"trap_{name} is accepted, or rejected for something else: {found}"
        if found := list(complaints(right, expected, architecture)):
            yield f"right_{name} is rejected: {found}"


def too_slow(kernels: dict[str, Kernel]) -> Iterator[str]:
    """Locks that may have a watchdog's instructions without being one that is watched."""
    for lock in ("spin", "tas", "ticket"):
        slow = replace(kernels[f"{lock}_watched"], name=f"{lock}_device")
        if not any(longer_rounds(slow, kernels[f"{lock}_device_by_hand"])):
            yield f"{lock}: accepted with a watchdog's check in each round"


def spoil(instruction: Instruction) -> str:
    """The opcode of something that is wrong in its place; "" where nothing is to be spoilt."""
    event = event_of(instruction)
    if event.startswith("membar") or event == "drop_l1":
        return "NOP"
    scope, narrower = ("GPU", "SM") if event.endswith(".gpu") else ("SYS", "GPU")
    return instruction.opcode.replace(scope, narrower) if event.endswith((".gpu", ".sys")) else ""


def spoilt(kernel: Kernel, expected: Expected) -> Iterator[tuple[str, Kernel]]:
    """The kernel with something wrong, and what that is. Each instruction in turn, where all that a
    kernel does is known; else all of a kind, as the compiler makes copies of code."""
    groups: dict[str, list[int]] = {}
    for position, instruction in enumerate(kernel.code):
        if spoil(instruction):
            kind = instruction.address if expected.whole is not None else event_of(instruction)
            groups.setdefault(kind, []).append(position)
    for positions in groups.values():
        code = [*kernel.code]
        for position in positions:
            code[position] = replace(code[position], opcode=spoil(code[position]))
        what = f"{kernel.code[positions[0]]} made {code[positions[0]].opcode}"
        yield what, replace(kernel, code=code)


def main(arguments: list[str]) -> int:
    """Entry point."""
    nvdisasm, number, *objects = arguments
    architecture = int(number)
    split = objects.index("--traps")
    found = list(trapped(kernels_of(nvdisasm, objects[split + 1:], architecture), architecture))
    tried = 0
    kernels = kernels_of(nvdisasm, objects[:split], architecture)
    found += too_slow(kernels)
    for name, kernel in kernels.items():
        for expected in expected_of(name):
            for what, copy in spoilt(kernel, expected):
                tried += 1
                if not any(complaints(copy, expected, architecture)):
                    found.append(f"{name}: accepted with {what}")
    print("\n".join(found) or f"{len(TRAPS)} traps and {tried} spoilt kernels are rejected")
    return 1 if found or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
