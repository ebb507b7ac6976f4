#!/usr/bin/python3
"""Lists the programs for shell scripts, a line each, by their folders in workloads/.

  scripts/list_programs.py plans KIND   the plans for gpu, host or gpu_traffic: results name, file
  scripts/list_programs.py small-runs   a small run of each program: its name, the primitives that
                                   racecheck supports or '-', and its options
"""

from __future__ import annotations

from finesync import script  # first

from finesync.results.registry import ROOT, plans, workloads
from finesync.sweep.plan import load_plan


def main(arguments: list[str] | None = None) -> int:
    parser = script.Parser(__doc__)
    parser.add_argument("what", choices=("plans", "small-runs"))
    parser.add_argument("kind", nargs="?", choices=("gpu", "host", "gpu_traffic"))
    options = parser.parse_args(arguments)
    if (options.what == "plans") != (options.kind is not None):
        parser.error("plans has a KIND, and small-runs has none")
    if options.what == "plans":
        for path in plans(options.kind):
            print(load_plan(path).name, path.relative_to(ROOT))
    else:
        for workload in workloads().values():
            print(workload.program, ",".join(workload.racecheck) or "-", workload.small_run)
    return 0


if __name__ == "__main__":
    script.run(main)
