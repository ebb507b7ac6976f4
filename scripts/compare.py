#!/usr/bin/env python3
"""Tells whether two runs differ: which points became faster or slower, and which end otherwise.

A and B are results files (.json, .json.gz), or folders of them, whose files are matched by name.
Points are matched by primitive and axes; a tuned point by what was asked for, not by the grid that
was chosen. Ratios are medians of B over medians of A: below 1, B is faster.

A point changed if its runs end otherwise, or if both hold:
- Its repetitions differ by more than chance. A permutation test over the repetitions of all points
  decides, by pairs where `sweep.py --interleave` measured both in turns; of the points called
  changed, at most the share --level is expected to be false. Points with fewer than 3 repetitions
  in a run are not tested.
- Its medians are further apart than --least, and than a repetition typically is from its median,
  which is half the distance of the quartiles, in either run.

Repetitions of one process do not show what differs between processes; those in turns do. Compare
two runs of one program first; if that reports changes, --least is too small for this machine.

examples:
  scripts/compare.py before/mutex_gpu.json after/mutex_gpu.json
  scripts/compare.py results/nvidia-h200 results/runs/my-gpu    did the driver change anything?
  scripts/compare.py A B --only mutex,primitive=spin --all
  scripts/compare.py A B --csv joined.csv --least 2
  scripts/compare.py results/nvidia-h200 results/nvidia-h100-80gb-hbm3 --across-gpus

exit status: 0 no point changed; 1 some did; 2 bad usage or input. Points that only one run has are
counted and are no change.
"""

from finesync import script  # first

import argparse
import textwrap
from pathlib import Path

MOST_LINES = 40
_LONGEST_LINE = 200


