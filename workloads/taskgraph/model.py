"""A model of a replay: what it takes, from five numbers per schedule and machine.

    us = start + layers * (layer + (waves - 1) * task + waves * KB * kilobyte)
         + layers * length * (waves + sqrt(waves) * stretch if lengths are uneven)

`waves` are the tasks of a block per layer, `KB` the size of an output, `length` the work of a task in
the mean. The sum of `waves` uneven lengths scatters sqrt(waves) times as much as one. The numbers are fitted to recorded points by least squares of the relative error. How good
they are is judged by points that the fit has not seen: each point is left out once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, sqrt

import numpy as np

from finesync.query.points import PointRow, PointTable
from finesync.query.tables import Table, three_digits

NUMBERS = ("start", "layer", "task", "kilobyte", "stretch")
# Two schedules that differ by less are equal.
_DIFFERENT = 1.05
# A number that the points say nothing of is as small.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Replay:
    """A point: its place, what makes its time, and the time in microseconds."""

    place: tuple[object, ...]
    layers: int
    waves: int
    kilobytes: float
    length: float
    uneven: bool
    us: float

    @property
    def work(self) -> float:
        return self.layers * self.waves * self.length

    @property
    def terms(self) -> tuple[float, ...]:
        """What the numbers are multiplied by."""
        return (1.0, self.layers, self.layers * (self.waves - 1), self.layers * self.waves * self.kilobytes,
                self.work / sqrt(self.waves) if self.uneven else 0.0)


def replay_of(point: PointRow) -> Replay:
    """A point that ran."""
    effective = point["effective"]
    tasks, layers = int(point["tasks_per_layer"]), int(point["layers"])
    payload, uneven = int(point["payload_bytes"]), point["lengths"] == "uneven"
    length = effective.get("task_ns", 1000 * int(point["task_us"])) / 1000
    return Replay((layers, tasks, payload, point["task_us"], uneven, point["tbs_per_sm"]), layers,
                  ceil(tasks / effective["blocks"]), payload / 1024, length, uneven, point.time.median * 1e6)


def fitted(replays: Sequence[Replay]) -> np.ndarray:
    """The numbers of a schedule; 0 where the points say nothing of one."""
    terms = np.array([np.array(each.terms) / each.us for each in replays])
    rest = np.array([1 - each.work / each.us for each in replays])
    numbers = np.linalg.lstsq(terms, rest, rcond=None)[0]
    return np.where(np.abs(numbers) < _ROUNDING, 0.0, numbers)


def predicted(numbers: np.ndarray, replay: Replay) -> float:
    """Microseconds."""
    return replay.work + float(numbers @ np.array(replay.terms))


def held_out(replays: Sequence[Replay]) -> list[float]:
    """What is predicted for each point from all others."""
    return [predicted(fitted([*replays[:i], *replays[i + 1:]]), each) for i, each in enumerate(replays)]


def _by_schedule(points: PointTable) -> dict[str, list[Replay]]:
    """Schedules with enough points that one can be left out."""
    found = {name: [replay_of(point) for point in own.ok()] for name, own in points.by_primitive().items()}
    return {name: replays for name, replays in found.items() if len(replays) > len(NUMBERS)}


def winners(schedules: dict[str, list[Replay]]) -> tuple[int, int]:
    """Pairs of schedules that differ at a point, and those whose faster one the model names, both times held out."""
    at: dict[tuple[object, ...], list[tuple[float, float]]] = {}
    for replays in schedules.values():
        for each, us in zip(replays, held_out(replays)):
            at.setdefault(each.place, []).append((each.us, us))
    pairs = [(one, other) for own in at.values() for one, other in combinations(sorted(own), 2)
             if other[0] > _DIFFERENT * one[0]]
    return len(pairs), sum(one[1] < other[1] for one, other in pairs)


def model_tables(points: PointTable) -> list[Table]:
    """The numbers of each schedule, and how far they are from points that they were not fitted to."""
    schedules = _by_schedule(points)
    if not schedules:
        return []
    rows = {}
    for name, replays in schedules.items():
        errors = sorted(abs(us / each.us - 1) for each, us in zip(replays, held_out(replays)))
        rows[name] = [*(three_digits(number) for number in fitted(replays)), str(len(replays)),
                      f"{100 * errors[len(errors) // 2]:.1f}%", f"{100 * errors[-1]:.1f}%"]
    pairs, named = winners(schedules)
    return [Table("model", "A model of replays, in microseconds, and its errors at points that are left out of the "
                  f"fit. Of {pairs} pairs of schedules that differ by more than 5 % at a point, it names the faster "
                  f"one of {named}:", "schedule",
                  [*NUMBERS, "points", "median error", "largest error"], rows)]
