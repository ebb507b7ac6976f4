#!/usr/bin/python3
"""Draws every figure that results files have data for, as PNG and SVG, and writes their tables.

Without arguments it draws all recorded runs, results/*/*.json[.gz], and those of the papers' own
programs, results/originals/*. Figures go to the folder 'figures' next to each results file as
FILE-FIGURE.png and .svg, tables to the folder 'tables' as FILE-TABLE.md. A figure or table of all
results of one folder is named FIGURE or TABLE. The script prints the paths of figures, and a line
for each figure that is left out because rows are missing.
With --report it puts the figures, tables and outcomes of each run on one Markdown page.

examples:
  scripts/figures.py
  scripts/figures.py results/runs/host-executor/ht_host.json --report results/report.md

exit status: 0 drawn; 2 a file is missing or invalid, or no figure can be drawn.
"""

from __future__ import annotations

from finesync import script  # first

import signal
from collections.abc import Callable
from multiprocessing.pool import Pool
from pathlib import Path

from finesync.claims import tables as claims
from finesync.claims.rows import HOST
from finesync.figures import originals as drawn_originals
from finesync.figures.output import save
from finesync.figures.report import page, tables_of
from finesync.figures.shared import SHARED
from finesync.papers import asplos19
from finesync.papers import originals as beside
from finesync.results import originals
from finesync.results.errors import UserError
from finesync.results.loading import Results, load_results
from finesync.results.markdown import Table
from finesync.results.registry import workload_of
from finesync.sweep.completeness import missing_primitives

ROOT = Path(__file__).resolve().parent.parent


def recorded() -> list[Path]:
    """The results files that the repository holds, without the papers' numbers and programs."""
    return [path for path in sorted((ROOT / "results").glob("*/*.json*"))
            if path.parent.name not in ("published", originals.FOLDER)
            and path.suffix in (".json", ".gz")]


def draw_all(results: Results) -> tuple[list[Path], list[str]]:
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


def draw_file(path: Path) -> tuple[list[Path], list[str]]:
    """The same from the path, in a separate process: results are not passed between processes."""
    return draw_all(load_results(path))


def drawing_processes() -> Pool:
    """Processes that leave Ctrl-C to this one from their start, so that it ends the drawing once."""
    own = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return Pool()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, own)


def draw_across(loaded: list[Results]) -> tuple[list[Path], list[str]]:
    """The same for the figures of all results of one folder."""
    written: list[Path] = []
    left_out: list[str] = []
    for drawing in SHARED:
        for place, own in by_place(loaded, drawing.applies).items():
            figure = drawing.draw(own)
            if figure is None:
                left_out.append(f"{place}: no figure {drawing.name}, which needs {drawing.needs}")
            else:
                written += save(figure, place / "figures", drawing.name)
    return written, left_out


def draw_originals(results: Path, loaded: list[Results]) -> list[Path]:
    """Draws the papers' own programs, on each GPU beside our results of it."""
    return [path for own in originals.all_below(results)
            for name, figure in drawn_originals.drawings(own, of_gpu(results, own, loaded))
            for path in save(figure, own.folder / "figures", name)]


def of_gpu(results: Path, own: originals.Originals, loaded: list[Results]) -> list[Results]:
    """Our results of the GPU that originals ran on."""
    return [one for one in loaded if one.path.parent == results / own.folder.name]


def write_tables(loaded: list[Results]) -> None:
    """Writes the tables of each results file, and those of each folder."""
    for results in loaded:
        for table in tables_of(results):
            write_table(results.path.parent, f"{results.name}-{table.id}", table)
    # Recorded counts first: a run of one's own must not change the tables of recorded GPUs.
    counted = sorted((results for results in loaded if results.kind == "host"),
                     key=lambda results: results.path.parent != HOST)
    for place, own in by_place(loaded, lambda results: results.on_gpu).items():
        for table in [*claims.of_gpu([*own, *counted]), *asplos19.tables(own)]:
            write_table(place, table.id, table)


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


def main(arguments: list[str] | None = None) -> int:
    parser = script.Parser(__doc__)
    parser.add_argument("results", nargs="*", type=Path, metavar="RESULTS.json[.gz]",
                        help="results files to draw in addition to the recorded ones")
    parser.add_argument("--only", action="store_true", help="leave the recorded ones out")
    parser.add_argument("--report", type=Path, metavar="FILE.md", help="write the report here")
    options = parser.parse_args(arguments)
    named = [*options.results, *([] if options.only else recorded())]
    files = list(dict.fromkeys(path.resolve() for path in named))
    if not files:
        raise UserError("there are no recorded runs yet; name a results file")
    loaded = [load_results(path) for path in files]
    for results in loaded:
        if missing := missing_primitives(results):
            raise UserError(f"{results.path}: no rows of {', '.join(missing)}, declared to "
                            f"compete in {results.program} and not run by its plan")
    with drawing_processes() as pool:
        drawing = pool.map_async(draw_file, files, chunksize=1)
        across = draw_across(loaded)
        write_tables(loaded)
        if not options.only:
            across[0].extend(draw_originals(ROOT / "results", loaded))
            write_tables_of_originals(ROOT / "results", loaded)
        drawn = [*drawing.get(), across]
    written = [path for paths, _ in drawn for path in paths]
    if not written:
        raise UserError("these results hold nothing that can be drawn")
    if options.report:
        report = options.report.resolve()
        write(report, page(loaded, report.parent))
    for path in written:
        print(path)
    for _, left_out in drawn:
        for line in left_out:
            print(line)
    return 0


if __name__ == "__main__":
    script.run(main)
