#!/usr/bin/env python3
"""Lists the programs for shell scripts, a line each, by their folders in workloads/.

  scripts/dev/list_programs.py plans KIND,...   the plans of these kinds, such as gpu, gpus or host:
                                   results name, file
  scripts/dev/list_programs.py small-runs   a small run of each program: its name, the primitives that
                                   racecheck supports or '-', and its options
"""

import sys
sys.path.insert(0, f"{sys.path[0]}/..")  # for the scripts' package
from finesync import script  # first

import argparse

from finesync.sweep.arguments import kinds


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("what", choices=("plans", "small-runs"))
    parser.add_argument("kinds", nargs="?", type=kinds, metavar="KIND,...")
    parser.add_argument("--only", default="", metavar="PROGRAM,...", help="only the plans of these programs")
    options = parser.parse_args(arguments)
    if (options.what == "plans") != (options.kinds is not None):
        parser.error("plans needs a KIND, and small-runs takes none")
    return options


script.answer_first(parse)

from finesync.results.registry import ROOT, workloads
from finesync.sweep.plan import plans_of


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.what == "plans":
        for plan in plans_of(options.kinds, options.only):
            print(plan.name, plan.path.relative_to(ROOT))
    else:
        for workload in workloads().values():
            print(workload.program, ",".join(workload.racecheck) or "-", workload.small_run)
    return 0


if __name__ == "__main__":
    script.run(main)
