#!/usr/bin/env python3
"""Tries the verification of the programs: corrupts each place of their code, one at a time, on the
host executor, and reports which rows are ok all the same.

A place is a line of the source that accesses global memory. In a small run of each primitive that
comes there, every tenth write of the place is lost, every tenth plain load finds what was there
before the last write, or every tenth store and the one before exchange their values. A row that is
ok although accesses went wrong is a fault of the verification, unless
tests/suite/verifiers/harmless.json says why the place changes no result and no figure; so is a run
that a signal ends, or that does not end. Exits with 1 if there are any.
"""

import sys
sys.path.insert(0, f"{sys.path[0]}/..")  # for the scripts' package
from finesync import script  # first

import argparse
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("--programs", type=Path, default=Path("build/host/bin"), metavar="FOLDER",
                        help="the folder of the programs (default build/host/bin)")
    parser.add_argument("--only", default="", metavar="PROGRAM,...", help="only these programs")
    parser.add_argument("--primitive", default="", metavar="NAME,...",
                        help="only these primitives (default: for each place the first that has it)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at a time")
    return parser.parse_args(arguments)


script.answer_first(parse)

from finesync.results.errors import UserError
from finesync.results.registry import ROOT, workloads

_LONGEST_RUN_S = 120
_LONGEST_LAUNCH_MS = 100  # nominal; right ones take a few
_WAYS = ("drop", "stale", "swap")
_FEWEST = 10  # accesses; with fewer, none goes wrong
# An access is that of the code that calls these.
_VOCABULARY = ("src/executor/simt/", "src/finesync/device/")
# What a row tells of its run and not of its result; the schedule may change counts of operations.
_OF_THE_RUN = re.compile("count_|.*time|.*_[nm]s$|.*seconds|.*index|iterations|run_|.*repetition|threads")


class Run:
    """A run of a program, and its rows."""

    def __init__(self, program: Path, options: list[str], corrupt: str | None = None,
                 limit_s: int | None = _LONGEST_RUN_S) -> None:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out.json"
            env = os.environ | ({"FINESYNC_CORRUPT": corrupt} if corrupt else {})
            try:
                done = subprocess.run(
                    [program, *options, f"--launch-limit-ms={_LONGEST_LAUNCH_MS}",
                     "--benchmark_repetitions=1", f"--benchmark_out={out}"], env=env,
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                    timeout=limit_s)
                self.status, self.said = done.returncode, done.stderr
            except subprocess.TimeoutExpired:
                self.status, self.said = 124, ""
            self.rows = json.loads(out.read_text())["benchmarks"] if out.exists() else []

    def told(self, pattern: str) -> list[tuple[str, ...]]:
        return re.findall(f"^finesync: {pattern}", self.said, re.MULTILINE)

    def figures(self) -> dict[tuple[str, str], object]:
        return {(row["name"], key): value for row in self.rows for key, value in row.items()
                if not _OF_THE_RUN.match(key)}


def places(program: Path, listed: Run) -> Iterator[tuple[str, str, str]]:
    """Of each way, place, and the offsets of the accesses that come to it."""
    stores = listed.told(r"place (\w+) (\d+) writes (\d+) plain loads (\d+) stores")
    asked = "\n".join(hex(int(offset, 16) - 1) for offset, *_ in stores)  # within the call
    lines = subprocess.run(["addr2line", "--addresses", "--inlines", f"--exe={program}"],
                           input=asked, stdout=subprocess.PIPE, text=True, check=True).stdout
    found: dict[tuple[str, str], tuple[list[str], int]] = {}
    for (offset, *numbers), frames in zip(stores, re.split(r"0x[0-9a-f]+\n", lines)[1:]):
        frames = re.findall(r"/((?:src|workloads|inputs)/\S*:\d+)", frames)
        place = next((one for one in frames if not one.startswith(_VOCABULARY)), frames[-1])
        for way, number in zip(_WAYS, numbers):
            offsets, so_far = found.get((way, place), ([], 0))
            found[way, place] = ([*offsets, offset], so_far + int(number))
    for (way, place), (offsets, number) in found.items():
        if number >= _FEWEST:
            yield way, place, ",".join(offsets)


def text_of(place: str) -> str:
    file, _, line = place.partition(":")
    return (ROOT / file).read_text().splitlines()[int(line) - 1].strip()


def is_harmless(known: dict[str, dict[str, str]], way: str, place: str) -> bool:
    """Of each file a part of a line's text, and "WAY ...: why"."""
    return any(text in text_of(place) and way in why.partition(":")[0].split()
               for text, why in known.get(place.partition(":")[0], {}).items())


def try_program(program: Path, small: list[str], asked: argparse.Namespace, known: dict[str, dict[str, str]]) -> int:
    """Prints what was found, and returns how many corrupted rows are ok."""
    all_rows = Run(program, [*small, f"--primitive={asked.primitive or 'all'}"], limit_s=None).rows
    failed = {row["primitive"] for row in all_rows if row.get("status") not in ("ok", "skipped", None)}
    good = dict.fromkeys(row["primitive"] for row in all_rows
                         if row.get("status") == "ok" and row["primitive"] not in failed)
    if not good:
        raise UserError(f"{program}: no row is ok")
    tried = set()
    effects, noticed, harmless, passed = 0, 0, 0, 0
    for primitive in good:
        options = [*small, f"--primitive={primitive}"]
        right = Run(program, options, "list")
        work = [one for one in places(program, right) if one[:2] not in tried]
        tried |= {one[:2] for one in work}
        with ThreadPoolExecutor(asked.jobs) as pool:
            runs = pool.map(lambda one: Run(program, options, f"{one[0]}:{one[2]}"), work)
            for (way, place, _), run in zip(work, runs):
                if run.status == 0 and run.told("([1-9].*) accesses went wrong") == []:
                    continue
                effects += 1
                if run.status == 1:
                    noticed += 1
                elif run.status == 0 and is_harmless(known, way, place):
                    harmless += 1
                else:
                    passed += 1
                    now = run.figures()
                    other = {key for (name, key), value in right.figures().items() if now.get((name, key)) != value}
                    how = "passes" if run.status == 0 else f"ends with {run.status}"  # 124: not
                    print(f"{program.name} {primitive}: {way} {place} {how}: {text_of(place)}",
                          f"[other {', '.join(sorted(other))}]" if other else "", flush=True)
    print(f"{program.name}: of {effects} places and ways with an effect {noticed} were noticed, "
          f"{harmless} are harmless, {passed} pass", flush=True)
    return passed


def main(arguments: list[str] | None = None) -> int:
    asked = parse(arguments)
    known = json.loads((ROOT / "tests/suite/verifiers/harmless.json").read_text())
    passed = 0
    for workload in workloads().values():
        if not asked.only or workload.program in asked.only.split(","):
            program = (asked.programs / workload.program).resolve()
            if not program.exists():
                raise UserError(f"no {program}; build the host preset first")
            passed += try_program(program, workload.small_run.split(), asked, known)
    return 1 if passed else 0


if __name__ == "__main__":
    script.run(main)
