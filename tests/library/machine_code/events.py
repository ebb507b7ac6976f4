"""What instructions do to memory that other threads can see, by names that all architectures share.

    ld32.gpu  st128.gpu  add64.gpu  cas32.cta  ...   one strong access: what, how many bits, scope
    add32.shared  cas64.shared  rmw64.shared ...     an atomic addressed as shared memory; rmw64 is
                                                     the compare-and-swap that ends a 64-bit loop
    membar.all.gpu  membar.sc.cta ...                a fence
    drop_l1                                          what was cached is read anew (CCTL.IVALL)
    read32  write32 ...                              a weak access to device memory
    bar  cluster_arrive  cluster_wait                barriers of the block and of the cluster
    watchdog                                         a waiting thread checks whether to give up
"""

from __future__ import annotations

import re
from functools import cache

from sass_reader import Instruction, Kernel

SPACES = {"LD": "ld", "LDG": "ld", "ST": "st", "STG": "st"}
ATOMICS = ("ATOM", "ATOMG", "RED", "REDG")
# The SM is what a block is to the memory system; sm_75 calls it CTA.
SCOPES = {"CTA": "cta", "SM": "cta", "GPU": "gpu", "SYS": "sys"}
# No thread waits for what a watchdog does where it fires or posts a late wait.
WATCHDOG = {"ld32.gpu": "watchdog", "cas32.gpu": "", "or32.gpu": "", "write32": "",
            "write128": "", "exch32.gpu": "", "st32.gpu": "", "st64.gpu": ""}
BARRIERS = {"BAR": "bar", "UCGABAR_ARV": "cluster_arrive", "UCGABAR_WAIT": "cluster_wait"}


@cache
def width_of(opcode: str) -> int:
    """Bits of an access."""
    for modifier in opcode.split("."):
        if size := re.fullmatch(r"[USF]?(8|16|64|128)", modifier):
            return int(size[1])
    return 32


def event_of(instruction: Instruction) -> str:
    """Its name, or "" where it does nothing that others can see."""
    return event_by_opcode(instruction.opcode)


@cache
def event_by_opcode(opcode: str) -> str:
    """The same; the opcode says it all."""
    kind, *modifiers = opcode.split(".")
    scope = next((SCOPES[m] for m in modifiers if m in SCOPES), "")
    size = width_of(opcode)
    if kind in SPACES:
        if "STRONG" in modifiers:
            return f"{SPACES[kind]}{size}.{scope}"
        return {"ld": "read", "st": "write"}[SPACES[kind]] + str(size)
    if kind in ATOMICS:
        return f"{modifiers[1].lower()}{size}.{scope}"
    if kind == "ATOMS":
        name = {"POPC": "add", "CAST": "rmw"}.get(modifiers[0], modifiers[0].lower())
        return f"{name}{size}.shared"
    if kind == "MEMBAR":
        return f"membar.{modifiers[0].lower()}.{scope}"
    if opcode == "CCTL.IVALL":
        return "drop_l1"
    return BARRIERS.get(kind, "")


def of_watchdogs(kernel: Kernel) -> set[int]:
    """What device/watchdog.cuh does: all that no way leads to but past a reading of the clock."""
    clocks = {position for position, instruction in enumerate(kernel.code)
              if "SR_GLOBALTIMERLO" in instruction.operands}
    without: set[int] = set()
    queue = [0]
    while queue:
        position = queue.pop()
        if position not in without and position not in clocks and position < len(kernel.code):
            without.add(position)
            queue += kernel.after[position]
    return {*range(len(kernel.code))} - without if clocks else set()


def events_of(kernel: Kernel) -> list[str]:
    """The event of each instruction, or "".

    A 64-bit atomic whose space the compiler does not know is followed by a loop for the block's own
    shared memory (QSPC asks) and by a load and a store for the thread's local memory. In device
    memory neither is ever reached, so they are no events; where they are, see checks.fallbacks.
    """
    events = [event_of(instruction) for instruction in kernel.code]
    for position in of_watchdogs(kernel):
        events[position] = WATCHDOG.get(events[position], events[position])
    skipped = {"read64", "write64"}  # the kernels of this folder have no such words of their own
    if any(instruction.kind == "QSPC" for instruction in kernel.code):
        skipped.add("rmw64.shared")
    return ["" if event in skipped else event for event in events]
