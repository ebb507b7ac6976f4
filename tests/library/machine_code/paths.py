"""Which events can follow each other on the paths through a kernel.

A path is followed with what is known of the predicates on it, so that what one branch has decided
holds at the next one that asks the same. What else a program knows, values in registers, is not
looked at: some paths exist here alone, and a specification allows for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sass_reader import Instruction, Kernel

PREDICATE = re.compile(r"U?P\d")
START = END = ""


class State(NamedTuple):
    """At a position, with predicates that are known: "P0" to be true, "!P0" to be false."""

    position: int
    known: frozenset[str]


def negated(predicate: str) -> str:
    """The other value."""
    return predicate[1:] if predicate.startswith("!") else "!" + predicate


def learn(instruction: Instruction, known: frozenset[str]) -> frozenset[str]:
    """What is known behind an instruction that was executed."""
    if instruction.kind in ("R2P", "R2UP"):
        return frozenset()
    if not known or instruction.kind == "BRA":
        written: list[str] = []
    else:
        written = [operand for operand in instruction.operands[:2] if PREDICATE.fullmatch(operand)]
    if not written and instruction.kind != "PLOP3":
        return known
    known = frozenset(p for p in known if p.lstrip("!") not in written)
    # PLOP3 of nothing but PT is how a predicate is set to a constant: entry 7 of its table.
    first, *inputs = instruction.operands
    if instruction.opcode == "PLOP3.LUT" and inputs[:4] == ["PT"] * 4:
        known |= {first if int(inputs[4], 16) >> 7 & 1 else negated(first)}
    return known


def steps(kernel: Kernel, state: State) -> Iterator[tuple[bool, State]]:
    """Where a state leads to, and whether the instruction there was executed on the way."""
    instruction = kernel.code[state.position]
    ways = kernel.after[state.position]
    guard = instruction.predicate
    if not guard or guard not in (*state.known, *map(negated, state.known)):
        worlds = [(True, guard), (False, negated(guard))] if guard else [(True, "")]
    else:
        worlds = [(guard in state.known, "")]
    for executed, news in worlds:
        known = state.known | {news} if news else state.known
        if not executed:
            yield False, State(state.position + 1, known)
            continue
        known = learn(instruction, known)
        taken = guard and len(ways) == 2 and not instruction.tests_operand
        onwards = ways[:1] if taken else ways
        for position in onwards:
            yield True, State(position, known)


def successions(kernel: Kernel, events: list[str]) -> set[tuple[str, str]]:
    """All pairs of events of which the second can come next after the first; START comes before the
    first of a kernel, and END after the last."""
    pairs: set[tuple[str, str]] = set()
    begin = State(0, frozenset())
    queue = [(START, begin)]
    seen = set(queue)
    while queue:
        last, state = queue.pop()
        if state.position == len(kernel.code):
            pairs.add((last, END))
            continue
        event = events[state.position]
        for executed, then in steps(kernel, state):
            if executed and event:
                pairs.add((last, event))
            item = (event if executed and event else last, then)
            if item not in seen:
                seen.add(item)
                queue.append(item)
    return pairs


def way_past(kernel: Kernel, events: list[str], first: str, fences: set[str],
             last: str) -> tuple[str, str] | None:
    """The addresses of a `first` and a `last` event between which some path has none of `fences`;
    START and END may be given. None where there is no such path."""
    origins = [(position, kernel.code[position].address)
               for position, event in enumerate(events) if event and event == first]
    queue: list[tuple[str, State]] = []
    if first == START:
        queue.append((START, State(0, frozenset())))
    for position, address in origins:
        queue += [(address, then) for executed, then in steps(kernel, State(position, frozenset()))
                  if executed]
    seen = {state for _, state in queue}
    while queue:
        origin, state = queue.pop()
        if state.position == len(kernel.code):
            if last == END:
                return origin, END
            continue
        event = events[state.position]
        for executed, then in steps(kernel, state):
            if executed and event and event == last:
                return origin, kernel.code[state.position].address
            if not (executed and event in fences) and then not in seen:
                seen.add(then)
                queue.append((origin, then))
    return None
