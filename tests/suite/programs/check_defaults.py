#!/usr/bin/env python3
"""Checks that a program runs with its default options on a GPU of the host executor: each row is
verified, or skipped for a reason that no default of the program could avoid.

  check_defaults.py PROGRAM GPU [OPTION OF THE PROGRAM]...
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

REASONS = (
    r"this primitive is part of CUDA and runs only on GPUs",
    r"clusters of \d+ blocks: this machine has no clusters, which need compute capability .*",
)


def complaints(rows: list[dict[str, Any]]) -> list[str]:
    """A line for each row that is neither."""
    if not rows:
        return ["no rows"]
    return [f"{row['name']}: {row['status']}: {row['reason']}" for row in rows
            if row["status"] != "ok" and not (row["status"] == "skipped" and any(
                re.fullmatch(reason, row["reason"]) for reason in REASONS))]


def main() -> int:
    program, gpu, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        ended = subprocess.run([program, *options, "--gpu", gpu, "--benchmark_repetitions=1",
                                f"--benchmark_out={results}"], stdout=subprocess.DEVNULL)
        rows = json.loads(results.read_text())["benchmarks"] if results.exists() else []
    found = complaints(rows)
    print("\n".join(found))
    return 1 if found or ended.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
