#!/usr/bin/python3
"""Lists the programs for shell scripts, a line each, by their folders in workloads/.

  scripts/list_programs.py plans KIND   the plans for gpu, host or gpu_traffic: results name, file
  scripts/list_programs.py small-runs   a small run of each program: its name, the primitives that
                                   racecheck supports or '-', and its options
"""

from __future__ import annotations

import sys

from finesync.results.errors import UserError
from finesync.results.registry import ROOT, plans, workloads
from finesync.sweep.plan import load_plan


def main(arguments: list[str]) -> int:
    try:
        if arguments[:1] == ["plans"] and len(arguments) == 2:
            for path in plans(arguments[1]):
                print(load_plan(path).name, path.relative_to(ROOT))
            return 0
        if arguments == ["small-runs"]:
            for workload in workloads().values():
                print(workload.program, ",".join(workload.racecheck) or "-", workload.small_run)
            return 0
    except UserError as error:
        print(f"programs: {error}", file=sys.stderr)
        return 2
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
