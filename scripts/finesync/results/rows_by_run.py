"""Finds the run that each row of a merged results file is from. A run is a process that measured a point.

New files say how many rows each run left. In older ones the rows of a process begin where Google Benchmark counts
from zero again, and are of a run whose command asks for them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
Run = Mapping[str, Any]


def split(document: Mapping[str, Any]) -> list[tuple[Run, list[dict[str, Any]]]]:
    """The runs of a file, each with its rows; rows that no command asks for are of none."""
    runs: list[Run] = document["context"].get("sweep", {}).get("runs", [])
    rows: list[dict[str, Any]] = document["benchmarks"]
    counts = [run.get("rows") for run in runs]
    if None not in counts and sum(counts) == len(rows):
        left = iter(rows)
        return [(run, [next(left) for _ in range(count)]) for run, count in zip(runs, counts)]
    asked = [_asked(run.get("command", ())) for run in runs]
    of_run: list[list[dict[str, Any]]] = [[] for _ in runs]
    for block in _blocks(rows):
        places = [place for place, axes in enumerate(asked) if all(_fits(row, axes) for row in block)]
        if places:
            # Commands may share points. The block is most likely of the one that asks for as many.
            told = len({(row["primitive"], json.dumps(row["axes"], sort_keys=True)) for row in block})
            of_run[min(places, key=lambda place: (abs(_points(asked[place]) - told), bool(of_run[place])))] += block
    return list(zip(runs, of_run))


def _blocks(rows: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Rows of one process at a time."""
    block: list[dict[str, Any]] = []
    last: tuple[int, ...] | None = None
    for row in rows:
        repetition = row.get("run_type") != "aggregate"
        place = tuple(row.get(name) or 0 for name in ("family_index", "per_family_instance_index", "repetition_index"))
        if block and repetition and (last is None or place <= last):
            yield block
            block = []
        block.append(row)
        last = place if repetition else last
    if block:
        yield block


def _asked(command: Sequence[str]) -> dict[str, list[str]]:
    """The values of each axis and option of a command."""
    return {name[2:].replace("-", "_"): value.split(",") for name, value in zip(command, command[1:])
            if name.startswith("--") and not value.startswith("--")}


def _points(asked: Mapping[str, Sequence[str]]) -> int:
    return math.prod(map(len, asked.values()))


def _fits(row: Row, asked: Mapping[str, Sequence[str]]) -> bool:
    given = {**row["axes"], "primitive": row["primitive"]}
    return all(name not in given or _is_one_of(str(given[name]), values) for name, values in asked.items())


def _is_one_of(found: str, values: Sequence[str]) -> bool:
    """A file is named by its name, a tag of its contents, and without its folder."""
    return found in values or any("/" in value and value.rsplit("/", 1)[1].split(".")[0] in found for value in values)
