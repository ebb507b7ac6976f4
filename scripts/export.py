#!/usr/bin/env python3
"""Writes results as one table of comma-separated values, for a spreadsheet, R, or pandas.

A line is a point: program, GPU, primitive, how it ended, axes, what ran (effective.*), and each
measured number as median (real_time), lower (_low) and upper quartile (_high). With --repetitions a
line is one timed run.

  scripts/export.py results/nvidia-h200/mutex_gpu.json.gz > mutex.csv
  scripts/export.py results/runs/my-gpu/*.json --csv all.csv --repetitions

exit status: 0 written; 2 a file is missing or invalid, or the table cannot be written.
"""

from finesync import script  # first

import argparse
import sys
from pathlib import Path


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS.json[.gz]")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write here (default: stdout)")
    parser.add_argument("--repetitions", action="store_true", help="a line for each timed run")
    return parser.parse_args(arguments)


script.answer_first(parse)

import pandas as pd

from finesync.results.errors import writing
from finesync.results.loading import Results, load_results

# Google Benchmark's numbers of rows, the same for all or without a meaning here.
_UNUSED = ("family_index", "per_family_instance_index", "repetitions", "threads", "iterations", "cpu_time")


def table_of(results: Results, repetitions: bool) -> pd.DataFrame:
    """The points or repetitions of a file. A column holds texts or numbers."""
    frame = results.rows if repetitions else results.points.frame
    unused = [*_UNUSED, *([] if repetitions else ["repetition_index"]), "axes", "effective"]
    ran = pd.DataFrame(frame["effective"].map(lambda axes: axes or {}).tolist(), dtype=object,
                       index=frame.index).add_prefix("effective.")
    kept = frame.drop(columns=[name for name in frame if name.removesuffix("_low").removesuffix("_high") in unused])
    axes = pd.concat([kept, ran], axis="columns")
    axes["tuned"] = axes["tuned"].map(bool)  # the axes have what tuning chose
    for joined in ("planned", "cards"):
        axes[joined] = ["; ".join(sorted(each)) for each in axes[joined]]
    axes.insert(0, "program", results.program)
    axes.insert(1, "gpu", results.gpu_name)
    return axes


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    tables = [table_of(load_results(path), options.repetitions) for path in options.results]
    table = pd.concat(tables, ignore_index=True)
    if options.csv:
        with writing(options.csv), open(options.csv, "w", newline="", encoding="utf-8") as file:
            table.to_csv(file, index=False)
    else:
        table.to_csv(sys.stdout, index=False)
    return 0


if __name__ == "__main__":
    script.run(main)
