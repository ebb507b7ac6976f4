"""The points of two runs, side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..results.errors import UserError
from ..results.loading import WORST_FIRST, Results, load_results
from .significance import (LEAST_REPETITIONS, Numbers, discoveries, own_deviation, p_values, p_values_of_pairs)

FASTER, SLOWER, UNCHANGED, ENDED_OTHERWISE, UNTESTED = ("faster", "slower", "unchanged", "ended otherwise", "untested")

# Axes that programs got later, and the value at which all ran before.
_ADDED = {"sms": "all"}


@dataclass(frozen=True, eq=False)
class Side:
    """A point in one run: how it ended, and the seconds of its repetitions, if they are times of a GPU and all are ok.
    `turns` names each of these as that of the other run that was made in turns with it; empty if none was."""

    name: str
    settings: Mapping[str, Any]
    ended: str
    seconds: Numbers
    turns: tuple[tuple[str, float], ...] = ()

    def has(self, settings: Iterable[str]) -> bool:
        """Whether it has these AXIS=VALUE, in the words of plans."""
        given = {f"{axis.replace('_', '-')}={value}" for axis, value in self.settings.items()}
        return given.issuperset(settings)


@dataclass(frozen=True)
class Joined:
    """All points of two runs.

    `table` has a row for each that is in both, with the columns program, point, settings, ended_a, ended_b, seconds_a,
    seconds_b (medians), repetitions_a, repetitions_b, paired (the two were measured in turns), ratio (of b to a), p,
    threshold (of a change, relative) and verdict, one of the five words above."""

    table: pd.DataFrame
    only_a: list[str]
    only_b: list[str]


def pairs(a: Path, b: Path) -> tuple[list[tuple[Results, Results]], list[str], list[str]]:
    """The results of two files, or of the files of two folders that have the same names, and the
    names of files that only one of them has."""
    if a.is_dir() != b.is_dir():
        raise UserError(f"{a} and {b}: one is a folder; compare two files or two folders")
    if not a.is_dir():
        return [_same_program(load_results(a), load_results(b))], [], []
    files_a, files_b = _files(a), _files(b)
    both = [name for name in files_a if name in files_b]
    if not both:
        raise UserError(f"{a} and {b} have no file of the same name")
    return ([_same_program(load_results(files_a[name]), load_results(files_b[name]))
             for name in both],
            [name for name in files_a if name not in files_b],
            [name for name in files_b if name not in files_a])


def join(loaded: list[tuple[Results, Results]], only: list[str], level: float, least: float) -> Joined:
    """The points of all files, and which of them changed by more than `least` (relative)."""
    rows: list[dict[str, Any]] = []
    only_a: list[str] = []
    only_b: list[str] = []
    times: list[tuple[Numbers, Numbers]] = []
    seen: set[str] = set()
    held_a: dict[tuple[Any, ...], Path] = {}
    held_b: dict[tuple[Any, ...], Path] = {}
    for a, b in loaded:
        points_a, points_b = _points(a), _points(b)
        _check_files(a, points_a, held_a)
        _check_files(b, points_b, held_b)
        wanted = [key for key in {**points_a, **points_b}
                  if _chosen(a.program, points_a.get(key) or points_b[key], only, seen)]
        only_a += [points_a[key].name for key in wanted if key not in points_b]
        only_b += [points_b[key].name for key in wanted if key not in points_a]
        for key in wanted:
            if key in points_a and key in points_b:
                side_a, side_b = points_a[key], points_b[key]
                in_turns = _in_turns(side_a, side_b)
                times.append(in_turns or (side_a.seconds, side_b.seconds))
                rows.append(_row(a.program, side_a, side_b, in_turns, least))
    for words in only:
        if words not in seen:
            raise UserError(f"--only: no point matches {words!r}")
    if not rows:
        raise UserError("the two runs have no point in common")
    table = pd.DataFrame(rows)
    table["p"] = _p_of(times, table["paired"], level)
    table["verdict"] = _verdicts(table, level)
    return Joined(table, only_a, only_b)


def _files(folder: Path) -> dict[str, Path]:
    """The results files of a folder, by name without endings."""
    by_name: dict[str, Path] = {}
    for path in sorted([*folder.glob("*.json"), *folder.glob("*.json.gz")]):
        name = path.name.removesuffix(".gz").removesuffix(".json")
        if name in by_name:
            raise UserError(f"{by_name[name]} and {path} have one name: keep one of them")
        by_name[name] = path
    if not by_name:
        raise UserError(f"{folder}: no results files (*.json, *.json.gz)")
    return by_name


def _same_program(a: Results, b: Results) -> tuple[Results, Results]:
    if (a.program, a.kind) != (b.program, b.kind):
        raise UserError(f"{a.path} was measured with {a.program} on {a.machine}, "
                        f"{b.path} with {b.program} on {b.machine}")
    return a, b


def _chosen(program: str, point: Side, only: list[str], seen: set[str]) -> bool:
    """Whether one of the PROGRAM[,AXIS=VALUE] matches a point; adds those that are to `seen`."""
    matching = [words for words in only if words.split(",")[0] == program and point.has(words.split(",")[1:])]
    seen.update(matching)
    return bool(matching) or not only


def _points(results: Results) -> dict[str, Side]:
    """The points of a file by what was asked for: where --tune chose an axis, any value is the
    same. Candidates that failed while tuning are no points."""
    rows = results.rows[~results.rows["excluded"]]
    asked = [{axis: value for axis, value in axes.items() if axis not in (tuned or ())}
             for axes, tuned in zip(rows["axes"], rows["tuned"])]
    settings = pd.Series([{"primitive": primitive, **axes, **({"tuned": "yes"} if tuned else {})}
                          for primitive, axes, tuned
                          in zip(rows["primitive"], asked, rows["tuned"].notna())],
                         index=rows.index, dtype=object)
    points = {}
    keys = settings.map(lambda cell: json.dumps(
        {axis: value for axis, value in cell.items() if _ADDED.get(axis) != value}, sort_keys=True))
    for key, point_rows in rows.groupby(keys, sort=False):
        ended = min(point_rows["ended"], key=WORST_FIRST.index)
        timed = results.timed and ended == "ok"
        seconds = point_rows["seconds"].to_numpy(dtype=float) if timed else np.array([])
        turns = tuple(zip(point_rows["interleaved"], point_rows["repetition_index"])) if timed and \
            all(point_rows["interleaved"]) else ()
        first = settings[point_rows.index[0]]
        name = _name(results.program, first)
        _check_runs(results, name, first, point_rows)
        points[str(key)] = Side(name, first, ended, seconds, turns)
    return points


def _check_files(results: Results, points: Mapping[str, Side], held: dict[tuple[Any, ...], Path]) -> None:
    """Refuses a file with a run of a point that another file of its side has, too; notes its own."""
    for key, point in points.items():
        run = (results.program, key, *point.seconds)
        if len(point.seconds) and held.setdefault(run, results.path) != results.path:
            raise UserError(f"{held[run]} and {results.path} have the same run of {point.name}")


def _check_runs(results: Results, name: str, settings: Mapping[str, Any], rows: pd.DataFrame) -> None:
    """Refuses a run that is there several times. Only the entries of a plan may overlap: then as many
    processes of the sweep have measured the point."""
    if "repetition_index" not in rows:
        return
    times = rows["repetition_index"].value_counts()
    if times.max() > 1:
        runs = results.context.get("sweep", {}).get("runs", [])
        made = sum(_may_have_made(run.get("command", ()), settings) for run in runs)
        if times.max() > max(made, 1):
            raise UserError(f"{results.path}: repetition {times.idxmax():.0f} of {name} is there "
                            f"{times.max()} times")


def _may_have_made(command: Sequence[str], settings: Mapping[str, Any]) -> bool:
    """Whether a command names no other primitive, and no other number of an axis."""
    given = dict(zip(command, command[1:]))
    for axis, value in settings.items():
        words = given.get(f"--{axis.replace('_', '-')}", str(value)).split(",")
        comparable = axis == "primitive" or isinstance(value, int) and all(map(str.isdecimal, words))
        if comparable and str(value) not in words:
            return False
    return True


def _in_turns(a: Side, b: Side) -> tuple[Numbers, Numbers] | None:
    """The seconds of both, each beside that of its turn; None if they were not measured in turns."""
    if not a.turns or sorted(a.turns) != sorted(b.turns):
        return None
    orders = [np.array(sorted(range(len(side.turns)), key=side.turns.__getitem__)) for side in (a, b)]
    return a.seconds[orders[0]], b.seconds[orders[1]]


def _name(program: str, settings: Mapping[str, Any]) -> str:
    """As --only takes it."""
    return ",".join([program, *(f"{axis.replace('_', '-')}={value}" for axis, value in settings.items())])


def _row(program: str, a: Side, b: Side, in_turns: tuple[Numbers, Numbers] | None, least: float) -> dict[str, Any]:
    row = {"program": program, "point": a.name, "settings": dict(a.settings),
           "ended_a": a.ended, "ended_b": b.ended,
           "seconds_a": np.nan, "seconds_b": np.nan,
           "repetitions_a": len(a.seconds), "repetitions_b": len(b.seconds),
           "paired": in_turns is not None, "ratio": np.nan, "threshold": np.nan}
    if len(a.seconds) and len(b.seconds):
        medians = float(np.median(a.seconds)), float(np.median(b.seconds))
        ratios = in_turns[1] / in_turns[0] if in_turns else None
        spreads = (a.seconds, b.seconds) if ratios is None else (ratios,)
        row |= {"seconds_a": medians[0], "seconds_b": medians[1],
                "ratio": medians[1] / medians[0] if ratios is None else float(np.median(ratios)),
                "threshold": max(least, *map(own_deviation, spreads))}
    return row


def _p_of(times: list[tuple[Numbers, Numbers]], paired: pd.Series, level: float) -> Numbers:
    """The p of each point; NaN where there are too few repetitions."""
    p = np.full(len(times), np.nan)
    kinds = pd.Series([(in_turns, len(a), len(b)) for in_turns, (a, b) in zip(paired, times)], dtype=object)
    for (in_turns, *numbers), which in kinds.groupby(kinds).groups.items():
        if min(numbers) >= LEAST_REPETITIONS:
            test = p_values_of_pairs if in_turns else p_values
            p[which] = test(np.array([times[point][0] for point in which]),
                            np.array([times[point][1] for point in which]), level)
    return p


def _verdicts(table: pd.DataFrame, level: float) -> list[str]:
    tested = table["p"].notna()
    differs = pd.Series(False, index=table.index)
    differs[tested] = discoveries(table.loc[tested, "p"].to_numpy(), level)
    change = np.log(table["ratio"])
    changed = differs & (change.abs() > np.log1p(table["threshold"]))
    verdicts = np.select(
        [table["ended_a"] != table["ended_b"], changed & (change < 0), changed,
         ~tested & table["ratio"].notna()],
        [ENDED_OTHERWISE, FASTER, SLOWER, UNTESTED], UNCHANGED)
    return [str(verdict) for verdict in verdicts]
