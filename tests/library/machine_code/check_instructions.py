#!/usr/bin/python3
"""Checks that the loops of workloads/instructions execute their instruction as often as they say.

usage: check_instructions.py NVDISASM ARCHITECTURE OBJECT...

A round is 16 instructions in a row, without a branch: none is left out, moved out of the loop, or done
twice. Tries itself on copies of the kernels that lack one.

Prints one line per complaint; exit status 1 when there is one, 2 for SASS it cannot read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace

from disassembly import kernels_of
from sass_reader import Kernel, Unreadable

IN_A_ROW = 16
# Of a form, by a part of its kernels' names: opcodes, each with its number in a round. A chain has one more
# block barrier in its loop, the throughput's loop one for the first round.
FORMS = {
    "8modifies.*modificationE0Ej.*scopeE2.*orderE1ELb1E": {r"ATOMG\.E\.ADD\.STRONG\.GPU": IN_A_ROW, "MEMBAR.*": 0},
    "8modifies.*modificationE0Ej.*scopeE2.*orderE4ELb1E": {
        r"ATOMG\.E\.ADD\.STRONG\.GPU": IN_A_ROW, r"MEMBAR\..*": IN_A_ROW, r"CCTL\.IVALL": IN_A_ROW},
    "8modifies.*modificationE0Em.*orderE1ELb1E": {r"ATOMG\.E\.ADD\.64\.STRONG\.GPU": IN_A_ROW},
    "8modifies.*modificationE0Ej.*spaceE1E.*orderE1ELb0E": {r"ATOMS\.ADD": IN_A_ROW, r"ATOMS\.POPC.*": 0},
    "8modifies.*modificationE0Ej.*spaceE0E.*orderE1ELb0E": {r"REDG\.E\.ADD\.STRONG\.GPU": IN_A_ROW, "ATOM.*": 0},
    "8modifies.*modificationE2Ej": {r"ATOMS\.MAX": IN_A_ROW},
    "8compares": {r"ATOMG\.E\.CAS\.STRONG\.SYS": IN_A_ROW},
    "5loads.*orderE0E": {r"LDG\.E": IN_A_ROW},
    "5loads.*orderE2E": {r"LDG\.E\.STRONG\.GPU": IN_A_ROW, r"CCTL\.IVALL": IN_A_ROW},
    "6stores.*orderE3E": {r"STG\.E\.STRONG\.GPU": IN_A_ROW, r"MEMBAR\..*": IN_A_ROW},
    "6stores.*orderE1E": {r"STS\.64": IN_A_ROW},
    "7ballots": {r"VOTE\.ANY": IN_A_ROW},
    "8shuffles": {r"SHFL\.IDX": IN_A_ROW},
    "11matches_any": {"MATCH.ANY": IN_A_ROW},
    "11matches_all": {"MATCH.ALL": IN_A_ROW},
    "4sums": {"REDUX.SUM": IN_A_ROW},
    "11syncs_named": {r"BAR\.SYNC.*": IN_A_ROW + 1},
    "10syncs_pair": {r"BAR\.SYNC.*": IN_A_ROW + 1},
    "13syncs_cluster": {"UCGABAR_ARV": IN_A_ROW, "UCGABAR_WAIT": IN_A_ROW},
}


def loop_of(kernel: Kernel) -> range:
    """The positions of the kernel's largest loop that runs straight: from a label to the branch back to it."""
    loops = [range(min(ways), position + 1) for position, ways in enumerate(kernel.after)
             if kernel.code[position].kind == "BRA" and min(ways) <= position < max(ways)]
    return max(loops, key=len, default=range(0))


def complaints(kernel: Kernel, expected: dict[str, int]) -> Iterator[str]:
    """Instructions of the loop that are there too often or too seldom."""
    loop = [kernel.code[position] for position in loop_of(kernel)]
    for opcode, number in expected.items():
        found = sum(re.fullmatch(opcode, instruction.opcode) is not None for instruction in loop)
        if found != number:
            yield f"{found} x {opcode} in a round, not {number}"


def without_one(kernel: Kernel, opcode: str) -> Kernel:
    """The kernel with another instruction in the place of one in its loop."""
    code = list(kernel.code)
    place = next(position for position in loop_of(kernel) if re.fullmatch(opcode, code[position].opcode))
    code[place] = replace(code[place], opcode="NOP", operands=[])
    return replace(kernel, code=code)


def main() -> int:
    nvdisasm, architecture, *objects = sys.argv[1:]
    kernels = kernels_of(nvdisasm, objects, int(architecture))
    found = []
    for form, expected in FORMS.items():
        own = [kernel for name, kernel in kernels.items() if re.search(form, name)]
        if len(own) != 2:
            found.append(f"{form}: {len(own)} kernels, not a chain and a stream")
        for kernel in own:
            found += [f"{kernel.name}: {each}" for each in complaints(kernel, expected)]
            opcode = next(iter(expected))
            if not found and not list(complaints(without_one(kernel, opcode), expected)):
                found.append(f"{kernel.name}: not noticed where one {opcode} is missing")
    print("\n".join(found) or f"{len(FORMS)} forms execute what they say")
    return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unreadable as why:
        print(why)
        sys.exit(2)
