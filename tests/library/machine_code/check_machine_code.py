#!/usr/bin/env python3
"""Checks what the assembler made of every primitive: reads the SASS of the kernels in kernels/.

usage: check_machine_code.py NVDISASM ARCHITECTURE OBJECT...

ARCHITECTURE is 75, 80 or 90; the objects are compiled with -no-compress. expected.py says what each
kernel must do. A kernel of locks_by_hand.cu does what one of the library does: a round of the
library's loops may be a few instructions longer, no more. Besides, no kernel may use local memory,
shuffle under a mask that was not checked, read a message in parts, or, where its words lie in the
shared memory of a cluster, fall back on accesses that are not atomic.

Prints one line per complaint; exit status 1 when there is one, 2 for SASS it cannot read.
"""

from __future__ import annotations

import sys

from checks import complaints, longer_rounds
from disassembly import kernels_of
from expected import expected_of
from sass_reader import Kernel, Unreadable


def check(kernels: dict[str, Kernel], architecture: int) -> list[str]:
    """Complaints about all kernels, by name."""
    found = []
    for name, kernel in sorted(kernels.items()):
        expectations = expected_of(name)
        if len(expectations) != 1:
            found.append(f"{name}: {len(expectations)} entries in expected.py, not 1")
        for expected in expectations:
            found += [f"{name}: {complaint}"
                      for complaint in complaints(kernel, expected, architecture)]
        lock, _, form = name.rpartition("_")
        if form in ("device", "watched") and (by_hand := kernels.get(f"{lock}_device_by_hand")):
            found += [f"{name}: {complaint}" for complaint in longer_rounds(kernel, by_hand)]
    return found


def main(arguments: list[str]) -> int:
    """Entry point."""
    nvdisasm, architecture, *objects = arguments
    try:
        kernels = kernels_of(nvdisasm, objects, int(architecture))
        found = check(kernels, int(architecture))
    except Unreadable as trouble:
        print(f"cannot read: {trouble}", file=sys.stderr)
        return 2
    print("\n".join(found) or f"{len(kernels)} kernels are as they must be on sm_{architecture}")
    return 1 if found or not kernels else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
