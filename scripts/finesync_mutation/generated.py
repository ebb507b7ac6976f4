"""The generated faults: all changes of operators.py to the code, with the tests that should notice.

A fault's id is FILE and the name of its change. Its tests are those that the lists name for the file; for
a file without any, those for its neighbours.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .faults import Fault, FaultList
from .matching import NoMatch
from .operators import Change, changes_of
from .test_names import is_pytest

SOURCES = ("src", "workloads", "inputs")
_SUFFIXES = {".cpp", ".cu", ".cuh", ".hpp"}


@dataclass(frozen=True)
class Generated(Fault):
    """A change as a fault: `find` is its name in the file."""

    def applied_to(self, text: str) -> str:
        change = self.change(text)
        return text[:change.begin] + change.put + text[change.end:]

    def change(self, text: str) -> Change:
        """The change of this text. Raises NoMatch."""
        if self.find not in changes_of(text):
            raise NoMatch("it is not there")
        return changes_of(text)[self.find]


def digest_of(root: Path) -> str:
    """A digest of all code and of its tests."""
    total = hashlib.sha256()
    for file in sorted(file for folder in (*SOURCES, "tests") for file in (root / folder).rglob("*")
                       if file.suffix in (*_SUFFIXES, ".txt", ".cmake", ".json")):
        total.update(file.read_bytes())
    return total.hexdigest()[:16]


def generated_faults(root: Path, lists: list[FaultList]) -> list[Generated]:
    """All faults of the files that have tests."""
    known = _with_tests(lists)
    faults = []
    for path in sorted(path for folder in SOURCES for path in (root / folder).rglob("*.*")
                       if path.suffix in _SUFFIXES):
        name = str(path.relative_to(root))
        if of := known.get(name) or _of_neighbours(name, list(known.values())):
            faults += _faults_of(of, name, path.read_text(encoding="utf-8"))
    return faults


def _faults_of(of: FaultList, name: str, text: str) -> Iterator[Generated]:
    for find, change in changes_of(text).items():
        line = text.count("\n", 0, change.begin) + 1
        what = f"line {line}: {text[change.begin:change.end].strip()} -> {change.put or 'nothing'}"
        yield Generated(of.folder, f"{name}:{find}", " ".join(what.split()), name, find, tests=of.tests,
                        **of.remarks.get(find, {}))


def _with_tests(lists: list[FaultList]) -> dict[str, FaultList]:
    """What the lists say by file, tests of GoogleTest alone; a file may be in several lists."""
    known: dict[str, FaultList] = {}
    for of in lists:
        before = known.get(of.file, FaultList(of.folder, of.file, ()))
        tests = dict.fromkeys([*before.tests, *(test for test in of.tests if not is_pytest(test))])
        if tests:
            known[of.file] = FaultList(of.folder, of.file, tuple(tests), remarks=before.remarks | of.remarks)
    return known


def unknown_names(lists: list[FaultList], faults: list[Generated]) -> list[str]:
    """A line for each remark on a fault that is not made."""
    made = {fault.id for fault in faults}
    return [f"{of.folder}: there is no {of.file}:{name}" for of in lists for name in of.remarks
            if f"{of.file}:{name}" not in made]


def _of_neighbours(name: str, known: list[FaultList]) -> FaultList | None:
    """What the lists say of the other files of the folder, or else of what it is in."""
    for folder in list(PurePosixPath(name).parents)[:-2]:
        near = [of for of in known if of.file.startswith(f"{folder}/")]
        if near:
            most = Counter(of.folder for of in near).most_common(1)[0][0]
            tests = dict.fromkeys(test for of in near if of.folder == most for test in of.tests)
            return FaultList(most, name, tuple(tests))
    return None
