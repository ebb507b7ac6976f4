#!/usr/bin/env python3
"""Counts the memory traffic of the timed kernels with ncu (Nsight Compute).

Each point of the plan is one process under ncu, which profiles all kernels of one verified run,
one by one. Runs of thousands of kernels it counts as a whole (whole_run in plans): the process then
runs again for each of ncu's passes.
Finished points are kept in OUT/points/, as by scripts/sweep.py; after a stop the next run
continues. The results file has ncu's counts, summed over the kernels, its version, metrics and
command line, the GPU and the revision. scripts/figures.py makes tables of it.

Some entries of plans leave the grid open: their points run at the launch that was fastest in the
times that scripts/sweep.py recorded in OUT (or --times), as in figure 7 of ASPLOS'19.

examples:
  scripts/traffic.py workloads/mutex/plans/gpu_traffic.json --out results/runs/my-gpu
  scripts/traffic.py workloads/ht/plans/gpu_traffic.json --out OUT --only locks,primitive=spin
  scripts/figures.py results/runs/my-gpu/mutex_gpu_traffic.json --report results/report.md

exit status: 0 all points counted; 1 some rows are wrong, deadlocked or errors; 2 bad usage or
input, or no ncu that can count here; 130 or 143 stopped by Ctrl-C or SIGTERM.
"""

from finesync import script  # first

import argparse
import dataclasses
import signal
import sys
import time
from collections.abc import Collection
from pathlib import Path


ROOT = Path(__file__).resolve().parent.parent


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("plan", type=Path, metavar="PLAN", help="plan file, such as workloads/*/plans/gpu_traffic.json")
    parser.add_argument("--out", type=Path, required=True, help="results folder")
    parser.add_argument("--bin-dir", type=Path, metavar="DIR",
                        default=ROOT / "build" / "cuda" / "bin",
                        help="folder of the programs (default: build/cuda/bin)")
    parser.add_argument("--ncu", metavar="FILE", help="the profiler (default: on PATH, else the CUDA toolkit's)")
    parser.add_argument("--times", type=Path, metavar="FOLDER",
                        help="the folder of recorded times (default: that of --out)")
    parser.add_argument("--only", action="append", default=[], metavar="ENTRY[,AXIS=VALUE]",
                        help="only the points of this entry, with these values of axes; repeatable")
    parser.add_argument("--cache-control", choices=("all", "none"), default="all",
                        help="flush the caches before each launch, or before a run that is counted "
                             "as a whole (all, the default), so that DRAM traffic does not depend "
                             "on what ran before, or leave them (none)")
    return parser.parse_args(arguments)


script.answer_first(parse)

from finesync.papers.paper_benchmarks import options_of_fastest
from finesync.results.errors import UserError
from finesync.results.json_files import read_json, write_json
from finesync.results.loading import Results, load_results
from finesync.sweep.plan import Plan, PlannedPoint, load_plan, selected
from finesync.sweep.progress import Progress
from finesync.sweep.runner import executables, outcome_of, summary
from finesync.sweep.store import Store, digest
from finesync.sweep.traffic_ncu import Profiler, find_profiler
from finesync.sweep.traffic_run import profile


def load(path: Path) -> Plan:
    """The plan; each of its points must be one run."""
    plan = load_plan(path)
    if plan.machine != "gpu":
        raise UserError(f"{path}: machine {plan.machine!r}: only a GPU has traffic to count")
    for point in plan.points:
        if point.tune or point.repetitions != 1 or len(list(point.combinations())) != 1:
            raise UserError(f"{path}: point {point.name!r} stands for several runs ('together', 'tune' or "
                            "'repetitions'), but ncu counts one")
    return plan


def with_launches(plan: Plan, wanted: Collection[str], times: Path) -> Plan:
    """The plan with the options that `fastest_launch` leaves open. A point whose primitive has no
    time is left out, and said if it is wanted."""
    if all(point.fastest_launch is None for point in plan.points):
        return plan
    recorded = _times(plan.program, times)
    points = []
    for point in plan.points:
        try:
            points.append(_with_launch(point, recorded))
        except UserError as error:
            if point.name in wanted:
                print(f"{point.name} is left out: {error}")
    if not any(point.name in wanted for point in points):
        raise UserError(f"{plan.path}: no point has a recorded time")
    return dataclasses.replace(plan, points=points)


def _times(program: str, folder: Path) -> Results:
    paths = [folder / f"{program}_gpu.json{packed}" for packed in ("", ".gz")]
    existing = next((path for path in paths if path.exists()), None)
    if existing is None:
        raise UserError(f"{paths[0]}: no such file; the plan takes grids from recorded times: run "
                        f"scripts/sweep.py workloads/{program}/plans/gpu.json first, or give "
                        "--times")
    return load_results(existing)


def _with_launch(point: PlannedPoint, times: Results) -> PlannedPoint:
    if point.fastest_launch is None:
        return point
    where = {axis.replace("-", "_"): values[0] for axis, values in point.axes.items() if axis != "primitive"}
    fastest = options_of_fastest(times, str(point.axes["primitive"][0]), where, point.fastest_launch)
    given = {**fastest, **point.options}
    return dataclasses.replace(point, options={
        option: value for option, value in given.items() if option not in point.axes})


def is_done(point: PlannedPoint, store: Store, program: Path, ncu: Profiler) -> bool:
    """Whether the kept results of a point are valid: same command, build and profiling, no error."""
    try:
        document = store.load(point)
    except UserError as error:
        print(f"{point.name} runs again: kept results cannot be used: {error}")
        return False
    if document is None:
        return False
    run, profiler = document["context"]["sweep"], document["context"].get("profiler", {})
    return (run.get("command") == point.command() and run.get("program_sha256") == digest(program)
            and run.get("profiled_by") == ["ncu", *ncu.options(point.stalls, point.whole_run)]
            and profiler.get("version") == ncu.version
            and all(row["status"] != "error" for row in document["benchmarks"]))


def merge(store: Store) -> None:
    """Merges the finished points into one results file."""
    store.merge()
    document = read_json(store.merged)
    document["context"]["finesync"]["command_line"] = ["traffic.py", store.plan.name]
    write_json(store.merged, document)


def count(options: argparse.Namespace) -> int:
    """Entry point; the exit status."""
    plan = load(options.plan)
    wanted = {point.name for point in selected(plan, options.only)}
    plan = with_launches(plan, wanted, options.times or options.out)
    points = [point for point in plan.points if point.name in wanted]
    programs = executables(points, options.bin_dir, "cuda")
    ncu = find_profiler(options.ncu, options.cache_control)
    store = Store(plan, options.out)
    store.lock()
    left = [point for point in points if not is_done(point, store, programs[point.program], ncu)]
    kept = len(points) - len(left)
    if kept:
        print(f"{kept} of {len(points)} points are done and kept")
    progress = Progress(len(left))
    for point in left:
        started = time.monotonic()
        document = profile(point, programs[point.program], ncu)
        elapsed = time.monotonic() - started
        document["context"]["sweep"]["elapsed_s"] = round(elapsed, 3)
        store.save(point, document)
        merge(store)
        progress.finished(point.name, outcome_of(document), elapsed)
    if not left:
        merge(store)
    return summary(store)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    return count(options)


if __name__ == "__main__":
    script.run(main, "stopped; finished points are kept, run it again to go on")
