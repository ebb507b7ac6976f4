#!/usr/bin/env python3
"""Draws every figure that results files have data for, as SVG, and writes their tables.

Figures go to the folder 'figures' next to each results file as FILE-FIGURE.svg (with --png also
.png), tables to the folder 'tables' as FILE-TABLE.md. A figure or table of all results of one
folder is named FIGURE or TABLE; those of the papers have the paper and the number:
thesis-figure5.4. The script prints the paths of figures, and a line for each figure that is left
out because rows are missing. With --report it puts the figures, tables and outcomes of each run,
and those of the recorded runs, on one Markdown page, and on one for a browser beside it
(scripts/report.py).

What is up to date with the results, the scripts and matplotlib's version is not drawn again;
'figures/drawn.json' next to the results tells.

The recorded runs of the repository, results/*/*.json[.gz], are drawn only with --record. It draws
whole folders, even if they are up to date. It also writes the verdicts of all recorded GPUs side by
side, and the figures and tables of the papers' own programs, results/originals/*.

With --compare it draws, for each program that two folders of results have, how many times as long
each primitive takes in the second: two GPUs, or two revisions, side by side. These figures go to
--out.

With --with a primitive of one's own stands beside ours in the papers' figures, and in those that have room for
the fastest alone, however slow it is.

examples:
  scripts/figures.py results/runs/host-executor/ht_host.json --report results/report.md
  scripts/figures.py results/runs/my-gpu/*.json --with my_barrier --report results/report.md
  scripts/figures.py --record
  scripts/figures.py --compare results/nvidia-h200 results/runs/my-gpu

exit status: 0 drawn; 2 a file is missing or invalid, or no figure can be drawn, or a figure of a
paper would join results of several revisions.
"""

from finesync import script  # first

import argparse
from pathlib import Path


RESULTS = Path(__file__).resolve().parent.parent / "results"

NOTHING_DRAWN = "these results have nothing to draw"


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("results", nargs="*", type=Path, metavar="RESULTS.json[.gz]", help="results files to draw")
    parser.add_argument("--record", action="store_true",
                        help="draw the recorded runs, or the folders of the files named")
    parser.add_argument("--only", action="store_true", help="leave the recorded runs out of the report")
    parser.add_argument("--png", action="store_true", help="draw everything again, also as PNG")
    parser.add_argument("--mix-revisions", action="store_true",
                        help="let figures of papers join results of several revisions")
    parser.add_argument("--with", action="append", default=[], dest="own", metavar="PRIMITIVE",
                        help="show this primitive whatever its speed; may be repeated")
    parser.add_argument("--report", type=Path, metavar="FILE.md", help="write the report here, and FILE.html beside it")
    parser.add_argument("--compare", nargs=2, type=Path, metavar="FOLDER",
                        help="draw the results of the second folder beside those of the first")
    parser.add_argument("--out", type=Path, metavar="FOLDER", default=RESULTS / "runs" / "compared",
                        help="where the figures of --compare go (default: results/runs/compared)")
    options = parser.parse_args(arguments)
    if options.compare and (options.results or options.record or options.report):
        parser.error("--compare draws two folders and nothing else")
    if options.own and (options.compare or options.record):
        parser.error("--with is for results of your own that are drawn by themselves")
    return options


script.answer_first(parse)

from finesync.figures import output
from finesync.freshness import Drawings, Drawn
from finesync.report import drawings, folder_tables
from finesync.report import files as report_files
from finesync.results import asked, recorded
from finesync.results.errors import UserError
from finesync.results.loading import load_once
from finesync.sweep.completeness import missing_primitives


def chosen(named: list[Path], record: bool) -> list[Path]:
    """The files to draw."""
    if record:
        folders = {path.parent for path in named}
        return [path for path in recorded.files() if not named or path.parent in folders]
    if not named:
        raise UserError("name results files, or use --record to draw the recorded runs")
    for path in filter(recorded.is_recorded, named):
        raise UserError(f"{path} belongs to the recorded runs: --record draws its folder again")
    return named


def draw(options: argparse.Namespace, files: list[Path], others: list[Path], kept: Drawings,
         report: Path | None) -> list[Drawn]:
    """Draws what is stale, and all with --record; writes tables and report."""
    loaded = [load_once(path) for path in files]
    for results in loaded:
        missing = missing_primitives(results)
        if missing:
            raise UserError(f"{results.path} has no rows of {', '.join(missing)}, which are "
                            f"declared for {results.program} but not run by its plan")
    asked.check(loaded)
    # Counts are not recorded per GPU: those of the repository judge runs of one's own, too.
    at_hand = [load_once(path) for path in others]
    counted = [results for results in at_hand if results.kind == "host"]
    known = {} if options.record or options.png else {path: kept.of(path) for path in files}
    drawn = {path: names for path, names in known.items() if names}
    stale = [path for path in files if path not in drawn]
    with drawings.processes() as pool:
        drawing = pool.map_async(drawings.of_path, stale, chunksize=1)
        across = drawings.across(loaded, options.mix_revisions)
        folder_tables.write_all(loaded, options.mix_revisions, counted)
        if options.record:
            folder_tables.write_verdicts(recorded.FOLDER / folder_tables.ALL_GPUS, recorded.gpu_folders())
            across[recorded.FOLDER] = drawings.of_originals(recorded.FOLDER, [*loaded, *at_hand]), []
            folder_tables.write_originals(recorded.FOLDER, [*loaded, *at_hand])
        drawn |= dict(zip(stale, drawing.get()))
    drawn = {path: drawn[path] for path in files} | across
    if not report and not any(paths for paths, _ in drawn.values()):
        raise UserError(NOTHING_DRAWN)
    if not options.record:
        kept.keep(drawn)
    if report:
        report_files.write([*loaded, *at_hand], report, kept.mark)
    return list(drawn.values())


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.png:
        output.also_as_png()
    asked.ask_for(options.own)
    if options.compare:
        print("\n".join(map(str, drawings.side_by_side_of(options.compare, options.out))))
        return 0
    named = list(dict.fromkeys(path.resolve() for path in options.results))
    files = chosen(named, options.record)
    if not files:
        raise UserError("there are no recorded runs yet; name a results file")
    others = [] if options.only else [path for path in recorded.files() if path not in files]
    report = options.report and options.report.resolve()
    kept = Drawings(files, others, f"mixed: {options.mix_revisions}")
    pages = report_files.pages_of(report) if report else ()
    anew = options.record or options.png
    drawn = (None if anew else kept.all(pages)) or draw(options, files, others, kept, report)
    for path in (path for paths, _ in drawn for path in paths):
        print(path)
    for line in (line for _, left_out in drawn for line in left_out):
        print(line)
    if not any(paths for paths, _ in drawn):
        print(f"no figures: {NOTHING_DRAWN}")
    return 0


if __name__ == "__main__":
    script.run(main)
