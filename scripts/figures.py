#!/usr/bin/python3
"""Draws every figure that results files have data for, as PNG and SVG, and writes their tables.

Figures go to the folder 'figures' next to each results file as FILE-FIGURE.png and .svg, tables to
the folder 'tables' as FILE-TABLE.md. A figure or table of all results of one folder is named FIGURE
or TABLE; those of the papers have the paper and the number: thesis-figure5.4. The script prints the
paths of figures, and a line for each figure that is left out because rows are missing. With
--report it puts the figures, tables and outcomes of each run, and those of the recorded runs, on
one Markdown page, and on one for a browser beside it (scripts/report.py).

What is up to date with the results, the scripts and matplotlib's version is not drawn again;
'figures/drawn.json' next to the results tells.

The recorded runs of the repository, results/*/*.json[.gz], are drawn only with --record, always
anew and whole folders at a time; so are the verdicts of all recorded GPUs side by side, and the
figures and tables of the papers' own programs, results/originals/*.

With --compare it draws, for each program that two folders of results have, how many times as long
each primitive takes in the second: two GPUs, or two revisions, side by side. These figures go to
--out.

examples:
  scripts/figures.py results/runs/host-executor/ht_host.json --report results/report.md
  scripts/figures.py --record
  scripts/figures.py --compare results/nvidia-h200 results/runs/my-gpu

exit status: 0 drawn; 2 a file is missing or invalid, or no figure can be drawn, or a figure of a
paper would join results of several revisions.
"""

from __future__ import annotations

from finesync import script  # first

import argparse
import signal
from collections.abc import Callable
from multiprocessing.pool import Pool
from pathlib import Path


RESULTS = Path(__file__).resolve().parent.parent / "results"


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("results", nargs="*", type=Path, metavar="RESULTS.json[.gz]",
                        help="results files to draw")
    parser.add_argument("--record", action="store_true",
                        help="draw the recorded runs, or the folders of the files named")
    parser.add_argument("--only", action="store_true",
                        help="leave the recorded runs out of the report")
    parser.add_argument("--mix-revisions", action="store_true",
                        help="let figures of papers join results of several revisions")
    parser.add_argument("--report", type=Path, metavar="FILE.md",
                        help="write the report here, and FILE.html beside it")
    parser.add_argument("--compare", nargs=2, type=Path, metavar="FOLDER",
                        help="draw the results of the second folder beside those of the first")
    parser.add_argument("--out", type=Path, metavar="FOLDER", default=RESULTS / "runs" / "compared",
                        help="where the figures of --compare go (default: results/runs/compared)")
    options = parser.parse_args(arguments)
    if options.compare and (options.results or options.record or options.report):
        parser.error("--compare draws two folders and nothing else")
    return options


script.answer_first(parse)

import pandas as pd

from finesync.claims import tables as claims
from finesync.claims.judge import judge_all
from finesync.claims.rows import HOST, gpu_folders, of_folder
from finesync.figures import originals as drawn_originals
from finesync.compare.joining import join, pairs
from finesync.figures import shared, side_by_side
from finesync.figures.output import save
from finesync.freshness import Drawings, Drawn
from finesync.items import page as item_page
from finesync.items import tables as item_tables
from finesync.papers import originals as beside
from finesync.report import files as report_files
from finesync.report.markdown_page import tables_of
from finesync.results import application_tables, originals, recorded
from finesync.results.errors import UserError
from finesync.results.loading import Results, load_results
from finesync.results.markdown import Table
from finesync.results.registry import workload_of
from finesync.sweep.completeness import missing_primitives

# The folder for tables of several GPUs.
ALL_GPUS = "all-gpus"


def draw_all(results: Results) -> Drawn:
    """Draws all figures of one results file. Returns the paths written, and a line for each figure
    whose rows are missing."""
    written: list[Path] = []
    left_out: list[str] = []
    workload = workload_of(results)
    for drawing in workload.figures.get(results.kind, ()) if workload else ():
        figure = drawing.draw(results)
        if figure is None:
            left_out.append(
                f"{results.path}: no figure {drawing.name}, which needs {drawing.needs}")
        else:
            written += save(figure, results.path.parent / "figures",
                            f"{results.name}-{drawing.name}")
    return written, left_out


def draw_file(path: Path) -> Drawn:
    """The same from the path, in a separate process: results are not passed between processes."""
    return draw_all(load_results(path))


def drawing_processes() -> Pool:
    """Processes that leave Ctrl-C to this one from their start: it ends the drawing once."""
    own = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return Pool()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, own)


def draw_across(loaded: list[Results], mix_revisions: bool) -> dict[Path, Drawn]:
    """The same for the figures of all results of a folder, by folder."""
    drawn_in: dict[Path, Drawn] = {}
    for place, own in by_place(loaded, lambda results: results.on_gpu).items():
        written, left_out = drawn_in.setdefault(place, ([], []))
        for drawn in shared.draw(own, mix_revisions):
            if drawn.figure is None:
                left_out.append(f"{place}: no figure {drawn.name}: {drawn.reason}")
            else:
                written += save(drawn.figure, place / "figures", drawn.name)
    return drawn_in


def draw_originals(results: Path, loaded: list[Results]) -> list[Path]:
    """Draws the papers' own programs, on each GPU beside our results of it."""
    return [path for own in originals.all_below(results)
            for name, figure in drawn_originals.drawings(own, of_gpu(results, own, loaded))
            for path in save(figure, own.folder / "figures", name)]


def of_gpu(results: Path, own: originals.Originals, loaded: list[Results]) -> list[Results]:
    """Our results of the GPU that originals ran on."""
    return [one for one in loaded if one.path.parent == results / own.folder.name]


