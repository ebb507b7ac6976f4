"""The recorded runs: the results files that the repository holds, and the rows of one GPU by program."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ..query.numbers import Missing
from ..query.points import PointTable
from ..query.selection import Selection
from . import originals
from .errors import UserError
from .loading import Results, load_once
from .originals import Originals
from .registry import ROOT
from .schemas import TRAFFIC

FOLDER = ROOT / "results"
HOST = FOLDER / "host-executor"
_WITHOUT = {"gpu": "is not recorded", "gpu_traffic": "has no recorded traffic", "host": "has no recorded counts"}

# The results of a program and of a kind (gpu, gpu_traffic, host); None if there are none.
Finder = Callable[[str, str], "Results | None"]


@dataclass(frozen=True, eq=False)
class Recorded:
    """The results of one GPU, and the host executor's. `originals`: of the papers' own programs on
    the same GPU, if they were measured."""

    name: str
    find: Finder
    originals: Originals | None = None

    def results(self, selection: Selection, kind: str) -> Results:
        """The results that have the rows of a selection."""
        found = self.find(selection.program, kind)
        if found is None and kind == "gpu":
            raise Missing(f"{selection.program} {_WITHOUT[kind]}")
        if found is None or self._of_form(found, selection.form).empty:
            raise Missing(f"{selection.form} {_WITHOUT[kind]}")
        return found

    def points(self, selection: Selection, kind: str) -> PointTable:
        """The points that a selection means; there are some."""
        points = self._of_form(self.results(selection, kind), selection.form)
        found = points.where(~points["excluded"]).at(selection)
        if found.empty:
            raise Missing(f"{selection} {_WITHOUT[kind]}")
        return found

    @functools.cached_property
    def _of_form(self) -> Callable[[Results, str], PointTable]:
        """The points of a primitive. Claims ask for the same ones many times."""
        return functools.lru_cache(maxsize=None)(lambda results, form: results.points.of_primitives(form))

    @functools.cached_property
    def by_originals(self) -> Recorded:
        """The same with the originals' times in place of those of the forms printed after them."""
        @functools.lru_cache(maxsize=None)
        def find(program: str, kind: str) -> Results | None:
            ours = self.find(program, kind)
            if self.originals is None or kind != "gpu":
                return ours
            return originals.in_place_of(ours, self.originals.results(program))
        return replace(self, find=find)


def files() -> list[Path]:
    """All of them, without the papers' numbers and programs."""
    return [path for path in sorted(FOLDER.glob("*/*.json*")) if is_recorded(path)]


def is_recorded(path: Path) -> bool:
    return path.parent.parent == FOLDER and path.parent.name not in (
        "published", originals.FOLDER) and path.suffix in (".json", ".gz")


def gpu_folders() -> list[Path]:
    """The folders of recorded GPUs."""
    return sorted({path.parent for path in FOLDER.glob("*/*_gpu.json*")})


def of_results(name: str, loaded: Iterable[Results], theirs: Originals | None = None) -> Recorded:
    """Results of one GPU, and counts; of several of a program and kind the first counts."""
    found: dict[tuple[str, str], Results] = {}
    for results in loaded:
        found.setdefault((results.program.removesuffix(TRAFFIC), results.kind), results)
    return Recorded(name, lambda program, kind: found.get((program, kind)), theirs)


def of_folder(folder: Path) -> Recorded:
    """The results of a folder. Counts of the host executor are those that are recorded, if the
    folder has none. Files are read when a claim needs them."""
    @functools.lru_cache(maxsize=None)
    def find(program: str, kind: str) -> Results | None:
        places = [folder, HOST] if kind == "host" else [folder]
        paths = [place / f"{program}_{kind}.json{packed}" for place in places for packed in ("", ".gz")]
        return next((load_once(path) for path in paths if path.exists()), None)
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    return Recorded(folder.name, find, originals.beside(folder))
