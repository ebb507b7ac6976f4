#!/usr/bin/python3
"""Draws every figure that results files have data for, as PNG and SVG, and a report on them.

Without arguments: of all recorded runs, results/*/*.json[.gz]. Figures go to the folder 'figures'
beside each results file and are named FILE-FIGURE.png and .svg, or FIGURE.png and .svg for what is
drawn from all results of one folder; their paths are printed, and a line for each figure that is
left out because its rows are missing. With --report the figures, tables and
how each run ended are put on one Markdown page.

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


def draw_all(results: Results) -> tuple[list[Path], list[str]]:
    """Draws all figures of one results file; the paths written, and a line for each figure that
    the results could have held and do not."""
    written: list[Path] = []
    left_out: list[str] = []
    for module in figures.ALL:
        if not figures.applies(module, results):
            continue
        figure = module.draw(results)
        if figure is None:
            left_out.append(f"{results.path}: no figure {module.NAME}, which needs {module.NEEDS}")
        else:
            written += save(figure, results.path.parent / "figures",
                            f"{results.name}-{module.NAME}")
    return written, left_out


def draw_across(loaded: list[Results]) -> tuple[list[Path], list[str]]:
    """The same of the figures that are about all results of one folder and machine."""
    written: list[Path] = []
    left_out: list[str] = []
    for module in figures.ACROSS:
        places: dict[Path, list[Results]] = {}
        for results in loaded:
            if figures.applies(module, results):
                places.setdefault(results.path.parent, []).append(results)
        for place, own in places.items():
            figure = module.draw(own)
            if figure is None:
                left_out.append(f"{place}: no figure {module.NAME}, which needs {module.NEEDS}")
            else:
                written += save(figure, place / "figures", module.NAME)
    return written, left_out


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
        drawn = [*(draw_all(results) for results in loaded), draw_across(loaded)]
        written = [path for paths, _ in drawn for path in paths]
        if not written:
            raise UserError("these results hold nothing that can be drawn")
        if options.report:
            write_report(options.report.resolve(), loaded)
    except UserError as error:
        print(f"figures: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(path)
    for _, left_out in drawn:
        for line in left_out:
            print(line)
    return 0


def write_report(path: Path, loaded: list[Results]) -> None:
    """Writes the page about these results."""
    try:
        path.write_text(page(loaded, path.parent), encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot write ({error.strerror})") from None


if __name__ == "__main__":
    sys.exit(main())
