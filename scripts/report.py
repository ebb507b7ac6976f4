#!/usr/bin/env python3
"""Writes the report of all available results: a page for a browser, and one in Markdown.

The recorded runs, results/*/*.json[.gz], are part of it, and so are the results files named, which
come first. The page is one file of at most 2 MB that needs no network: which primitive is the
fastest for a need, the papers' claims and figures, and where the numbers come from. Figures are
those that scripts/figures.py has drawn next to the results.

examples:
  scripts/report.py
  scripts/report.py results/runs/nvidia-h200/*.json --out my/report.html

exit status: 0 written; 2 a file is missing or invalid.
"""

from finesync import script  # first

import argparse
from pathlib import Path


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("results", nargs="*", type=Path, metavar="RESULTS.json[.gz]",
                        help="results files besides the recorded runs")
    parser.add_argument("--only", action="store_true", help="leave the recorded runs out")
    parser.add_argument("--out", type=Path, metavar="FILE.html",
                        help="write here, and FILE.md beside it (default: results/report.html)")
    return parser.parse_args(arguments)


script.answer_first(parse)

from finesync.report import files
from finesync.results import recorded
from finesync.results.loading import load_once


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    named = list(dict.fromkeys(path.resolve() for path in options.results))
    known = [] if options.only else [path for path in recorded.files() if path not in named]
    report = (options.out or recorded.FOLDER / "report.html").resolve()
    for path in files.write([load_once(path) for path in [*named, *known]], report):
        print(path)
    return 0


if __name__ == "__main__":
    script.run(main)
