#!/usr/bin/env python3
"""Tells in a few minutes whether something has become slower than its record.

Of each primitive of each program it measures one point that the record of this GPU has, and compares
the two as scripts/compare.py does, with changes of 2 % and more. Many primitives share the options of a
point, so that one process measures them; where there are such points, their kernels take 0.1 to 100 ms,
and each takes half a second in all.

  scripts/dev/check_speed.py                          before a change of src/finesync/device is merged
  scripts/dev/check_speed.py --only nw,mutex --list
  scripts/dev/check_speed.py --record results/runs/before --out results/runs/after

exit status: 0 no point changed; 1 some did, or ended otherwise; 2 bad usage, or no record
"""

import sys
sys.path.insert(0, f"{sys.path[0]}/..")  # for the scripts' package
from finesync import script  # first

import argparse
import itertools
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPETITIONS = 5
SHORTEST, LONGEST = 1e-4, 0.1  # seconds of kernels
CHEAP = 0.5  # seconds of a point in all


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("--record", type=Path, metavar="FOLDER",
                        help="results to compare with (default: those of this GPU in results/)")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "runs" / "speed", metavar="FOLDER",
                        help="results folder (default: results/runs/speed)")
    parser.add_argument("--bin-dir", type=Path, default=ROOT / "build" / "cuda" / "bin", metavar="DIR",
                        help="folder of the programs (default: build/cuda/bin)")
    parser.add_argument("--only", metavar="PROGRAM,...", help="only these programs")
    parser.add_argument("--list", action="store_true", help="show what would run and stop")
    return parser.parse_args(arguments)


script.answer_first(parse)

from finesync.results.errors import UserError
from finesync.results.json_files import write_json
from finesync.results.loading import Results, load_results
from finesync.sweep.progress import duration


@dataclass
class Process:
    """Options that were recorded for these primitives: the seconds of their kernels, and in all."""

    options: dict[str, str]
    kernels: dict[str, float] = field(default_factory=dict)
    cost: dict[str, float] = field(default_factory=dict)

    def without(self, covered: "set[str]") -> "Process":
        """Of other primitives; only of those with kernels of good length, if there are any."""
        left = {name: taken for name, taken in self.kernels.items() if name not in covered}
        good = {name: taken for name, taken in left.items() if SHORTEST <= taken <= LONGEST}
        return Process(self.options, good or left, {name: self.cost[name] for name in good or left})

    def rank(self) -> tuple[bool, int, bool, float]:
        """The process to measure has the largest."""
        good = all(SHORTEST <= taken <= LONGEST for taken in self.kernels.values())
        cost = sum(self.cost.values())
        cheap = cost <= CHEAP * len(self.cost)
        return good, len(self.cost), cheap, sum(self.kernels.values()) if cheap else -cost


def recorded(results: Results) -> list[Process]:
    """The processes that would measure again what was recorded, each with one value of every axis."""
    columns = (results.points[column] for column in ("primitive", "axes", "tuned", "seconds"))
    points = [({"primitive": primitive, **{axis.replace("_", "-"): str(axes[axis]) for axis in axes}}, seconds)
              for primitive, axes, tuned, seconds in zip(*columns) if tuned is None and seconds > 0]
    by_launch: dict[tuple[tuple[str, str], ...], Process] = {}
    for run in results.context["sweep"]["runs"]:
        words = run["command"][1:]
        if "--tune" in words or "elapsed_s" not in run:
            continue
        given = {option[2:]: values.split(",") for option, values in itertools.pairwise(words)
                 if option.startswith("--") and "=" not in option}
        combinations = list(itertools.product(*given.values()))
        for chosen in (dict(zip(given, values)) for values in combinations):
            took = next((seconds for axes, seconds in points
                         if all(axes.get(axis, value) == value for axis, value in chosen.items())), None)
            if took is not None:
                primitive = chosen.pop("primitive")
                process = by_launch.setdefault(tuple(chosen.items()), Process(chosen))
                process.kernels[primitive] = took
                process.cost[primitive] = run["elapsed_s"] / len(combinations)
    return list(by_launch.values())


def short(processes: list[Process]) -> Iterator[Process]:
    """Few of them that have each primitive once."""
    covered: set[str] = set()
    while True:
        left = [process.without(covered) for process in processes]
        best = max((process for process in left if process.cost), key=Process.rank, default=None)
        if best is None:
            return
        yield best
        covered |= best.cost.keys()


def record_of_this_gpu() -> Path:
    try:
        name = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], text=True,
                              capture_output=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        raise UserError("there is no GPU whose record could be compared") from None
    return ROOT / "results" / re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    record = options.record or record_of_this_gpu()
    files = {path.name.split("_gpu.json")[0]: path for path in sorted(record.glob("*_gpu.json*"))}
    wanted = options.only.split(",") if options.only else list(files) or ["any program"]
    for program in wanted:
        if program not in files:
            raise UserError(f"{record} has no recorded run of {program}")
    expected, plans = 0.0, []
    for program in wanted:
        chosen = list(short(recorded(load_results(files[program]))))
        expected += sum(sum(process.cost.values()) for process in chosen)
        plans.append(options.out / "plans" / program / "gpu.json")
        plans[-1].parent.mkdir(parents=True, exist_ok=True)
        write_json(plans[-1], {
            "schema_version": 2, "program": program, "description": "as recorded", "machine": "gpu",
            "entries": [{"name": f"short-{number}", "description": "as recorded", "figure": "none",
                         "axes": {"primitive": list(process.cost)}, "options": process.options,
                         "together": ["primitive"], "repetitions": REPETITIONS, "timeout_s": 300}
                        for number, process in enumerate(chosen, 1)]})
    print(f"{len(plans)} programs, at most about {duration(expected)}", flush=True)
    for plan in plans:
        status = subprocess.run([
            sys.executable, str(ROOT / "scripts" / "sweep.py"), str(plan), "--out", str(options.out),
            "--bin-dir", str(options.bin_dir), *(["--list"] if options.list else [])], check=False).returncode
        if status > 1:
            return status
    return 0 if options.list else subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "compare.py"), str(record), str(options.out),
         "--least", "2"], check=False).returncode


if __name__ == "__main__":
    script.run(main)
