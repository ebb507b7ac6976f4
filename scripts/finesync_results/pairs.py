"""ASPLOS'19's pairs of a program and an input: who competes, by the roles of the catalogue, and who
is how many times as fast as whom."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import collisions
from .catalogue import contenders
from .loading import Results
from .points import Points, Spread, of, select, with_columns
from .workload import workloads

# Roles: what the paper printed, what competes with that, and all that a practitioner may take.
PRINTED = ("printed",)
LOCKS = ("printed", "lock")
PRINTED_SERVER, SERVER = ("printed_server",), ("server",)
SERVERS = (*PRINTED_SERVER, *SERVER)
OURS = ("lock", "server", "other")
COMPETITORS = {"the paper's servers": PRINTED_SERVER, "our servers": SERVER,
               "our best of any kind": OURS}

NOT_RECORDED, NO_VERSION = "not recorded", "no such version"


@dataclass(frozen=True, eq=False)
class Pair:
    """A program and an input, with their points: none where nothing of it was recorded."""

    name: str
    printed: str
    roles: Mapping[str, str]
    points: Points
    gpu: Mapping[str, Any]

    @property
    def plain(self) -> Points:
        """Those whose sections are as the program has them."""
        return select(self.points, **{collisions.SIZE_OF_SECTION: 0})

    def of(self, *roles: str) -> Points | str:
        """The points of all with these roles, or a word for why there are none."""
        names = [name for name, role in self.roles.items() if role in roles]
        if not names:
            return NO_VERSION
        return NOT_RECORDED if self.points.empty else of(self.plain, *names)

    def baselines(self) -> dict[str, Points]:
        """The points of each baseline, by its name; it is the best of them."""
        printed = of(self.plain, *(name for name, role in self.roles.items() if role in PRINTED))
        locks = of(self.plain, *(name for name, role in self.roles.items() if role in LOCKS))
        return {f"{self.printed} at full occupancy":
                collisions.at_full_occupancy(printed, dict(self.gpu)),
                f"{self.printed} at its best grid": printed, "the best lock": locks}


def of_program(program: str, results: Results | None, all_inputs: bool = True) -> list[Pair]:
    """The pairs of a program in the order of their inputs, or those of figure 7 alone."""
    workload = workloads()[program]
    if workload.pairs is None:
        return []
    own = workload.pairs
    roles = {entry["name"]: entry["role"]
             for entry in contenders(program, workload.families, workload.without)}
    points = Points(columns=["primitive", "ok", "ended"]) if results is None \
        else own.points(results)
    points = with_columns(points, "collision_factor", collisions.SIZE_OF_SECTION,
                          "lock_transfer_cycles")
    inputs = {**own.inputs, **(own.table_4_inputs if all_inputs else {})}
    ordered = sorted(inputs, key=lambda name: tuple(inputs[name].values()))
    return [Pair(f"{own.name}-{name}", own.printed, roles,
                 points if results is None else select(points, **inputs[name]),
                 {} if results is None else results.gpu) for name in ordered]


def pairs_of(all_results: Iterable[Results], kind: str = "gpu",
             all_inputs: bool = False) -> list[Pair]:
    """Those of all programs that have any, recorded or not."""
    recorded: dict[str, Results] = {}
    for results in all_results:
        if results.workload and results.kind == kind:
            recorded.setdefault(results.workload.program, results)
    return [pair for program in workloads()
            for pair in of_program(program, recorded.get(program), all_inputs)]


def speedup(pair: Pair, who: tuple[str, ...], baseline: tuple[str, ...]) -> Spread | str:
    """How many times as fast the best of some roles is as the best of others, each at its best
    grid; or a word for why there is no such number."""
    own, base = pair.of(*who), pair.of(*baseline)
    if isinstance(own, str) or isinstance(base, str):
        return own if isinstance(own, str) else str(base)
    found = collisions.ratio(own, base)
    return found if isinstance(found, Spread) or collisions.best(own) is None else f"locks {found}"


def mean(found: Iterable[Spread | str]) -> tuple[float, int]:
    """The geometric mean of the numbers among these, 0 for none, and how many there are."""
    logarithms = [math.log(one.median) for one in found if isinstance(one, Spread)]
    if not logarithms:
        return 0.0, 0
    return math.exp(sum(logarithms) / len(logarithms)), len(logarithms)
