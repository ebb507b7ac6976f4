"""Reads PTX: its kernels, and what their instructions do to memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

ORDERS = ("weak", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio")
SCOPES = ("cta", "cluster", "gpu", "sys")
# PTX ISA, "membar": on sm_70 and later a synonym.
MEMBAR = {"membar.cta": "fence.sc.cta", "membar.gl": "fence.sc.gpu", "membar.sys": "fence.sc.sys"}
WARP_AND_BLOCK = ("bar", "barrier", "vote", "match", "shfl", "activemask")


class Unreadable(Exception):
    pass


@dataclass
class Instruction:
    guard: str  # predicate register, or ""
    guard_value: int  # what it must be
    opcode: str
    operands: list[str]
    event: str = ""  # what it does to memory, as compared; "" for arithmetic and branches


@dataclass
class Kernel:
    name: str
    code: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)


def split_operands(text: str) -> list[str]:
    """At the commas outside of {} and []."""
    return [part.strip() for part in re.findall(r"(?:\{[^}]*\}|\[[^\]]*\]|[^,{\[])+", text)]


def event_of(opcode: str, operands: list[str]) -> str:
    kind, *modifiers = opcode.split(".")
    if kind in ("ld", "st", "atom", "red"):
        if "param" in modifiers:
            return ""
        atomic = kind in ("atom", "red")
        order = next((m for m in modifiers if m in ORDERS), "relaxed" if atomic else "weak")
        scope = [m for m in modifiers if m in SCOPES]
        if atomic and not scope:
            scope = ["gpu"]
        # Where memory lies orders nothing, unless it is the block's own.
        rest = [m for m in modifiers if m not in (order, *scope, "global")]
        # Only a minimum or a maximum depends on the sign; how integers and bits are called is free.
        if not {"min", "max"} & set(rest):
            rest = [re.sub(r"^[usb](\d+)$", r"b\1", m) for m in rest]
        return ".".join([kind, order, *scope, *sorted(rest)])
    if kind in ("fence", "membar"):
        return MEMBAR.get(opcode, opcode)
    if kind == "nanosleep":
        return kind
    if kind in WARP_AND_BLOCK:
        return opcode
    if kind == "mov" and operands[-1] in ("%globaltimer", "%clock64", "%clock"):
        return "read " + operands[-1]
    return ""


def sort_weak_accesses(kernel: Kernel) -> None:
    """The compiler may exchange weak accesses that nothing stands between: their order is free."""
    starts = set(kernel.labels.values())
    run: list[Instruction] = []

    def sort_run() -> None:
        for instruction, event in zip(run, sorted(i.event for i in run)):
            instruction.event = event
        run.clear()

    for position, instruction in enumerate(kernel.code):
        weak = re.match(r"(ld|st)\.weak", instruction.event)
        if position in starts or instruction.opcode.startswith("bra") or (
            instruction.event and not weak
        ):
            sort_run()
        if weak:
            run.append(instruction)
    sort_run()


def parse_body(kernel: Kernel, body: str) -> None:
    for statement in body.split(";"):
        statement = statement.lstrip("{} \t\n")
        while label := re.match(r"([\w$]+):\s*", statement):
            kernel.labels[label[1]] = len(kernel.code)
            statement = statement[label.end() :].lstrip("{} \t\n")
        if not statement or statement.startswith("."):
            if re.match(r"\.local", statement):
                kernel.complaints.append("it keeps variables in local memory")
            continue
        parsed = re.match(r"(?:@(!?)(%[\w]+)\s+)?([\w.:]+)\s*(.*)", statement, re.DOTALL)
        if not parsed:
            raise Unreadable(f"{kernel.name}: {statement!r}")
        negated, guard, opcode, operands = parsed.groups()
        instruction = Instruction(guard or "", int(not negated), opcode, split_operands(operands))
        if opcode.startswith("call"):
            kernel.complaints.append(f"it calls: {' '.join(statement.split())}")
        if ".local" in opcode:
            kernel.complaints.append(f"it accesses local memory: {' '.join(statement.split())}")
        if opcode.startswith("brx"):
            raise Unreadable(f"{kernel.name}: indirect branch")
        instruction.event = event_of(opcode, instruction.operands)
        kernel.code.append(instruction)


def kernel_bodies(text: str) -> dict[str, str]:
    """By name, the text between the braces of each kernel."""
    text = re.sub(r"//[^\n]*", "", text)
    bodies = {}
    for entry in re.finditer(r"\.entry\s+(\w+)\s*\([^)]*\)[^{]*\{", text):
        depth = 1
        for brace in re.compile(r"[{}]").finditer(text, entry.end()):
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                bodies[entry[1]] = text[entry.end() : brace.start()]
                break
        else:
            raise Unreadable(f"{entry[1]}: no end")
    return bodies


@cache
def read_kernel(name: str, body: str) -> Kernel:
    kernel = Kernel(name)
    parse_body(kernel, body)
    sort_weak_accesses(kernel)
    return kernel
