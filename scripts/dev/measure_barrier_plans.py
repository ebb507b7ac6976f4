#!/usr/bin/env python3
"""Measures the plans of the autotuned barrier on this GPU and writes them to a file.

For each grid it tunes every counter barrier (`barrier --tune`) and keeps the plan of the fastest.
Then it runs the autotuned barrier with the new file beside the best of the others. It takes some
minutes.

  scripts/dev/measure_barrier_plans.py --out nvidia-h100.inc
  build/cuda/bin/barrier --primitive autotuned --plan-table nvidia-h100.inc

To make them part of the library, move the file to src/finesync/barriers/plans, and add an entry to
src/finesync/barriers/measured_plans.cuh; the last line printed is that entry.

exit status: 0 written; 1 some runs were wrong or hung; 2 bad usage or no results.
"""

import sys
sys.path.insert(0, f"{sys.path[0]}/..")  # for the scripts' package
from finesync import script  # first

import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from finesync.results.errors import UserError
from finesync.results.json_files import read_json

ROOT = Path(__file__).resolve().parents[2]
CANDIDATES = "flat_counters,sm_counters,gather_broadcast"
# Thread blocks per SM, by threads per block.
GRIDS = {64: (1, 2, 3, 4, 5, 8, 11, 16, 21, 32), 256: (1, 2, 4, 8), 1024: (1, 2)}


@dataclass(frozen=True)
class Measured:
    """A barrier on one grid, with the parameters that ran."""

    seconds: float
    effective: dict[str, Any]

    def row(self) -> str:
        """As an element of an array of measured_plan."""
        ran = self.effective
        return (f"{{{ran['blocks']}, {ran['threads_per_block']}, "
                f"{{counter_topology::{ran['topology']}, {ran['counters']}, {ran['replicas']}, "
                f"{ran['l2_sides']}, {ran['first_poll_cycles']}}}}},")


class Program:
    """Runs the program `barrier`; keeps the GPU of its last run and whether all were right."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.gpu: dict[str, Any] = {}
        self.all_right = True

    def fastest(self, threads: int, *options: str) -> list[Measured]:
        """The fastest of the barriers asked for, on each grid with such blocks."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "barrier.json"
            command = [str(self.path), "--threads-per-block", str(threads), "--tbs-per-sm",
                       ",".join(map(str, GRIDS[threads])), "--rounds", "4000", *options,
                       f"--benchmark_out={out}"]
            try:
                ended = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
            except OSError as error:
                raise UserError(f"{self.path}: {error.strerror}") from None
            self.all_right = self.all_right and ended.returncode == 0
            document = read_json(out)
        self.gpu = document["context"]["finesync"]["gpu"]
        if self.gpu["simulated"]:
            raise UserError(f"{self.path} runs on the host executor, which has no times of a GPU")
        return fastest_of(document["benchmarks"])


def fastest_of(rows: list[dict[str, Any]]) -> list[Measured]:
    """By number of blocks: the point with the shortest median."""
    points: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row.get("run_type") == "iteration" and not row.get("excluded_candidate"):
            points[row["run_name"]].append(row)
    best: dict[int, Measured] = {}
    for repetitions in points.values():
        if any(row["status"] != "ok" for row in repetitions):
            continue
        measured = Measured(median(1 / row["items_per_second"] for row in repetitions), repetitions[0]["effective"])
        blocks = measured.effective["blocks"]
        if blocks not in best or measured.seconds < best[blocks].seconds:
            best[blocks] = measured
    return [best[blocks] for blocks in sorted(best)]


def text_of(gpu: str, plans: list[Measured]) -> str:
    """The file."""
    return "\n".join([
        f"// {gpu}: the fastest plans that scripts/dev/measure_barrier_plans.py found.",
        "// Largest grid in blocks, threads per block, "
        "{topology, counters, replicas, sides, first poll}.",
        *(each.row() for each in plans), ""])


def entry_of(gpu: dict[str, Any], name: str) -> str:
    """The GPU's entry in the list of measured ones."""
    return (f'{{"{gpu["name"]}", {gpu["compute_capability"]}, {gpu["sms"]}, {gpu["l2_bytes"]}, '
            f'{{"{name}", {name.replace("-", "_")}_plans}}}},')


def measure(program: Program, out: Path) -> int:
    """The exit status."""
    best = [each for threads in GRIDS for each in program.fastest(threads, "--primitive", CANDIDATES, "--tune")]
    if not best:
        raise UserError("no barrier ran: nothing is written")
    out.write_text(text_of(program.gpu["name"], best), encoding="utf-8")
    autotuned = [each for threads in GRIDS for each in program.fastest(
        threads, "--primitive", "autotuned", "--plan-table", str(out))]
    print("blocks threads  best us  autotuned us  ratio  plan")
    of_grid = {(each.effective["blocks"], each.effective["threads_per_block"]): each.seconds for each in autotuned}
    for each in best:
        grid = each.effective["blocks"], each.effective["threads_per_block"]
        if grid in of_grid:
            print(f"{grid[0]:6} {grid[1]:7} {each.seconds * 1e6:8.3f} {of_grid[grid] * 1e6:13.3f} "
                  f"{of_grid[grid] / each.seconds:6.3f}  {each.row()}")
    print(entry_of(program.gpu, out.stem))
    return 0 if program.all_right else 1


def main(arguments: list[str] | None = None) -> int:
    parser = script.Parser(__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE",
                        help="the file to write, such as nvidia-h100.inc")
    parser.add_argument("--program", type=Path, metavar="FILE",
                        default=ROOT / "build" / "cuda" / "bin" / "barrier",
                        help="the program (default: build/cuda/bin/barrier)")
    options = parser.parse_args(arguments)
    return measure(Program(options.program), options.out)


if __name__ == "__main__":
    script.run(main)
