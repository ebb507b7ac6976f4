"""Reads SASS as nvdisasm prints it: kernels, their instructions and their control flow."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

INSTRUCTION = re.compile(
    r"/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
LABEL = re.compile(r"([.$][\w$]+):$")
TARGET = re.compile(r"`\((\.L\w+)\)")
CONDITION = re.compile(r"!?U?P\d")
REGISTER = re.compile(r"\b(U?R\d+|U?P\d)\b")
# Branches that the compiler writes for a warp whose lanes may be apart: some lanes take them.
PARTIAL_BRANCHES = ("BRA.DIV", "BRA.CONV", "BRA.U")


class Unreadable(Exception):
    """The disassembly has something that this reader does not know."""


@dataclass
class Instruction:
    """One line: @predicate opcode operands."""

    address: str
    predicate: str  # "P0", "!P0", or "" for always
    opcode: str
    operands: list[str]

    def __post_init__(self) -> None:
        """The kind is the opcode without its modifiers."""
        self.kind, *self.modifiers = self.opcode.split(".")

    @property
    def tests_operand(self) -> bool:
        """Whether it is a branch that depends on a predicate among its operands too."""
        return self.kind == "BRA" and any(map(CONDITION.fullmatch, self.operands[:-1]))

    def registers(self, operand: int) -> list[str]:
        """The registers that an operand names."""
        return REGISTER.findall(self.operands[operand]) if operand < len(self.operands) else []

    def __str__(self) -> str:
        guard = f"@{self.predicate} " if self.predicate else ""
        return f"/*{self.address}*/ {guard}{self.opcode} {', '.join(self.operands)}"


@dataclass
class Kernel:
    """The instructions in the order of their addresses, and what may follow each."""

    name: str
    code: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    after: list[list[int]] = field(default_factory=list)  # len(code): the kernel's end

    def starts_block(self) -> set[int]:
        """Positions that are not only reached from the instruction before."""
        starts = set(self.labels.values())
        for position, ways in enumerate(self.after):
            if ways != [position + 1]:
                starts |= {*ways, position + 1}
        return starts

    def reachable(self, start: int) -> set[int]:
        """Positions that can follow, in one step or more."""
        found: set[int] = set()
        queue = list(self.after[start]) if start < len(self.code) else []
        while queue:
            position = queue.pop()
            if position not in found and position < len(self.code):
                found.add(position)
                queue += self.after[position]
        return found


def split_operands(text: str) -> list[str]:
    """At the commas outside of brackets."""
    return [part.strip() for part in re.findall(r"(?:\[[^\]]*\]|`\([^)]*\)|[^,\[])+", text)]


def meets_at(kernel: Kernel, position: int, barriers: dict[int, tuple[str, int]]) -> int:
    """Where lanes go on that have met at a BSYNC: where the BSSY of its barrier says."""
    name = kernel.code[position].operands[0]
    targets = [(begin, target) for begin, (barrier, target) in barriers.items() if barrier == name]
    if not targets:
        raise Unreadable(f"{kernel.name}: BSYNC {name} without BSSY")
    if any(target == position + 1 for _, target in targets):
        return position + 1
    before = [pair for pair in targets if pair[0] < position]
    return max(before or targets)[1]


def follow(kernel: Kernel) -> None:
    """Fills `after`.

    Calls are the compiler's own: of divisions, and of shuffles and votes for lanes that come apart,
    which are passed over; one that leads to a label of the kernel is a branch.
    """
    end = len(kernel.code)

    def target_of(instruction: Instruction) -> int:
        label = TARGET.search(instruction.operands[-1])
        if not label or label[1] not in kernel.labels:
            raise Unreadable(f"{kernel.name}: where does {instruction} lead?")
        return kernel.labels[label[1]]

    barriers = {
        position: (instruction.operands[0], target_of(instruction))
        for position, instruction in enumerate(kernel.code) if instruction.kind == "BSSY"
    }
    for position, instruction in enumerate(kernel.code):
        if instruction.kind in ("BRX", "JMX", "JMP"):
            raise Unreadable(f"{kernel.name}: {instruction}")
        own_code = instruction.kind == "CALL" and "$__internal" in instruction.operands[-1]
        if instruction.kind == "BRA" or (instruction.kind == "CALL" and not own_code):
            ways = [target_of(instruction)]
        elif instruction.kind in ("EXIT", "RET"):
            ways = [end]
        elif instruction.kind == "BSYNC":
            ways = [meets_at(kernel, position, barriers)]
        else:
            ways = [position + 1]
        conditional = (instruction.predicate or instruction.tests_operand
                       or instruction.opcode.startswith(PARTIAL_BRANCHES))
        if ways != [position + 1] and conditional:
            ways.append(position + 1)
        kernel.after.append(ways)


def read_kernels(text: str) -> dict[str, Kernel]:
    """The kernels of what `nvdisasm -c` printed, by name."""
    kernels: dict[str, Kernel] = {}
    kernel = None
    for line in text.splitlines():
        line = line.strip()
        if begin := re.match(r"\.text\.([\w$]+):", line):
            kernel = kernels[begin[1]] = Kernel(begin[1])
        elif kernel is None or line.startswith(".text"):
            continue
        elif label := LABEL.match(line):
            kernel.labels[label[1]] = len(kernel.code)
        elif parsed := INSTRUCTION.match(line):
            address, predicate, opcode, operands = parsed.groups()
            kernel.code.append(
                Instruction(address, predicate or "", opcode, split_operands(operands)))
        elif line.startswith(".section"):
            kernel = None
        elif line.startswith("/*"):
            raise Unreadable(line)
    for kernel in kernels.values():
        follow(kernel)
    return kernels
