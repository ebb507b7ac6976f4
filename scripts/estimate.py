#!/usr/bin/env python3
"""Says how long plans take and how much disk their results need, by recorded runs.

Of each plan it takes the run of this GPU (--gpu) in results/, and otherwise that of the GPU with the
most recorded plans. A plan that no run has rows of is 'not known'. Builds are not counted.

  scripts/estimate.py gpu
  scripts/estimate.py gpu --only mutex,ht --shard 1/8 --time-budget 15s
"""

from finesync import script  # first

import argparse

from finesync.sweep.arguments import kinds, positive, seconds, shard


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("kinds", type=kinds, metavar="KIND,...", help="of plans, such as gpu, gpus or host")
    parser.add_argument("--only", default="", metavar="PROGRAM,...", help="only the plans of these programs")
    parser.add_argument("--gpu", default="", metavar="FOLDER", help="such as nvidia-h200")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="points at a time")
    parser.add_argument("--shard", type=shard, default=(1, 1), metavar="I/N", help="as of sweep.py")
    parser.add_argument("--time-budget", type=seconds, default=float("inf"), metavar="10m",
                        help="of each plan, as of sweep.py")
    return parser.parse_args(arguments)


script.answer_first(parse)

from finesync.results.registry import ROOT
from finesync.sweep.cost import cost_of
from finesync.sweep.plan import plans_of
from finesync.sweep.progress import duration


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    plans = plans_of(options.kinds, options.only)
    time, size, known = 0.0, 0.0, 0
    for plan in plans:
        first, step = options.shard
        points = plan.points[first - 1::step]
        cost = cost_of(plan, points, ROOT / "results", options.gpu)
        if cost is None:
            print(f"{plan.name}: {len(points)} points, time not known")
            continue
        seconds = min(cost.seconds / options.jobs, options.time_budget)
        print(f"{plan.name}: {len(points)} points, about {duration(seconds)}, as on {cost.machine}")
        time, size, known = time + seconds, size + cost.bytes, known + 1
    unknown = (f", without {len(plans) - known} of {len(plans)} plans" if known < len(plans) else "")
    print(f"in all about {duration(time)} and {size / 1e6:.0f} MB of disk{unknown}")
    return 0


if __name__ == "__main__":
    script.run(main)
