"""The recorded runs: the results files that the repository holds, and the rows of one GPU by program."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..query.numbers import Missing, Spread
from ..query.points import PointTable
from ..query.selection import Selection
from . import counts, originals
from .catalogue import with_roles
from .counts import Counts
from .errors import UserError
from .loading import Results, load_once
from .older_rows import names_ever
from .originals import Originals
from .registry import ROOT, workloads
from .schemas import TRAFFIC

FOLDER = ROOT / "results"
HOST = FOLDER / "host-executor"
_WITHOUT = {"gpu": "is not recorded", "gpu_traffic": "has no recorded traffic", "host": "has no recorded counts"}

# A form that stands for all locks of a program.
ANY_LOCK = "any_lock"

# The results of a program and of a kind (gpu, gpu_traffic, host); None if there are none.
Finder = Callable[[str, str], "Results | None"]


@dataclass(frozen=True, eq=False)
class Recorded:
    """The results of one GPU, and the host executor's. `originals`: of the papers' own programs on
    the same GPU, if they were measured. `counts`: of tests on the host executor."""

    name: str
    find: Finder
    originals: Originals | None = None
    counts: Counts = field(default_factory=dict)

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

    def counted(self, claim: str, case: str) -> Spread:
        """What a test counted for a case of a claim."""
        own = self.counts.get(claim)
        if own is None or case not in own:
            raise Missing(f"no test's count of {case} is recorded", rows_exist=own is not None)
        return own[case]

    @functools.cached_property
    def _of_form(self) -> Callable[[Results, str], PointTable]:
        """The points of a primitive. Claims ask for the same ones many times."""
        return functools.lru_cache(maxsize=None)(lambda results, form: results.points.of_primitives(
            *locks_in(results.program) if form == ANY_LOCK else [form]))

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


def locks_in(program: str) -> tuple[str, ...]:
    """The locks that compete in a program."""
    return with_roles(program, workloads()[program].families, "paper_lock", "baseline_lock")


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
    """Results of one GPU, and counts; of several of a program and kind the first counts. Tests' counts are those beside
    the host executor's results."""
    found: dict[tuple[str, str], Results] = {}
    several = list(loaded)
    for results in several:
        found.setdefault((results.program.removesuffix(TRAFFIC), results.kind), results)
    return Recorded(name, lambda program, kind: found.get((program, kind)), theirs,
                    counts.in_first(results.path.parent for results in several if results.kind == "host"))


def of_folder(folder: Path) -> Recorded:
    """The results of a folder. Counts of the host executor are those that are recorded, if the
    folder has none, but runs of a GPU: an empty folder tells nothing. Files are read when a claim
    needs them."""
    measured = next(folder.glob("*_gpu*.json*"), None) is not None
    counted = [folder, HOST] if measured else [folder]

    @functools.lru_cache(maxsize=None)
    def find(program: str, kind: str) -> Results | None:
        places = counted if kind == "host" else [folder]
        paths = [place / f"{name}_{kind}.json{packed}"
                 for place in places for name in names_ever(program) for packed in ("", ".gz")]
        return next((load_once(path) for path in paths if path.exists()), None)
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    return Recorded(folder.name, find, originals.beside(folder), counts.in_first(counted))
