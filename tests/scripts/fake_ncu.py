#!/usr/bin/env python3
"""Stands in for ncu: same options and output, made-up counts. To count a range, it runs the program
three times and names no kernel.

Files beside it say how it behaves: `refuse` (may not read the counters), `metrics` (the base names
that it knows, one a line), `hold` (it waits, after `ht` has run, until the file goes).
"""

import csv
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(sys.argv[0]).parent
COUNTS = {"read": 1000, "write": 200, "atom": 30, "red": 4, "hit": 800, "miss": 200}
FIXED = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream",
         "Block Size", "Grid Size", "Device", "CC"]


def table(metrics: list[str], is_range: bool) -> list[list[str]]:
    """The raw page of one kernel or range: names, units, values."""
    units, values = [], []
    for metric in metrics:
        if metric.startswith("smsp"):
            units.append("inst")
            values.append("1.5")
        elif metric.startswith("lts"):
            units.append("sector")
            values.append(f"{COUNTS[metric.removesuffix('.sum').rsplit('_', 1)[1]]:,}")
        else:
            units.append("byte" if metric.startswith("dram") else "nsecond")
            values.append("2,048" if metric.startswith("dram") else "7,000")
    kernel = ["0", "4242", "ht", "127.0.0.1", *(
        ["range", "1", "", "", ""] if is_range else
        ["insert", "1", "7", "(64, 1, 1)", "(528, 1, 1)"]), "0", "9.0"]
    return [[*FIXED, *metrics], ["" for _ in FIXED] + units, kernel + values]


def main() -> int:
    """Answers a question, or runs the program and leaves a log."""
    if "--version" in sys.argv:
        print("NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 1)")
        return 0
    if "--query-metrics" in sys.argv:
        print("Device NVIDIA Test (GT100)\n" + "-" * 40)
        for name in (HERE / "metrics").read_text(encoding="utf-8").split():
            print(f"{name}    Counter    sector    # of things")
        return 0
    log = Path(sys.argv[sys.argv.index("--log-file") + 1])
    metrics = sys.argv[sys.argv.index("--metrics") + 1].split(",")
    program = sys.argv[sys.argv.index("--log-file") + 2:]
    is_range = "app-range" in sys.argv
    with open(log, "w", encoding="utf-8") as out:
        if is_range and "--profile-from-start" in sys.argv:
            out.write("==ERROR== Option profile-from-start is not supported during range replay.\n")
            return 1
        if (HERE / "refuse").exists():
            out.write("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access "
                      "NVIDIA GPU Performance Counters on the target device 0.\n")
            return 1
        out.write("==PROF== Connected to process 4242 (/somewhere/ht)\n")
        for _ in range(3 if is_range else 1):
            ended = subprocess.run(program, check=False).returncode
            if ended:
                out.write(f"==ERROR== The application returned an error code ({ended}).\n")
        while (HERE / "hold").exists():
            time.sleep(0.01)
        out.write("==PROF== Disconnected from process 4242\n")
        csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table(metrics, is_range))
    return ended


sys.exit(main())
