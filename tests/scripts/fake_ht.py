#!/usr/bin/env python3
"""Stands in for a benchmark program: same command line and results file, made-up numbers.

The names of primitives say how it behaves: slow and slower (sleep before each combination), held
(does nothing while there is a file 'hold' beside the program), hangs, crashes, torn (killed inside
the write of its last combination), livelocks, hung (a timeout), wrong, unsound (wrong, as
declared), unsteady (wrong at
its first start), poisons (loses the GPU in its first combination), plain (has no axis
'backoff'), silent (exits without results), cut (leaves an empty file), garbled (a fact of a type
that results have not), elsewhere (runs on the other machine), throttled (in every second combination),
unmonitored (cannot ask the driver). With --tune it chooses 4 thread
blocks per SM, except that it has to exclude 8 for flaky, and does not get beyond that for stops. If
there is a file 'gpu' beside the program, it runs on a GPU. Each start is noted in the file 'starts'
beside the program.
"""

import itertools
import json
import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(os.path.realpath(__file__)).parent))
import synthetic  # noqa: E402  (found only after the line above)


def main() -> int:
    """Runs the combinations asked for and leaves a results file."""
    axes: dict[str, list[str]] = {}
    output = Path()
    repetitions = 1
    tune = False
    left_out = "nothing"
    arguments = iter(sys.argv[1:])
    for argument in arguments:
        if argument.startswith("--benchmark_out="):
            output = Path(argument.split("=", 1)[1])
        elif argument.startswith("--benchmark_repetitions="):
            repetitions = int(argument.split("=", 1)[1])
        elif argument == "--tune":
            tune = True
        elif argument.startswith("--benchmark_filter=-"):
            left_out = argument.split("-", 3)[3]
        else:
            axes[argument[2:].replace("-", "_")] = next(arguments).split(",")
    beside = Path(sys.argv[0]).parent
    is_first = not (beside / "starts").exists()
    with open(beside / "starts", "a", encoding="utf-8") as starts:
        starts.write(" ".join(sys.argv[1:-1]) + f" pid {os.getpid()}\n")
    machines = ["host executor", "gpu"]
    machine = machines[(beside / "gpu").exists()]
    document = {"context": synthetic.context(machine), "benchmarks": []}
    partial = output.with_name(output.name + ".partial")
    partial.write_text(json.dumps(document), encoding="utf-8")
    failed = False
    for chosen in itertools.product(*axes.values()):
        values = dict(zip(axes, chosen))
        primitive = values.pop("primitive")
        where = {axis: int(value) if value.isdecimal() else value for axis, value in values.items()}
        if primitive == "plain" and where.pop("backoff", "no") != "no":
            continue
        if re.match(left_out, synthetic.rows(primitive, {"tbs_per_sm": 1, **where}, 1.0, 1)[0]["run_name"]):
            continue
        time.sleep({"slow": 0.25, "slower": 0.4}.get(primitive, 0))
        while primitive == "held" and (beside / "hold").exists():
            time.sleep(0.01)
        if primitive in ("silent", "cut"):
            if primitive == "cut":
                partial.rename(output).write_text("", encoding="utf-8")
            print("fake: out of luck", file=sys.stderr)
            return 2
        if primitive == "elsewhere":
            document["context"] = synthetic.context(machines[machine == "host executor"])
        if primitive == "unmonitored":
            document["context"]["finesync"]["gpu"] = {**synthetic.GPU, "unmonitored": "no library"}
        last = where.get("tbs_per_sm") == 4
        if primitive == "hangs" and last:
            time.sleep(60)
        if primitive == "crashes" and last:
            os.kill(os.getpid(), signal.SIGSEGV)
        if primitive == "torn" and last:
            whole = synthetic.as_written(document["context"], [document["benchmarks"]] * 2)
            partial.write_text(whole[:-40], encoding="utf-8")
            os.kill(os.getpid(), signal.SIGKILL)
        ended = {"livelocks": "livelock", "hung": "hung", "wrong": "wrong",
                 "unsteady": "wrong" if is_first else "ok",
                 "poisons": "ok" if last else "error", "unsound": "declared_wrong"}.get(primitive, "ok")
        failed |= ended != "ok" or primitive in ("flaky", "stops")

        def add(grid: int, ended: str = ended, **fields: Any) -> None:
            document["benchmarks"] += [
                {**row, **fields, "items_per_second": 50e3 / (row["real_time"] or 1)}
                for row in synthetic.rows(primitive, {"tbs_per_sm": grid, **where}, 1.0,
                                          repetitions, ended)]

        if tune and primitive in ("flaky", "stops"):
            add(8, "wrong", excluded_candidate=True)
        if primitive == "stops":
            break
        more: dict[str, Any] = {"locks_lent_per_operation": 0.75} if primitive == "lends" else {}
        if primitive == "throttled" and last:
            more = {"throttled": {"by": ["power brake"], "samples": 1, "kept": True}, "sm_clock_mhz": 1755}
        add(4, tuned={"axes": {"tbs_per_sm": 4}, "candidates_tried": 3}) if tune else add(1, **more)
        if primitive == "garbled":
            document["benchmarks"][-1]["effective"]["padded"] = True
        partial.write_text(json.dumps(document), encoding="utf-8")
        if primitive == "poisons" and not last:
            return 3
    partial.rename(output)
    return 1 if failed else 0


sys.exit(main())
