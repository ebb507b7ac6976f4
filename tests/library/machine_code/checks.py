"""What can be wrong with a kernel's machine code. Each check returns complaints."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from heapq import heappop, heappush

from events import event_of, events_of, width_of
from expected import Expected
from paths import END, START, successions, way_past
from sass_reader import PARTIAL_BRANCHES, Instruction, Kernel
from specification import Specification, expand

STRONGER = {"membar.all.cta": {"membar.sc.cta", "membar.all.gpu", "membar.sc.gpu"},
            "membar.all.gpu": {"membar.sc.gpu", "membar.all.sys", "membar.sc.sys"},
            "membar.all.sys": {"membar.sc.sys"}}

# Instructions of a round more than by hand. A lock is a try and a wait in a loop of the library; the
# compiler keeps state between them in flags, which a loop written for one lock does not need.
SLACK = 6
SLACK_OF = {"backoff_device": 15, "watched": 20}  # it sleeps in each round; of a watchdog's check


def too_few(events: list[str], least: Counter[str]) -> Iterator[str]:
    """Events that occur less often than the source says."""
    there = Counter(events)
    for event, count in least.items():
        if there[event] < count:
            yield f"{there[event]} x {event} where there must be {count}"


def wrong_order(kernel: Kernel, expected: Expected, architecture: int) -> Iterator[str]:
    """Accesses and fences that are not those of `whole`, or not in its order."""
    specification = Specification(expected.whole or "", expected.scope, architecture)
    events = events_of(kernel)
    if not specification.weak:
        events = ["" if event.startswith(("read", "write")) else event for event in events]
    yield from too_few(events, specification.least)
    yield from (f"no {event}" for event in sorted(specification.events - set(events)))
    for before, after in sorted(successions(kernel, events) - specification.pairs):
        yield f"{after or 'the end'} right behind {before or 'the begin'}"


def missing_between(kernel: Kernel, expected: Expected, architecture: int) -> Iterator[str]:
    """Rules of `between` that some path breaks."""
    events = events_of(kernel)

    def named(word: str) -> list[str]:
        if word in ("begin", "end", "watchdog"):
            return [{"begin": START, "end": END}.get(word, word)]
        return expand(word, expected.scope, architecture)

    for rule in expected.between:
        first, fence, last = (part.strip() for part in rule.split(","))
        if not named(first) or not named(last):
            continue  # this architecture has no instruction for it
        begin, end = named(first)[-1], named(last)[-1]
        strict, *others = fence.split(" or ")
        allowed = {event for word in others for event in named(word)}
        for event in {*named(strict), begin, end} - {START, END} - set(events):
            yield f"{rule}: no {event}"
        for event in named(strict):
            fences = {event, *STRONGER.get(event, ()), *allowed}
            if way := way_past(kernel, events, begin, fences, end):
                yield (f"{rule}: a path from {way[0] or 'the begin'} to {way[1] or 'the end'}"
                       f" has no {event}")


def other_accesses(kernel: Kernel, expected: Expected, architecture: int) -> Iterator[str]:
    """Accesses and fences that `accesses` does not name, named ones that are not there, and fewer
    than `at_least` says."""
    yield from too_few(events_of(kernel), Counter(
        event for word in expected.at_least.split()
        for event in expand(word, expected.scope, architecture)))
    if not expected.accesses:
        return
    named = {event for word in expected.accesses.split()
             for event in expand(word, expected.scope, architecture)}
    events = {event for event in events_of(kernel)
              if event and event != "watchdog" and not event.startswith(("read", "write"))}
    yield from (f"no {event}" for event in sorted(named - events))
    yield from (f"{event} is not expected" for event in sorted(events - named))


def local_memory(kernel: Kernel) -> Iterator[str]:
    """Registers or variables that were put into local memory: in the loop of a waiter each poll
    would pay for it."""
    for instruction in kernel.code:
        if instruction.kind in ("LDL", "STL"):
            yield f"local memory: {instruction}"


def slow_polls(kernel: Kernel) -> Iterator[str]:
    """Polls in a row with more than one branch from each to the next. A branch that only a warp with
    diverged lanes takes does not count. The last poll of a row is followed by the watchdog."""
    events = events_of(kernel)
    polls = {position for position, event in enumerate(events)
             if event.startswith("ld") and event.endswith(".gpu")}
    branches = {poll: count for poll in polls
                if (count := branches_to_next(kernel, poll, polls)) is not None}
    if not branches:
        yield "no poll in a loop"
    slow = [poll for poll, count in branches.items() if count > 1]
    if 8 * len(slow) > len(branches):
        where = kernel.code[min(slow)]
        yield f"{len(slow)} of {len(branches)} polls have several branches to the next, first {where}"


def long_polls(kernel: Kernel, most: int) -> Iterator[str]:
    """Polls with more than `most` instructions from one to the next: a load, a comparison, a branch, the
    count of polls, and what belongs to them. The last poll of a row does not count."""
    events = events_of(kernel)
    polls = {position for position, event in enumerate(events)
             if event.startswith("ld") and event.endswith(".gpu")}
    lengths = {poll: length for poll in polls
               if (length := instructions_to_next(kernel, poll, polls)) is not None}
    long = [poll for poll, length in lengths.items() if length > most]
    if 8 * len(long) > len(lengths):
        where = kernel.code[min(long)]
        yield f"{len(long)} of {len(lengths)} polls are long, first {lengths[min(long)]} from {where}"


def early_polls(kernel: Kernel) -> Iterator[str]:
    """Additions after which some way leads to a poll before an instruction that needs the result. Polls
    then hold up arrivals that are under way, the own one too."""
    events = events_of(kernel)
    for start, addition in enumerate(kernel.code):
        if not re.match(r"add\d+\.gpu", events[start]):
            continue
        result = addition.operands[1] if addition.kind.startswith("ATOM") else ""
        queue = [*kernel.after[start]]
        seen = {len(kernel.code)}
        while queue:
            position = queue.pop()
            if position in seen:
                continue
            seen.add(position)
            instruction = kernel.code[position]
            if events[position].startswith("ld"):
                yield f"a poll before the own addition is done: {addition}; {instruction}"
            elif not any(result in instruction.registers(operand)
                         for operand in range(1, len(instruction.operands))):
                queue += kernel.after[position]


def rounds(kernel: Kernel) -> dict[str, int]:
    """By access of a waiting thread, the instructions from one on the shortest way to the next of the
    same kind; the most, where the compiler has made copies of it."""
    events = events_of(kernel)
    longest: dict[str, int] = {}
    for event in {event for event in events if event.startswith(("ld", "cas"))}:
        same = {position for position, other in enumerate(events) if other == event}
        lengths = [instructions_to_next(kernel, position, same) for position in same]
        longest[event] = max((length for length in lengths if length is not None), default=0)
    return longest


def longer_rounds(kernel: Kernel, by_hand: Kernel) -> Iterator[str]:
    """Loops of more instructions than those of a kernel that does the same and was written by hand,
    without a watchdog."""
    others = rounds(by_hand)
    slack = SLACK_OF.get(kernel.name.partition("_")[2], SLACK_OF.get(kernel.name, SLACK))
    for event, length in sorted(rounds(kernel).items()):
        if length > others.get(event, 0) + slack:
            yield f"{length} instructions from {event} to {event}, {others.get(event)} by hand"


def instructions_to_next(kernel: Kernel, start: int, polls: set[int]) -> int | None:
    """The fewest instructions from a poll to the next; None if there is no way."""
    queue = deque((way, 1) for way in kernel.after[start])
    seen: set[int] = set()
    while queue:
        position, length = queue.popleft()
        if position in polls:
            return length
        if position not in seen and position < len(kernel.code):
            seen.add(position)
            queue.extend((way, length + 1) for way in kernel.after[position])
    return None


def branches_to_next(kernel: Kernel, start: int, polls: set[int]) -> int | None:
    """The fewest branches on a way from a poll to the next; None if there is no way."""
    def cost(position: int) -> int:
        instruction = kernel.code[position]
        return instruction.kind == "BRA" and not instruction.opcode.startswith(PARTIAL_BRANCHES)

    queue = [(cost(start), way) for way in kernel.after[start]]
    seen: set[int] = set()
    while queue:
        count, position = heappop(queue)
        if position in polls:
            return count
        if position in seen or position >= len(kernel.code):
            continue
        seen.add(position)
        for way in kernel.after[position]:
            heappush(queue, (count + cost(position), way))
    return None


def address_of(instruction: Instruction) -> tuple[str, int]:
    """The registers and the offset of a memory access."""
    operand = next(o for o in instruction.operands if "[" in o)
    inside = operand[operand.rindex("[") + 1:operand.rindex("]")]
    offset = re.search(r"\+?(-?0x[0-9a-f]+)$", inside)
    base = inside[:offset.start()] if offset else inside
    return base.rstrip("+"), int(offset[1], 16) if offset else 0


def splits(kernel: Kernel) -> Iterator[str]:
    """Neighbouring words of one message that are read one after the other: what the compiler makes
    of a load of 128 bits of which it thinks that a part is not needed."""
    starts = kernel.starts_block()
    block: list[Instruction] = []
    for position, instruction in enumerate(kernel.code):
        if position in starts:
            block = []
        if event_of(instruction).startswith("ld"):
            base, offset = address_of(instruction)
            for other in block:
                other_base, other_offset = address_of(other)
                if (base == other_base and instruction.predicate == other.predicate
                        and offset // 16 == other_offset // 16 and offset != other_offset):
                    yield f"a message in two parts: {other}; {instruction}"
            block.append(instruction)
        written = instruction.operands[0] if instruction.operands else ""
        wide = [f"R{int(written[1:]) + i}" for i in range(width_of(instruction.opcode) // 32)] \
            if re.fullmatch(r"R\d+", written) else []
        block = [other for other in block
                 if not {re.sub(r"\..*", "", address_of(other)[0])} & set(wide)]


def origins(kernel: Kernel, position: int, register: str) -> list[Instruction]:
    """The instructions that made what `register` holds at a position, seen through copies."""
    before: dict[int, list[int]] = {}
    for place, ways in enumerate(kernel.after):
        for way in ways:
            before.setdefault(way, []).append(place)
    found = []
    queue = [(place, register) for place in before.get(position, [])]
    seen = set(queue)
    while queue:
        place, wanted = queue.pop()
        instruction = kernel.code[place]
        news = [(earlier, wanted) for earlier in before.get(place, [])]
        if instruction.operands and instruction.operands[0] == wanted:
            found.append(instruction)
            if not instruction.predicate:
                news = []
            if instruction.opcode.startswith(("MOV", "IMAD.MOV", "SEL")):
                news += [(earlier, source) for operand in range(1, len(instruction.operands))
                         for source in instruction.registers(operand) if source[0] == "R"
                         for earlier in before.get(place, [])]
        for item in news:
            if item not in seen:
                seen.add(item)
                queue.append(item)
    return found


def is_active_mask(instruction: Instruction) -> bool:
    """Whether it asks which lanes are active."""
    return instruction.opcode == "VOTE.ANY" and instruction.operands[1:] == ["PT", "PT"]


def unchecked_masks(kernel: Kernel, architecture: int) -> Iterator[str]:
    """Shuffles and votes under a mask that the compiler takes for the same in all lanes about.

    Before such an instruction the code asks whether all lanes of the mask are there, and no others.
    Of a mask that is the lane's own it asks so in each lane; of one that it takes for uniform, in
    one lane, by a uniform register. sm_75 always asks in each lane.
    """
    if architecture < 80:
        return
    for position, instruction in enumerate(kernel.code):
        if instruction.kind == "R2UR":
            uniform, register = instruction.operands[:2]
            guards = [kernel.code[place] for place in sorted(kernel.reachable(position))
                      if place > position and kernel.code[place].opcode in ("BRA.DIV", "BRA.CONV")
                      and kernel.code[place].operands[0] == uniform][:1]
            if not guards or guards[0].predicate:
                continue
            for origin in origins(kernel, position, register):
                if is_active_mask(origin) or origin.opcode == "MATCH.ANY":
                    yield (f"one lane's mask stands for all: {origin}; {instruction};"
                           f" {guards[0]}")
        if instruction.opcode == "WARPSYNC" and instruction.registers(0):
            for origin in origins(kernel, position, instruction.operands[0]):
                if is_active_mask(origin):
                    yield (f"a wait for whoever happened to be active: {origin};"
                           f" {instruction}")


def fallbacks(kernel: Kernel) -> Iterator[str]:
    """Atomics that are a load and a store where they do not succeed at once. The compiler means it
    for the thread's local memory, and in device memory it is never reached; in the shared memory of
    another block it is."""
    for position, atomic in enumerate(kernel.code):
        if atomic.kind != "ATOM" or width_of(atomic.opcode) != 64:
            continue
        for place in sorted(kernel.reachable(position)):
            load = kernel.code[place]
            if load.kind == "LD" and event_of(load) == "read64" \
                    and address_of(load) == address_of(atomic):
                yield f"not atomic: {atomic}; {load}"
                break


def complaints(kernel: Kernel, expected: Expected, architecture: int) -> Iterator[str]:
    """All that is wrong with a kernel."""
    yield from local_memory(kernel)
    yield from other_accesses(kernel, expected, architecture)
    if not expected.neighbours:
        yield from splits(kernel)
    if expected.in_cluster:
        yield from fallbacks(kernel)
    yield from unchecked_masks(kernel, architecture)
    if expected.polls_after_addition:
        yield from early_polls(kernel)
    if expected.polls:
        yield from slow_polls(kernel)
        yield from long_polls(kernel, expected.poll_length)
    if expected.whole is not None:
        yield from wrong_order(kernel, expected, architecture)
    yield from missing_between(kernel, expected, architecture)
