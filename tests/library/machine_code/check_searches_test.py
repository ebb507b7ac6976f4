#!/usr/bin/python3
"""Tries check_searches.py on searches that wait too early.

usage: check_searches_test.py NVDISASM ARCHITECTURE OBJECT...

Each search must be rejected when something uses the place of a row before the atomic minimum, or,
in breadth-first search, the distance of a vertex before its arcs are loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from check_searches import complaints, loaded, loads_before, minima_of
from disassembly import kernels_of
from sass_reader import Instruction, Kernel


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
    copies = [copy for kernel in kernels_of(nvdisasm, objects, int(architecture)).values()
              for copy in spoilt(kernel)]
    accepted = [copy.name for copy in copies if not any(complaints(copy))]
    print("\n".join(accepted) or f"{len(copies)} spoilt searches are rejected")
    return 1 if accepted or not copies else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
