#!/usr/bin/env python3
"""Runs a plan of benchmark points. It can be stopped at any time; the next run continues.

Each point is a separate process with a time-out. A finished point is kept in
OUT/points/PROGRAM_PLAN/ (the names of program and plan), and is not run again while its command and
the build of its program stay the same. OUT/PROGRAM_PLAN.json merges all finished points; it is
updated at intervals, and at the end. A point that crashes or exceeds its time-out becomes an error
row and never stops the sweep. Livelocks, and runs that the program's own watchdog ended, are
results.

Points with the engine nccl or nvshmem are started by MPI, a process per GPU: by `mpirun -np 2 PROGRAM ...`, or by
the words in FINESYNC_MPIRUN in place of `mpirun -np`, such as "srun --mpi=pmix --ntasks".

examples:
  scripts/sweep.py workloads/mutex/plans/host.json --out results/runs/host-executor --jobs 2
  scripts/sweep.py workloads/mutex/plans/gpu.json --out results/runs/my-gpu --time-budget 10m
  scripts/sweep.py workloads/mutex/plans/gpu.json --out results/runs/my-gpu --list
  scripts/sweep.py PLAN --out OUT --only few-locks,primitive=spin
  scripts/sweep.py PLAN --out OUT --shard 1/4    a quarter of the points, here or elsewhere
  scripts/sweep.py PLAN --out OUT --merge-only   after copying the points of other shards to OUT
  scripts/sweep.py PLAN --out OUT --import results/nvidia-h200/mutex_gpu.json.gz    of points in both the newer
  scripts/sweep.py PLAN --out OUT --interleave build/before build/after   then compare.py OUT/a OUT/b

exit status: 0 all points finished; 1 the same, but some rows are wrong, deadlocked or errors; 2 bad
usage or input; 3 points are left over (time budget, or a merge of unfinished shards); 130 or 143
stopped by Ctrl-C or SIGTERM.
"""

from finesync import script  # first

import argparse
import shlex
import sys
from collections import Counter
from pathlib import Path

from finesync.sweep.arguments import positive, seconds, shard

MOST_MISSING = 20  # points that a merge names
ROOT = Path(__file__).resolve().parent.parent


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("plan", type=Path, metavar="PLAN", help="plan file, such as workloads/*/plans/gpu.json")
    parser.add_argument("--out", type=Path, required=True, help="results folder")
    build = parser.add_mutually_exclusive_group()
    build.add_argument("--bin-dir", type=Path, metavar="DIR",
                       help="folder of the programs (default: build/cuda/bin or build/host/bin, as "
                            "the plan's machine says)")
    build.add_argument("--interleave", nargs=2, type=Path, metavar="BUILD",
                       help="run the programs of two builds, BUILD/bin, in turns: each repetition is "
                            "a process of both; results in OUT/a and OUT/b")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N",
                        help="points at a time; only on the host, where it cannot change a result")
    parser.add_argument("--time-budget", type=seconds, metavar="10m", help="start no new point after this long")
    parser.add_argument("--shard", type=shard, default=(1, 1), metavar="I/N",
                        help="only every N-th point, from the I-th on")
    parser.add_argument("--only", action="append", default=[], metavar="ENTRY[,AXIS=VALUE]",
                        help="only the points of this entry, with these values of axes; repeatable")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--fresh", action="store_true", help="run finished points again too")
    mode.add_argument("--retry-errors", action="store_true", help="run finished points with error rows again")
    mode.add_argument("--list", action="store_true", help="show the points and stop")
    mode.add_argument("--merge-only", action="store_true", help="run nothing, merge what is there")
    mode.add_argument("--import", type=Path, metavar="FILE", dest="other",
                      help="run nothing, take the points of another results file, such as a recorded one")
    return parser.parse_args(arguments)


script.answer_first(parse)

from finesync.results.errors import UserError
from finesync.sweep.imported import import_points
from finesync.sweep.interleaved import run_pairs
from finesync.sweep.plan import Plan, PlannedPoint, load_plan, selected
from finesync.sweep.progress import duration
from finesync.sweep.runner import executables, run_points, summary
from finesync.sweep.staleness import staleness
from finesync.sweep.store import Store


