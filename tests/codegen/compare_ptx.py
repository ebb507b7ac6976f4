#!/usr/bin/python3
"""Checks that kernels written with finesync are compiled to what their hand-written twins are.

usage: compare_ptx.py [--slack KERNEL=N]... FINESYNC.ptx BY_HAND.ptx

Both files must hold the same kernels. For each of them:
- Both can perform the same sequences of memory accesses, fences, sleeps and clock reads, with the
  same orders, scopes and widths, on every path through the kernel. Where the code lies, which
  registers it uses and how often a loop was unrolled makes no difference.
- One round of a loop takes finesync at most SLACK instructions more between these accesses, or as
  many more as --slack allows the kernels of a pattern ("ring_*=12").
- Nothing lies in local memory, and nothing is called.

Prints one paragraph per difference; exit status 1 when there is one, 2 for PTX it cannot read.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple, Union

SLACK = 6

ORDERS = ("weak", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio")
SCOPES = ("cta", "cluster", "gpu", "sys")
# PTX ISA, "membar": on sm_70 and later a synonym.
MEMBAR = {"membar.cta": "fence.sc.cta", "membar.gl": "fence.sc.gpu", "membar.sys": "fence.sc.sys"}
WARP_AND_BLOCK = ("bar", "barrier", "vote", "match", "shfl", "activemask")
WITHOUT_RESULT = ("st", "red", "bra", "ret", "exit", "fence", "membar", "nanosleep", "trap")


class Unreadable(Exception):
    pass


# ---- Reading PTX


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


def read_kernels(text: str) -> dict[str, Kernel]:
    text = re.sub(r"//[^\n]*", "", text)
    kernels = {}
    for entry in re.finditer(r"\.entry\s+(\w+)\s*\([^)]*\)[^{]*\{", text):
        depth, end = 1, entry.end()
        while depth:
            if end == len(text):
                raise Unreadable(f"{entry[1]}: no end")
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        kernel = Kernel(entry[1])
        parse_body(kernel, text[entry.end() : end - 1])
        sort_weak_accesses(kernel)
        kernels[kernel.name] = kernel
    return kernels


# ---- Which accesses can follow which

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


class Step(NamedTuple):
    """From a state to the next event: which, where the path then is, and after how many others."""

    event: str
    then: State
    instructions: int


class Paths:
    """All paths through one kernel, as steps from event to event."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.start = State(0, frozenset())
        self.found: dict[State, list[Step]] = {}
        self.under_way: set[State] = set()

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
                yield from self.one_more(State(after, frozenset(known.items())))
            elif kind == "bra":
                target = self.kernel.labels[instruction.operands[0]]
                yield from self.one_more(State(target, frozenset(known.items())))
            elif kind in ("ret", "exit", "trap"):
                yield Step(kind, State(-1, frozenset()), 0)
            else:
                then = State(after, frozenset(execute(known, instruction).items()))
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


# ---- Comparing


class Ways(NamedTuple):
    """All ways on by one event, from any of a set of states."""

    then: frozenset[State]
    instructions: int  # on the longest


def ways_on(paths: Paths, states: frozenset[State]) -> dict[str, Ways]:
    ways: dict[str, Ways] = {}
    for state in states:
        for event, then, count in paths.steps(state) if state.position >= 0 else ():
            so_far = ways.get(event, Ways(frozenset(), 0))
            ways[event] = Ways(so_far.then | {then}, max(so_far.instructions, count))
    return ways


Place = tuple[frozenset[State], frozenset[State]]  # in both kernels, after the same events


class Edge(NamedTuple):
    event: str
    then: int
    ours: int  # instructions before the event
    theirs: int


class Difference(Exception):
    pass


def places(ours: Paths, theirs: Paths) -> list[list[Edge]]:
    """By place, in the order of their discovery, the ways on that both kernels have."""
    start = (frozenset({ours.start}), frozenset({theirs.start}))
    numbers = {start: 0}
    history: list[tuple[str, ...]] = [()]
    edges: list[list[Edge]] = []
    queue = deque([start])
    while queue:
        place = queue.popleft()
        after = history[numbers[place]]
        ways, twins = ways_on(ours, place[0]), ways_on(theirs, place[1])
        if ways.keys() != twins.keys():
            raise Difference(
                f"after {', '.join(after) or 'the start'}\n"
                f"finesync has {', '.join(sorted(ways))}\n"
                f"by hand has  {', '.join(sorted(twins))}"
            )
        edges.append([])
        for event, way in ways.items():
            then = (way.then, twins[event].then)
            if then not in numbers:
                numbers[then] = len(numbers)
                history.append((*after, event))
                queue.append(then)
            edges[-1].append(
                Edge(event, numbers[then], way.instructions, twins[event].instructions)
            )
    return edges


