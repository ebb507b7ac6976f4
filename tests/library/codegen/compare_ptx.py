#!/usr/bin/env python3
"""Checks that kernels written with finesync are compiled to what their hand-written counterparts are.

usage: compare_ptx.py [--slack KERNEL=N]... FINESYNC.ptx BY_HAND.ptx

Both files must hold the same kernels. For each of them:
- Both can perform the same sequences of memory accesses, fences, sleeps and clock reads, with the
  same orders, scopes and widths, on every path through the kernel. Where the code lies, which
  registers it uses and how often a loop was unrolled makes no difference.
- One round of a loop takes finesync at most SLACK instructions more between these accesses, or as
  many more as --slack allows the kernels of a pattern ("anderson_*=12").
- Nothing lies in local memory, and nothing is called.

Prints one paragraph per difference; exit status 1 when there is one, 2 for PTX it cannot read.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ptx_paths import Paths, State
from ptx_reader import Unreadable, kernel_bodies, read_kernel

SLACK = 6


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
        ways, theirs_by_event = ways_on(ours, place[0]), ways_on(theirs, place[1])
        if ways.keys() != theirs_by_event.keys():
            raise Difference(
                f"after {', '.join(after) or 'the start'}\n"
                f"finesync has {', '.join(sorted(ways))}\n"
                f"by hand has  {', '.join(sorted(theirs_by_event))}"
            )
        edges.append([])
        for event, way in ways.items():
            then = (way.then, theirs_by_event[event].then)
            if then not in numbers:
                numbers[then] = len(numbers)
                history.append((*after, event))
                queue.append(then)
            edges[-1].append(
                Edge(event, numbers[then], way.instructions, theirs_by_event[event].instructions)
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


@cache  # for its tests, which change one kernel of many
def compare_kernels(name: str, ours: str, theirs: str, slack: int) -> list[str]:
    """What is wrong with a kernel, by the bodies of both."""
    kernel = read_kernel(name, ours)
    if kernel.complaints:
        return kernel.complaints
    try:
        edges = loops(places(Paths(kernel), Paths(read_kernel(name, theirs))))
    except Difference as difference:
        return [str(difference)]
    longest = max(
        rounds(edges), key=lambda path: sum(edge.ours - edge.theirs for edge in path), default=[]
    )
    instructions, by_hand = sum(edge.ours for edge in longest), sum(edge.theirs for edge in longest)
    if instructions <= by_hand + slack:
        return []
    return [
        f"{instructions} instructions between the accesses of a loop, {by_hand} by hand, "
        f"and {slack} more are allowed: " + ", ".join(edge.event for edge in longest)
    ]


def compare(ours: str, theirs: str, slack_of: dict[str, int]) -> tuple[int, list[str]]:
    """The number of kernels compared, and the differences found."""
    our_kernels, their_kernels = kernel_bodies(ours), kernel_bodies(theirs)
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
        slack = max([SLACK, *(n for p, n in slack_of.items() if fnmatchcase(name, p))])
        complaints = compare_kernels(name, our_kernels[name], their_kernels[name], slack)
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