def share(text: str) -> float:
    """A share of false discoveries."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 1e-4 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share such as 0.01 (least: 0.0001)")
    return value


def percent(text: str) -> float:
    """A percentage, as a fraction."""
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage such as 1")
    return value / 100


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("a", type=Path, metavar="A", help="results file or folder: before")
    parser.add_argument("b", type=Path, metavar="B", help="the same: after")
    parser.add_argument("--only", action="append", default=[], metavar="PROGRAM[,AXIS=VALUE]",
                        help="only the points of this program, with these values; repeatable")
    parser.add_argument("--level", type=share, default=0.01, metavar="SHARE",
                        help="share of false changes among the reported changes (default: 0.01)")
    parser.add_argument("--least", type=percent, default=0.01, metavar="PERCENT",
                        help="smaller changes are none (default: 1)")
    parser.add_argument("--across-gpus", action="store_true", help="compare runs of GPUs of different names")
    parser.add_argument("--all", action="store_true", help=f"print all points; otherwise {MOST_LINES} lines at most")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all points of both here")
    return parser.parse_args(arguments)


script.answer_first(parse)

import numpy as np
import pandas as pd

from finesync.compare import circumstances
from finesync.compare.joining import (ENDED_OTHERWISE, FASTER, SLOWER, UNCHANGED, UNTESTED, Joined, join, pairs)
from finesync.results.errors import UserError, writing
from finesync.results.loading import Results


def count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def shown(ratio: float) -> str:
    return f"{ratio:.3f}" if ratio < 1e6 else f"{ratio:.3g}"


def head(a: list[Results], b: list[Results], options: argparse.Namespace) -> list[str]:
    """What is compared, and the circumstances that differ."""
    differing = circumstances.differences(a, b)
    lines = [f"A: {options.a}: {circumstances.described(a)}", f"B: {options.b}: {circumstances.described(b)}"]
    if differing:
        lines += textwrap.wrap(f"different (A | B): {'; '.join(differing)}", 120)
    if not all(results.timed for results in a):
        lines.append("only how points end is compared of runs on the host executor and of traffic, "
                     "which have no times")
    return lines


def summary(program: str, points: pd.DataFrame) -> str:
    """A program in one line."""
    counts = points["verdict"].value_counts()
    words = [f"{counts.get(verdict, 0)} {verdict}" for verdict in (FASTER, SLOWER, UNCHANGED)]
    words += [f"{counts[verdict]} {verdict}" for verdict in (ENDED_OTHERWISE, UNTESTED) if verdict in counts]
    ratios = points["ratio"].dropna()
    if len(ratios):
        words.append(f"median ratio {shown(ratios.median())}")
    return f"{program}: {count(len(points), 'point')}: {', '.join(words)}"


def without(names: list[str], side: str, what: str) -> list[str]:
    """A line about what only one side has."""
    shown = ", ".join(names[:2]) + (", ..." if len(names) > 2 else "")
    return [f"only in {side}: {count(len(names), what)}: {shown}"] if names else []


def line(point: pd.Series) -> str:
    """A point in one line."""
    if point["verdict"] == ENDED_OTHERWISE:
        return f"  {point['ended_a']} -> {point['ended_b']}  {point['point']}"
    if np.isnan(point["ratio"]):
        return f"  {point['ended_a']}  {point['point']}"
    before, after = point["seconds_a"], point["seconds_b"]
    unit, factor = next(((name, factor) for name, factor in (("s", 1), ("ms", 1e3), ("us", 1e6))
                         if before * factor >= 1), ("ns", 1e9))
    return (f"  {shown(point['ratio'])}  {point['verdict']}  {before * factor:.4g} -> "
            f"{after * factor:.4g} {unit}  {point['point']}")


def most_changed_first(table: pd.DataFrame) -> pd.DataFrame:
    """Points that end otherwise, those that changed, the rest; the largest ratios first."""
    rank = table["verdict"].map({ENDED_OTHERWISE: 0, FASTER: 1, SLOWER: 1}).fillna(2)
    size = np.log(table["ratio"]).abs().fillna(0)
    return table.iloc[np.lexsort((-size, rank))]


def verdict(table: pd.DataFrame) -> str:
    """One sentence."""
    number = table["verdict"].value_counts()
    changes = [f"{number[word]} {word}" for word in (ENDED_OTHERWISE, FASTER, SLOWER) if word in number]
    untested = number.get(UNTESTED, 0)
    rest = f"; {untested} with too few repetitions could not be tested" if untested else ""
    if not changes:
        return f"No change in {count(len(table), 'point')}{rest}."
    return f"Changed: of {count(len(table), 'point')} {', '.join(changes)}{rest}."


def report(joined: Joined, lines: list[str], everything: bool) -> list[str]:
    """All lines; without `everything` at most MOST_LINES, each of a readable length."""
    table = most_changed_first(joined.table)
    paired = int(joined.table["paired"].sum())
    if paired:
        lines = [*lines, f"{count(paired, 'point')} measured in turns, compared in pairs"]
    lines = lines + [summary(program, points) for program, points in joined.table.groupby("program")]
    changed = table[~table["verdict"].isin([UNCHANGED, UNTESTED])]
    shown = [line(point) for _, point in (table if everything else changed).iterrows()]
    space = max(MOST_LINES - len(lines) - 2, 0)
    if not everything and len(shown) > space:
        shown = [*shown[:space], f"  and {len(shown) - space} more; --all prints them"]
    lines += [*shown, verdict(joined.table)]
    return lines if everything else [
        text if len(text) <= _LONGEST_LINE else text[:_LONGEST_LINE - 3] + "..." for text in lines]


def write_csv(path: Path, joined: Joined) -> None:
    """The table with a column for each axis."""
    axes = pd.DataFrame(joined.table["settings"].tolist(), dtype=object)
    rest = joined.table.drop(columns="settings")
    table = pd.concat([rest[["program"]], axes, rest.drop(columns=["program", "point"])], axis="columns")
    with writing(path), open(path, "w", newline="", encoding="utf-8") as file:
        table.to_csv(file, index=False)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    loaded, files_a, files_b = pairs(options.a, options.b)
    a, b = [results for results, _ in loaded], [results for _, results in loaded]
    gpus = [", ".join(circumstances.gpu_names(side)) for side in (a, b)]
    if gpus[0] != gpus[1] and not options.across_gpus:
        raise UserError(f"A was measured on {gpus[0]}, B on {gpus[1]}; --across-gpus compares them")
    joined = join(loaded, options.only, options.level, options.least)
    if options.csv:
        write_csv(options.csv, joined)
    lines = head(a, b, options)
    for side, files, points in (("A", files_a, joined.only_a), ("B", files_b, joined.only_b)):
        lines += without(files, side, "file") + without(points, side, "point")
    print("\n".join(report(joined, lines, options.all)))
    return int(joined.table["verdict"].isin([FASTER, SLOWER, ENDED_OTHERWISE]).any())


if __name__ == "__main__":
    script.run(main)