def reachable(edges: list[list[Edge]], place: int) -> set[int]:
    found = {place}
    queue = [place]
    while queue:
        new = {edge.then for edge in edges[queue.pop()]} - found
        found |= new
        queue += new
    return found


def loops(edges: list[list[Edge]]) -> list[dict[str, Edge]]:
    """The ways that are part of a loop, between places that differ in what can happen after them.

    What sets places of the same future apart, a flag that is not looked at any more or a copy of
    the code, makes no difference; of their ways by the same event the longest counts.
    """
    group = [0] * len(edges)
    while True:
        futures = [
            (group[place], frozenset((edge.event, group[edge.then]) for edge in ways))
            for place, ways in enumerate(edges)
        ]
        names = {future: name for name, future in enumerate(dict.fromkeys(futures))}
        if len(names) == len(set(group)):
            break
        group = [names[future] for future in futures]
    merged: list[dict[str, Edge]] = [{} for _ in names]
    onwards = [reachable(edges, place) for place in range(len(edges))]
    for place, ways in enumerate(edges):
        for edge in (edge for edge in ways if place in onwards[edge.then]):
            same = merged[group[place]]
            known = same.get(edge.event, edge)
            same[edge.event] = Edge(
                edge.event,
                group[edge.then],
                max(edge.ours, known.ours),
                max(edge.theirs, known.theirs),
            )
    return merged


def rounds(edges: list[dict[str, Edge]]) -> Iterator[list[Edge]]:
    """Every way round a loop that passes no place twice, once."""

    def onwards(first: int, place: int, path: list[Edge], passed: set[int]) -> Iterator[list[Edge]]:
        for edge in edges[place].values():
            if edge.then == first:
                yield [*path, edge]
            elif edge.then > first and edge.then not in passed:
                yield from onwards(first, edge.then, [*path, edge], passed | {edge.then})

    for first in range(len(edges)):
        yield from onwards(first, first, [], {first})


def compare_kernels(ours: Kernel, theirs: Kernel, slack: int) -> list[str]:
    try:
        edges = loops(places(Paths(ours), Paths(theirs)))
    except Difference as difference:
        return [str(difference)]
    longest = max(
        rounds(edges), key=lambda path: sum(edge.ours - edge.theirs for edge in path), default=[]
    )
    instructions, twin = sum(edge.ours for edge in longest), sum(edge.theirs for edge in longest)
    if instructions <= twin + slack:
        return []
    return [
        f"{instructions} instructions between the accesses of a loop, {twin} by hand, "
        f"and {slack} more are allowed: " + ", ".join(edge.event for edge in longest)
    ]


def compare(ours: str, theirs: str, slack_of: dict[str, int]) -> tuple[int, list[str]]:
    """The number of kernels compared, and the differences found."""
    our_kernels, their_kernels = read_kernels(ours), read_kernels(theirs)
    if not our_kernels:
        raise Unreadable("there is no kernel")
    found = [
        f"{name}: only one of the files has it"
        for name in sorted(our_kernels.keys() ^ their_kernels.keys())
    ]
    found += [
        f"{pattern}: --slack is for no kernel"
        for pattern in slack_of
        if not any(fnmatchcase(name, pattern) for name in our_kernels)
    ]
    for name in sorted(our_kernels.keys() & their_kernels.keys()):
        kernel = our_kernels[name]
        slack = max([SLACK, *(n for p, n in slack_of.items() if fnmatchcase(name, p))])
        complaints = kernel.complaints or compare_kernels(kernel, their_kernels[name], slack)
        found += [f"{name}: {complaint}" for complaint in complaints]
    return len(our_kernels), found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("ours", type=Path)
    parser.add_argument("theirs", type=Path)
    parser.add_argument("--slack", action="append", default=[])
    options = parser.parse_args(arguments)
    slack_of = {pattern: int(n) for pattern, n in (text.split("=") for text in options.slack)}
    try:
        kernels, found = compare(options.ours.read_text(), options.theirs.read_text(), slack_of)
    except Unreadable as trouble:
        print(f"cannot read {options.ours} or {options.theirs}: {trouble}", file=sys.stderr)
        return 2
    print("\n\n".join(found) or f"{kernels} kernels are as written by hand")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