def list_points(points: list[PlannedPoint], stale: dict[str, str]) -> None:
    """One line per point: its name, its state, its command."""
    for point in points:
        print(f"{point.name}\t{stale[point.name] or 'done'}\t{shlex.join(point.command())}")


def merged(stores: list[Store], plan: Plan) -> int:
    """Merges what is there; the exit status."""
    done = [store.merge() for store in stores]
    if 0 in done:
        store = stores[done.index(0)]
        name, why = next(iter(store.left_out.items()))
        raise UserError(f"{store.points}: no finished points to merge; {name}: {why}")
    for store in stores:
        for name, why in list(store.left_out.items())[:MOST_MISSING]:
            print(f"{store.out}: {name} is missing: {why}")
    failed = max(map(summary, stores))
    for number in done:
        print(f"{number} of {len(plan.points)} points merged")
    return failed if min(done) == len(plan.points) else 3


def sweep(options: argparse.Namespace) -> int:
    """Entry point; the exit status."""
    plan: Plan = load_plan(options.plan)
    if options.jobs > 1 and plan.machine == "gpu":
        raise UserError("--jobs is for the host: points that share a GPU would disturb each other")
    if options.jobs > 1 and options.interleave:
        raise UserError("--jobs: builds run in turns only if one process runs at a time")
    if options.other and options.interleave:
        raise UserError("--import takes points into the folder of one build")
    outs = [options.out / side for side in "ab"] if options.interleave else [options.out]
    stores = [Store(plan, out) for out in outs]
    if not options.list:
        for store in stores:
            store.lock()
    if options.merge_only:
        return merged(stores, plan)

    first, step = options.shard
    points = selected(plan, options.only)[first - 1::step]
    if options.other:
        for line in import_points(stores[0], points, options.other):
            print(line)
        stores[0].merge()
        return summary(stores[0])
    preset = "cuda" if plan.machine == "gpu" else "host"
    folders = [build / "bin" for build in options.interleave or ()] or [
        options.bin_dir or ROOT / "build" / preset / "bin"]
    if options.list and not all((folder / plan.program).is_file() for folder in folders):
        list_points(points, {point.name: "its program is not built" for point in points})
        return 0
    programs = [executables(points, folder, preset) for folder in folders]
    stale = {point.name: "--fresh" if options.fresh else
             staleness(point, [(store, paths[point.program]) for store, paths in zip(stores, programs)],
                       options.retry_errors)
             for point in points}
    if options.list:
        list_points(points, stale)
        return 0

    reasons = Counter(reason for reason in stale.values() if reason != "not run yet")
    kept = reasons.pop("", 0)
    if kept:
        print(f"{kept} of {len(points)} points are done and kept")
    for reason, number in reasons.items():
        print(f"{number} points run again: {reason}")
    to_run = [point for point in points if stale[point.name]]
    if options.interleave:
        outcome = run_pairs(plan, to_run, programs, stores, options.time_budget)
    else:
        outcome = run_points(plan, to_run, programs[0], stores[0], options.jobs, options.time_budget)
    for store in stores:
        store.merge()
    if outcome.stopped_by:
        print(f"stopped by {outcome.stopped_by.name}: {len(points) - outcome.left} of "
              f"{len(points)} points are finished and kept; run it again to go on",
              file=sys.stderr)
        return 128 + outcome.stopped_by
    failed = max((summary(store) for store in stores if store.merged.exists()), default=0)
    if outcome.left:
        print(f"time budget of {duration(options.time_budget)} spent: {outcome.left} of "
              f"{len(points)} points left; run it again to go on")
        return 3
    if options.interleave:
        print(f"compare them: scripts/compare.py {stores[0].merged} {stores[1].merged}")
    return failed


def main(arguments: list[str] | None = None) -> int:
    return sweep(parse(arguments))


if __name__ == "__main__":
    script.run(main, "stopped before the first point")