def write_tables(loaded: list[Results], mix_revisions: bool = False,
                 more_counts: list[Results] | None = None) -> None:
    """Writes the tables of each results file, and those of each folder, for which the counts of
    other files may be given."""
    for results in loaded:
        for table in tables_of(results):
            write_table(results.path.parent, f"{results.name}-{table.id}", table)
    # Recorded counts first: a run of one's own must not change the tables of recorded GPUs.
    counted = sorted((results for results in [*loaded, *(more_counts or [])]
                      if results.kind == "host"),
                     key=lambda results: results.path.parent != HOST)
    for place, own in by_place(loaded, lambda results: results.on_gpu).items():
        made = item_tables.tables(own, mix_revisions)
        for table in [*claims.of_gpu([*own, *counted]), *made.values(),
                      *application_tables.of_gpu(own),
                      *item_page.tables([*own, *counted], made)]:
            write_table(place, table.id, table)


def write_verdicts(folder: Path, gpus: list[Path]) -> None:
    """Writes the table of the verdicts of GPUs side by side into a folder."""
    by_gpu = {own.name: judge_all(own) for own in map(of_folder, gpus)}
    if by_gpu:
        write_table(folder, "claims", claims.side_by_side(by_gpu))


def write_tables_of_originals(results: Path, loaded: list[Results]) -> None:
    """Writes the tables of the papers' own programs, on each GPU beside our results of it."""
    for own in originals.all_below(results):
        for table in beside.tables(own, of_gpu(results, own, loaded)):
            write_table(own.folder, table.id, table)


def write_table(place: Path, name: str, table: Table) -> None:
    (place / "tables").mkdir(parents=True, exist_ok=True)
    write(place / "tables" / f"{name}.md", "\n".join([table.title, "", *table.lines, ""]))


def by_place(loaded: list[Results], wanted: Callable[[Results], bool]) -> dict[Path, list[Results]]:
    """The wanted results of each folder."""
    places: dict[Path, list[Results]] = {}
    for results in filter(wanted, loaded):
        places.setdefault(results.path.parent, []).append(results)
    return places


def write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot write ({error.strerror})") from None


def draw_side_by_side(folders: list[Path], out: Path) -> list[Path]:
    """Draws the programs that both folders have times of; the paths written."""
    loaded = [both for both in pairs(*folders)[0] if both[0].kind == "gpu"]
    if not loaded:
        raise UserError(f"{folders[0]} and {folders[1]} have no results of one program on a GPU")
    points = [join([both], [], level=0.01, least=0.01).table for both in loaded]
    limits = side_by_side.bounds(pd.concat(points))
    written: list[Path] = []
    for (a, b), own in zip(loaded, points):
        if figure := side_by_side.draw(a, b, own, limits):
            written += save(figure, out, a.name)
    return written


def chosen(named: list[Path], record: bool) -> list[Path]:
    """The files to draw."""
    if record:
        folders = {path.parent for path in named}
        return [path for path in recorded.files() if not named or path.parent in folders]
    if not named:
        raise UserError("name results files, or use --record to draw the recorded runs")
    for path in filter(recorded.is_recorded, named):
        raise UserError(f"{path} is of the recorded runs: --record draws its folder anew")
    return named


def draw(options: argparse.Namespace, files: list[Path], others: list[Path], kept: Drawings,
         report: Path | None) -> list[Drawn]:
    """Draws what is stale, and all with --record; writes tables and report."""
    loaded = [load_results(path) for path in files]
    for results in loaded:
        if missing := missing_primitives(results):
            raise UserError(f"{results.path}: no rows of {', '.join(missing)}, declared to "
                            f"compete in {results.program} and not run by its plan")
    # Counts are not recorded per GPU: those of the repository judge runs of one's own, too.
    at_hand = [load_results(path) for path in others]
    counted = [results for results in at_hand if results.kind == "host"]
    drawn = {} if options.record else {path: known for path in files if (known := kept.of(path))}
    stale = [path for path in files if path not in drawn]
    with drawing_processes() as pool:
        drawing = pool.map_async(draw_file, stale, chunksize=1)
        across = draw_across(loaded, options.mix_revisions)
        write_tables(loaded, options.mix_revisions, counted)
        if options.record:
            write_verdicts(recorded.FOLDER / ALL_GPUS, gpu_folders())
            across[recorded.FOLDER] = draw_originals(recorded.FOLDER, [*loaded, *at_hand]), []
            write_tables_of_originals(recorded.FOLDER, [*loaded, *at_hand])
        drawn |= dict(zip(stale, drawing.get()))
    drawn = {path: drawn[path] for path in files} | across
    if not any(paths for paths, _ in drawn.values()):
        raise UserError("these results hold nothing that can be drawn")
    if not options.record:
        kept.keep(drawn)
    if report:
        report_files.write([*loaded, *at_hand], report, options.mix_revisions, kept.mark)
    return list(drawn.values())


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.compare:
        print("\n".join(map(str, draw_side_by_side(options.compare, options.out))))
        return 0
    named = list(dict.fromkeys(path.resolve() for path in options.results))
    files = chosen(named, options.record)
    if not files:
        raise UserError("there are no recorded runs yet; name a results file")
    others = [] if options.only else [path for path in recorded.files() if path not in files]
    report = options.report and options.report.resolve()
    kept = Drawings(files, others, f"mixed: {options.mix_revisions}")
    pages = report_files.pages_of(report) if report else ()
    drawn = (None if options.record else kept.all(pages)) or draw(options, files, others, kept,
                                                                  report)
    for path in (path for paths, _ in drawn for path in paths):
        print(path)
    for line in (line for _, left_out in drawn for line in left_out):
        print(line)
    return 0


if __name__ == "__main__":
    script.run(main)
