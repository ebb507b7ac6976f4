#!/usr/bin/python3
"""Draws every figure that results files have data for, as PNG and SVG, and a report on them.

Without arguments: of all recorded runs, results/*/*.json[.gz]. Figures go to the folder 'figures' beside
each results file and are named FILE-FIGURE.png and .svg; their paths are printed. With --report the
figures and how each run ended are put on one Markdown page.

examples:
  scripts/figures.py
  scripts/figures.py results/runs/host-executor/ht_host.json --report results/report.md

exit status: 0 drawn; 2 a file is missing or invalid, or nothing can be drawn.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

try:
    from finesync_results import figures
    from finesync_results.figures.output import save
except ModuleNotFoundError as missing:
    print(f"figures: no Python module {missing.name}; scripts/setup.sh installs it for "
          "/usr/bin/python3", file=sys.stderr)
    sys.exit(2)
from finesync_results.errors import UserError
from finesync_results.loading import Results, load_results
from finesync_results.report import page

ROOT = Path(__file__).resolve().parent.parent


def recorded() -> list[Path]:
    """The results files that the repository holds, without the papers' numbers."""
    return [path for path in sorted((ROOT / "results").glob("*/*.json*"))
            if path.parent.name != "published" and path.suffix in (".json", ".gz")]


def draw_all(results: Results) -> list[Path]:
    """Draws all figures of one results file; the paths written."""
    written: list[Path] = []
    for module in figures.ALL:
        figure = module.draw(results)
        if figure is not None:
            written += save(figure, results.path.parent / "figures",
                            f"{results.name}-{module.NAME}")
    return written


def main(arguments: list[str] | None = None) -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(
        prog="figures.py", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*", type=Path, metavar="RESULTS.json[.gz]",
                        help="results files to draw besides the recorded ones")
    parser.add_argument("--report", type=Path, metavar="FILE.md", help="write the report here")
    options = parser.parse_args(arguments)
    files = list(dict.fromkeys(path.resolve() for path in [*options.results, *recorded()]))
    try:
        if not files:
            raise UserError("there are no recorded runs yet; name a results file")
        loaded = [load_results(path) for path in files]
        written = [figure for results in loaded for figure in draw_all(results)]
        if not written:
            raise UserError("these results hold nothing that can be drawn")
        if options.report:
            write_report(options.report.resolve(), loaded)
    except UserError as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(path)
    return 0


def write_report(path: Path, loaded: list[Results]) -> None:
    """Writes the page about these results."""
    try:
        path.write_text(page(loaded, path.parent), encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot write ({error.strerror})") from None


if __name__ == "__main__":
    sys.exit(main())
