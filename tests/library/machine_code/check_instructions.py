#!/usr/bin/python3
"""Checks that the loops of workloads/instructions execute their instruction as often as they say.

usage: check_instructions.py NVDISASM ARCHITECTURE OBJECT...

A round is 16 instructions in a row, without a branch: none is left out, moved out of the loop, or done
twice. In a chain each needs the result of the one before, and the same code without the instruction is
timed in the loop, too, not computed before. Tries itself on copies of the kernels that lack one, or one
link, or the code without.

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


WITH_RESULT = ("ATOM", "LDG", "VOTE", "SHFL", "MATCH", "REDUX")  # if their name does not say that it is unused


def loop_of(kernel: Kernel) -> range:
    """The positions of the kernel's largest loop that runs straight: from a label to the branch back to it."""
    loops = [range(min(ways), position + 1) for position, ways in enumerate(kernel.after)
             if kernel.code[position].kind == "BRA" and min(ways) <= position < max(ways)]
    return max(loops, key=len, default=range(0))


def complaints(kernel: Kernel, expected: dict[str, int]) -> Iterator[str]:
    """Instructions of the loop that are there too often or too seldom, or wait for nothing in a chain."""
    loop = [kernel.code[position] for position in loop_of(kernel)]
    for opcode, number in expected.items():
        found = sum(re.fullmatch(opcode, instruction.opcode) is not None for instruction in loop)
        if found != number:
            yield f"{found} x {opcode} in a round, not {number}"
    counted = next(iter(expected))
    if is_chain(kernel, counted) and (found := len(links(kernel, counted))) != IN_A_ROW - 1:
        yield f"{found} x {counted} need the result of the one before, not {IN_A_ROW - 1}"
    if "time_chain" in kernel.name and (found := len(without(kernel))) < IN_A_ROW:
        yield f"{found} instructions are timed without {counted}, fewer than {IN_A_ROW}"


def without(kernel: Kernel) -> list[int]:
    """The positions between the last two reads of the clock in the loop."""
    clocks = [position for position in loop_of(kernel)
              if any("CLOCKLO" in str(operand) for operand in kernel.code[position].operands)]
    return [position for position in range(clocks[-2] + 1, clocks[-1]) if kernel.code[position].opcode != "NOP"]


def is_chain(kernel: Kernel, opcode: str) -> bool:
    """Whether results go from one instruction to the next."""
    return "time_chain" in kernel.name and opcode.startswith(WITH_RESULT) and "ELb0E" not in kernel.name


def links(kernel: Kernel, opcode: str) -> list[int]:
    """The positions in the loop of instructions with a result, the second and later, that need the result of the one
    before: what is computed from that is followed."""
    found: list[int] = []
    from_result: set[str] = set()
    for position in loop_of(kernel):
        instruction = kernel.code[position]
        names = [set(instruction.registers(i)) for i in range(len(instruction.operands))]
        written = 1 + bool(re.fullmatch("U?PT?[0-9]*", instruction.operands[0])) if instruction.operands else 0
        needs = bool(from_result & set().union(*names[written:]))
        is_link = re.fullmatch(opcode, instruction.opcode) is not None
        if is_link and needs:
            found.append(position)
        result = set().union(*names[:written])
        if is_link:
            from_result = result
        elif needs:
            from_result |= result
        else:
            from_result -= result
    return found


def broken(kernel: Kernel, opcode: str) -> Iterator[Kernel]:
    """The kernel with another instruction in the place of one in its loop; a chain also with one that reads nothing,
    and one with nothing to time without it."""
    places = [position for position in loop_of(kernel) if re.fullmatch(opcode, kernel.code[position].opcode)]
    faults = [replace(kernel.code[places[1]], opcode="NOP", operands=[])]
    if is_chain(kernel, opcode):
        faults.append(replace(kernel.code[places[1]], operands=kernel.code[places[1]].operands[:1]))
    for fault in faults:
        yield replace(kernel, code=[*kernel.code[:places[1]], fault, *kernel.code[places[1] + 1:]])
    if "time_chain" in kernel.name:
        gone = set(without(kernel))
        yield replace(kernel, code=[replace(each, opcode="NOP", operands=[]) if position in gone else each
                                    for position, each in enumerate(kernel.code)])


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
            if not found and not all(list(complaints(fault, expected)) for fault in broken(kernel, opcode)):
                found.append(f"{kernel.name}: not noticed where one {opcode} is missing, or waits for nothing")
    print("\n".join(found) or f"{len(FORMS)} forms execute what they say")
    return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unreadable as why:
        print(why)
        sys.exit(2)
