"""The tables of results in files of their own, in the folder 'tables' next to them."""

from __future__ import annotations

import functools
from pathlib import Path

from ..claims import tables as claims
from ..claims.judge import judge_all
from ..items import tables as item_tables
from ..papers import originals as beside
from ..query.tables import Table
from ..results import applications, originals
from ..results.errors import writing
from ..results.loading import Results
from ..results.recorded import HOST, of_folder
from ..results.registry import workload_of
from .places import by_folder, of_gpu

# The folder for tables of several GPUs.
ALL_GPUS = "all-gpus"


@functools.lru_cache(maxsize=None)
def tables_of(results: Results) -> list[Table]:
    """The tables of one results file."""
    workload = workload_of(results)
    maker = workload.tables.get(results.kind) if workload else None
    return maker(results) if maker else []


def write_all(loaded: list[Results], mix_revisions: bool = False, more_counts: list[Results] | None = None) -> None:
    """Writes the tables of each results file, and those of each folder, for which the counts of
    other files may be given."""
    for results in loaded:
        for table in tables_of(results):
            _write_table(results.path.parent, f"{results.name}-{table.id}", table)
    # Recorded counts first: a run of one's own must not change the tables of recorded GPUs.
    counted = sorted((results for results in [*loaded, *(more_counts or [])]
                      if results.kind == "host"),
                     key=lambda results: results.path.parent != HOST)
    for place, own in by_folder(results for results in loaded if results.on_gpu).items():
        made = item_tables.tables(own, mix_revisions)
        for table in [*claims.of_gpu([*own, *counted]), *made.values(),
                      *applications.of_gpu(own),
                      *item_tables.listed([*own, *counted], made)]:
            _write_table(place, table.id, table)


def write_verdicts(folder: Path, gpus: list[Path]) -> None:
    """Writes the tables of the verdicts of GPUs side by side, and of changed criteria, into a folder."""
    recorded = {own.name: own for own in map(of_folder, gpus)}
    if recorded:
        by_gpu = {name: judge_all(own) for name, own in recorded.items()}
        _write_table(folder, "claims", claims.side_by_side(by_gpu, recorded))
        _write_table(folder, "claims-changes", claims.changes())


def write_originals(results: Path, loaded: list[Results]) -> None:
    """Writes the tables of the papers' own programs, on each GPU beside our results of it."""
    for own in originals.all_below(results):
        for table in beside.tables(own, of_gpu(results, own, loaded)):
            _write_table(own.folder, table.id, table)


def _write_table(place: Path, name: str, table: Table) -> None:
    (place / "tables").mkdir(parents=True, exist_ok=True)
    _write(place / "tables" / f"{name}.md", "\n".join([table.title, "", *table.lines, ""]))


def _write(path: Path, text: str) -> None:
    with writing(path):
        path.write_text(text, encoding="utf-8")
