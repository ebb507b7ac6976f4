"""The drawings of results: of each file, of all files of a folder, and of two folders."""

from __future__ import annotations

import signal
from multiprocessing.pool import Pool
from pathlib import Path

import pandas as pd

from ..compare.joining import join, pairs
from ..figures import originals as drawn_originals
from ..figures import shared, side_by_side
from ..figures.output import save
from ..freshness import Drawn
from ..results import originals
from ..results.errors import UserError
from ..results.loading import Results, load_once
from ..results.registry import workload_of
from .places import by_folder, of_gpu


def of_file(results: Results) -> Drawn:
    """Draws all figures of one results file. Returns the paths written, and a line for each figure
    whose rows are missing."""
    written: list[Path] = []
    left_out: list[str] = []
    workload = workload_of(results)
    for drawing in workload.figures.get(results.kind, ()) if workload else ():
        figure = drawing.draw(results)
        if figure is None:
            left_out.append(f"{results.path}: no figure {drawing.name}, which needs {drawing.needs}")
        else:
            written += save(figure, results.path.parent / "figures", f"{results.name}-{drawing.name}")
    return written, left_out


def of_path(path: Path) -> Drawn:
    """The same from the path, in a separate process, which has what its parent had read or reads it itself."""
    return of_file(load_once(path))


def processes() -> Pool:
    """Processes that leave Ctrl-C to this one from their start: it ends the drawing once."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return Pool()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def across(loaded: list[Results], mix_revisions: bool) -> dict[Path, Drawn]:
    """The same for the figures of all results of a folder, by folder."""
    drawn_in: dict[Path, Drawn] = {}
    for folder, on_gpu in by_folder(results for results in loaded if results.on_gpu).items():
        written, left_out = drawn_in.setdefault(folder, ([], []))
        for drawn in shared.draw(on_gpu, mix_revisions):
            if drawn.figure is None:
                left_out.append(f"{folder}: no figure {drawn.name}: {drawn.reason}")
            else:
                written += save(drawn.figure, folder / "figures", drawn.name)
    return drawn_in


def of_originals(results: Path, loaded: list[Results]) -> list[Path]:
    """Draws the papers' own programs, on each GPU beside our results of it."""
    return [path for original in originals.all_below(results)
            for name, figure in drawn_originals.drawings(original, of_gpu(results, original, loaded))
            for path in save(figure, original.folder / "figures", name)]


def side_by_side_of(folders: list[Path], out: Path) -> list[Path]:
    """Draws the programs that both folders have times of; the paths written."""
    loaded = [both for both in pairs(*folders)[0] if both[0].kind == "gpu"]
    if not loaded:
        raise UserError(f"{folders[0]} and {folders[1]} have no results of one program on a GPU")
    points = [join([both], [], level=0.01, least=0.01).table for both in loaded]
    limits = side_by_side.bounds(pd.concat(points))
    written: list[Path] = []
    for (a, b), table in zip(loaded, points):
        if figure := side_by_side.draw(a, b, table, limits):
            written += save(figure, out, a.name)
    return written
