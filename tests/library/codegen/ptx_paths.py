"""Follows the paths through a kernel: which accesses to memory can follow which."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, Union

from ptx_reader import Instruction, Kernel, Unreadable

WITHOUT_RESULT = ("st", "red", "bra", "ret", "exit", "fence", "membar", "nanosleep", "trap")

# What is known of a register: its value; a value it does not have; or, of a predicate, the
# comparison that it is the result of. It is what tells that one condition tested twice comes out
# the same twice, and which flags are set on a path.


class Not(NamedTuple):
    value: int


class Comparison(NamedTuple):
    equal: bool
    register: str
    value: int


Knowledge = Union[int, Not, Comparison]
Known = frozenset[tuple[str, Knowledge]]  # by register, of one point of a path


def literal(operand: str) -> int | None:
    return int(operand, 0) if re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|\d+)", operand) else None


class State(NamedTuple):
    """Where a path through a kernel has come to."""

    position: int
    known: Known


def value_of(known: dict[str, Knowledge], operand: str) -> int | None:
    number = literal(operand)
    if number is not None:
        return number
    knowledge = known.get(operand)
    if isinstance(knowledge, Comparison):
        of = known.get(knowledge.register)
        if isinstance(of, int):
            return int((of == knowledge.value) == knowledge.equal)
        if of == Not(knowledge.value):
            return int(not knowledge.equal)
    return knowledge if isinstance(knowledge, int) else None


def assume(known: dict[str, Knowledge], predicate: str, value: int) -> dict[str, Knowledge]:
    knowledge = known.get(predicate)
    more = {**known, predicate: value}
    if isinstance(knowledge, Comparison):
        equal = knowledge.equal == bool(value)
        more[knowledge.register] = knowledge.value if equal else Not(knowledge.value)
    return more


def result_of(known: dict[str, Knowledge], instruction: Instruction) -> Knowledge | None:
    kind, *modifiers = instruction.opcode.split(".")
    sources = instruction.operands[1:]
    values = [value_of(known, source) for source in sources]
    if kind in ("mov", "cvt") and len(sources) == 1:
        return known.get(sources[0]) if values[0] is None and kind == "mov" else values[0]
    if kind == "selp" and values[2] is not None:
        return values[0] if values[2] else values[1]
    if kind == "setp" and modifiers[0] in ("eq", "ne") and len(sources) == 2:
        equal = modifiers[0] == "eq"
        if values[1] is None:
            return None
        if values[0] is not None:
            return int((values[0] == values[1]) == equal)
        if known.get(sources[0]) == Not(values[1]):
            return int(not equal)
        return Comparison(equal, sources[0], values[1])
    if kind in ("and", "or", "xor") and None not in values:
        left, right = values
        return {"and": left & right, "or": left | right, "xor": left ^ right}[kind]
    if kind == "not" and modifiers == ["pred"] and values[0] is not None:
        return int(not values[0])
    return None


def execute(known: dict[str, Knowledge], instruction: Instruction) -> dict[str, Knowledge]:
    if instruction.opcode.split(".")[0] in WITHOUT_RESULT or not instruction.operands:
        return known
    result = result_of(known, instruction)
    if instruction.opcode == "mov.pred" and isinstance(result, int):
        result = int(result != 0)
    for register in re.findall(r"%\w+|\b\w+\b", instruction.operands[0]):
        known = {
            name: knowledge
            for name, knowledge in known.items()
            if name != register
            and not (isinstance(knowledge, Comparison) and knowledge.register == register)
        }
        if result is not None:
            known[register] = result
    return known


REGISTER = re.compile(r"%[\w.]+|\b[a-z]\w*\b")


def read_later(kernel: Kernel) -> list[set[str]]:
    """By position, what may be read from there on before it is written."""
    code = kernel.code
    live: list[set[str]] = [set() for _ in range(len(code) + 1)]
    changed = True
    while changed:
        changed = False
        for position in reversed(range(len(code))):
            instruction = code[position]
            kind = instruction.opcode.split(".")[0]
            has_result = kind not in WITHOUT_RESULT
            reads = set(REGISTER.findall(" ".join(instruction.operands[has_result:])))
            writes = set(REGISTER.findall(instruction.operands[0])) if has_result else set()
            after: set[str] = set()
            if kind == "bra":
                after |= live[kernel.labels[instruction.operands[0]]]
            if kind not in ("bra", "ret", "exit", "trap") or instruction.guard:
                after |= live[position + 1]
            if instruction.guard:
                reads, writes = reads | {instruction.guard}, set()
            now = reads | (after - writes)
            if now != live[position]:
                live[position] = now
                changed = True
    return live


class Step(NamedTuple):
    """From a state to the next event: which, where the path then is, and after how many others."""

    event: str
    then: State
    instructions: int


class Paths:
    """All paths through one kernel, as steps from event to event."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.read_later = read_later(kernel)
        self.start = State(0, frozenset())
        self.found: dict[State, list[Step]] = {}
        self.under_way: set[State] = set()

    def state(self, position: int, known: dict[str, Knowledge]) -> State:
        """With what is known of registers that are still read: of others it would only keep paths
        apart."""
        read = self.read_later[position]
        compared = {k.register for name, k in known.items()
                    if name in read and isinstance(k, Comparison)}
        return State(position, frozenset((name, k) for name, k in known.items()
                                         if name in read or name in compared))

    def steps(self, state: State) -> list[Step]:
        """Of the ways to the same event and state, the longest."""
        if state in self.found:
            return self.found[state]
        if state in self.under_way:
            raise Unreadable(f"{self.kernel.name}: a loop without memory access")
        self.under_way.add(state)
        longest: dict[tuple[str, State], int] = {}
        for step in self.first_steps(state):
            key = (step.event, step.then)
            longest[key] = max(longest.get(key, 0), step.instructions)
        self.under_way.remove(state)
        self.found[state] = [Step(event, then, n) for (event, then), n in longest.items()]
        return self.found[state]

    def first_steps(self, state: State) -> Iterator[Step]:
        if state.position == len(self.kernel.code):
            raise Unreadable(f"{self.kernel.name}: runs over its end")
        instruction = self.kernel.code[state.position]
        kind = instruction.opcode.split(".")[0]
        after = state.position + 1
        for known, runs in self.forks(dict(state.known), instruction):
            if not runs:
                yield from self.one_more(self.state(after, known))
            elif kind == "bra":
                target = self.kernel.labels[instruction.operands[0]]
                yield from self.one_more(self.state(target, known))
            elif kind in ("ret", "exit", "trap"):
                yield Step(kind, State(-1, frozenset()), 0)
            else:
                then = self.state(after, execute(known, instruction))
                if instruction.event:
                    yield Step(instruction.event, then, 0)
                else:
                    yield from self.one_more(then)

    def forks(
        self, known: dict[str, Knowledge], instruction: Instruction
    ) -> Iterator[tuple[dict[str, Knowledge], bool]]:
        """What is known where an unknown condition decides, and whether the instruction runs."""
        condition = instruction.guard
        if not condition and instruction.opcode.startswith("selp"):
            _, one, other, decides = instruction.operands
            if literal(one) is not None and literal(other) is not None:
                condition = decides
        if not condition:
            yield known, True
            return
        value = value_of(known, condition)
        for possible in (0, 1) if value is None else (value,):
            runs = not instruction.guard or possible == instruction.guard_value
            yield assume(known, condition, possible), runs

    def one_more(self, state: State) -> Iterator[Step]:
        for event, then, instructions in self.steps(state):
            yield Step(event, then, instructions + 1)
