#!/usr/bin/python3
"""Checks that what a search loads for an arc is under way together.

usage: check_searches.py NVDISASM ARCHITECTURE OBJECT...

A round of a search on a mesh is little more than trips to memory, one after the other. Two pairs of
them need not wait for each other: for the distance of an entry's vertex and for its arcs, and for a
row's place and for the distance of its vertex. Whether they do depends on where the compiler puts
a comparison and a subtraction (workloads/traversal/search.cuh). Shortest paths compare earlier
where an entry is held back; so only breadth-first search is checked for the first pair. Tries itself on
copies of the searches that wait too early.

Prints one line per complaint; exit status 1 when there is one, 2 for SASS it cannot read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from disassembly import kernels_of
from events import event_of
from sass_reader import Instruction, Kernel, Unreadable


def uses(instruction: Instruction, register: str) -> bool:
    """Whether it reads a register, which is not the first operand of what computes."""
    return any(register in instruction.registers(operand)
               for operand in range(1, len(instruction.operands)))


def loaded(instruction: Instruction) -> str:
    """The register that a load fills."""
    return instruction.registers(0)[0]


def loads_before(kernel: Kernel, minimum: int) -> tuple[list[int], int] | None:
    """The places of the row's two loads before an atomic minimum, and of that of the distance."""
    events = [event_of(instruction) for instruction in kernel.code[:minimum]]
    reads = [place for place, event in enumerate(events) if event.startswith("read")]
    strong = [place for place, event in enumerate(events) if event.startswith("ld")]
    return (reads[-2:], strong[-1]) if len(reads) >= 3 and strong else None


def first_use(kernel: Kernel, load: int, end: int) -> list[Instruction]:
    """The first instruction before `end` that uses what was loaded, if any."""
    register = loaded(kernel.code[load])
    return [each for each in kernel.code[load + 1:end] if uses(each, register)][:1]


def minima_of(kernel: Kernel) -> list[int]:
    """The places of its atomic minima."""
    return [place for place, instruction in enumerate(kernel.code)
            if event_of(instruction).startswith("min")]


def complaints(kernel: Kernel) -> Iterator[str]:
    """Of each atomic minimum: loads before it that are waited for too early."""
    minima = minima_of(kernel)
    if not minima:
        yield "no atomic minimum"
    for minimum in minima:
        loads = loads_before(kernel, minimum)
        if loads is None:
            yield f"{kernel.code[minimum]}: loads of its arc are missing"
            continue
        row, distance = loads
        for place in row:
            for early in first_use(kernel, place, minimum):
                yield f"{early} waits for the row before {kernel.code[minimum]}"
        if "breadth_first" not in kernel.name:
            continue
        arc = next(place for place in range(distance, minimum)
                   if event_of(kernel.code[place]).startswith("read"))
        for early in first_use(kernel, distance, arc):
            yield f"{early} waits for the distance before {kernel.code[arc]}"


def using(kernel: Kernel, load: int, place: int) -> Kernel:
    """The kernel with a use of what was loaded at a place."""
    use = Instruction("ffff", "", "IMAD.IADD", ["R0", loaded(kernel.code[load]), "0x1", "RZ"])
    return replace(kernel, code=[*kernel.code[:place], use, *kernel.code[place:]])


def spoilt(kernel: Kernel) -> Iterator[Kernel]:
    """The kernel with one load that is waited for too early."""
    for minimum in minima_of(kernel):
        loads = loads_before(kernel, minimum)
        assert loads is not None, kernel.name
        row, distance = loads
        for load in row:
            yield using(kernel, load, minimum)
        if "breadth_first" in kernel.name:
            yield using(kernel, distance, distance + 1)


def main(arguments: list[str]) -> int:
    """Entry point."""
    nvdisasm, architecture, *objects = arguments
    try:
        kernels = kernels_of(nvdisasm, objects, int(architecture))
    except Unreadable as trouble:
        print(f"cannot read: {trouble}", file=sys.stderr)
        return 2
    found = [f"{name}: {complaint}" for name, kernel in sorted(kernels.items())
             for complaint in complaints(kernel)]
    found = found or [f"{kernel.name}: accepted when it waits too early"
                      for kernel in kernels.values()
                      for copy in spoilt(kernel) if not any(complaints(copy))]
    print("\n".join(found) or f"{len(kernels)} searches load together on sm_{architecture}")
    return 1 if found or not kernels else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
