"""The recorded rows of one GPU and of the host executor, and the points that a case is about."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..query.points import PointTable
from ..results import originals
from ..results.errors import UserError
from ..results.loading import Results, load_once
from ..results.originals import Originals
from ..results.registry import ROOT
from ..results.schemas import TRAFFIC
from .values import Missing

RESULTS = ROOT / "results"
HOST = RESULTS / "host-executor"
# Servers or locks at a grid that takes more than that times the least time say little of the best.
NEAR = 1.3


@dataclass(frozen=True)
class Selection:
    """The points of one primitive at some axes. A point that lacks an axis of `usual` counts too.
    """

    program: str
    form: str
    usual: Mapping[str, Any]
    where: Mapping[str, Any]
    role: str

    def __str__(self) -> str:
        said = ", ".join(f"{axis} {_said(value)}" for axis, value in self.where.items())
        return f"{self.form} ({said})" if said else self.form

    def of(self, points: PointTable) -> PointTable:
        """Its points among these."""
        return self.narrowed(points.of_primitives(self.form))

    def narrowed(self, points: PointTable) -> PointTable:
        """The points of any primitive at its axes."""
        return points.where([self._fits({**(effective or {}), **axes}) for effective, axes in
                             zip(points["effective"], points["axes"])])

    def _fits(self, found: Mapping[str, Any]) -> bool:
        return all(_is(found.get(axis), value) for axis, value in self.where.items()) and all(
            axis in self.where or found.get(axis) is None or _is(found[axis], value)
            for axis, value in self.usual.items())


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
        found = selection.narrowed(points.where(~points["excluded"]))
        if found.empty:
            raise Missing(f"{selection} {_WITHOUT[kind]}")
        return found

    @functools.cached_property
    def _of_form(self) -> Callable[[Results, str], PointTable]:
        """The points of a primitive. Claims ask for the same ones many times."""
        return functools.lru_cache(maxsize=None)(
            lambda results, form: results.points.of_primitives(form))

    @functools.cached_property
    def by_originals(self) -> Recorded:
        """The same with the originals' times in place of those of the forms printed after them."""
        @functools.lru_cache(maxsize=None)
        def find(program: str, kind: str) -> Results | None:
            own = self.find(program, kind)
            if self.originals is None or kind != "gpu":
                return own
            return originals.in_place_of(own, self.originals.results(program))
        return replace(self, find=find)


_WITHOUT = {"gpu": "is not recorded", "gpu_traffic": "has no recorded traffic",
            "host": "has no recorded counts"}


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
        paths = [place / f"{program}_{kind}.json{packed}" for place in places
                 for packed in ("", ".gz")]
        return next((load_once(path) for path in paths if path.exists()), None)
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    return Recorded(folder.name, find, originals.beside(folder))


def gpu_folders() -> list[Path]:
    """The folders of recorded GPUs."""
    return sorted({path.parent for path in RESULTS.glob("*/*_gpu.json*")})


def _is(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping) and "file" in wanted:
        # The program adds a tag of path and contents to the name of a file.
        return re.fullmatch(re.escape(wanted["file"]) + "-[0-9a-f]{8}", str(found)) is not None
    if isinstance(wanted, Mapping):
        return isinstance(found, (int, float)) and found >= wanted["least"]
    return found in wanted if isinstance(wanted, list) else found == wanted


def _said(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"of at least {value['least']}" if "least" in value else f"from {value['file']}"
    return " or ".join(map(str, value)) if isinstance(value, list) else str(value)
