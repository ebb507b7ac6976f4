"""The inserted faults: tests/HOUSE/faults/FOLDER.toml, a table for each file of the code, with the faults
in it by short, unique names.

    ["src/..."]
    L1 = ["...",       what is wrong, in a line
      "...",           the code to change, see matching.py; it must be there once
      "..."]           what replaces it; nothing when left out

A last element {...} has what else there is to say:

    within = "leave"       the function or class that has the code, if others have it too
    tests = ["..."]        tests that should catch it, see test_names.py
    programs = ["..."]     programs that the tests start, to be built with the fault too

and, where it applies, one of

    equivalent = "..."     why no allowed execution can differ; not run
    survives = "..."       no test catches it yet; how one could

Tests of many faults may be given once: at the top of FOLDER.toml, or in ["src/..."]. Those of all faults of
a file are the tests of the faults that operators.py makes of it; what is known of one of these is said by

    "FUNCTION:OPERATOR:NUMBER" = {equivalent = "..."}      or survives
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from finesync.results.errors import UserError

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib

from .matching import NoMatch, language_of, replaced

_TEXTS = {"what", "find", "put", "within", "equivalent", "survives"}
_LISTS = {"tests", "programs"}
_NEEDED = {"what", "find", "tests"}
_IN_ORDER = ("what", "find", "put")


@dataclass(frozen=True)
class Fault:
    """One inserted fault; the fields are those of the file, and the file's name."""

    folder: str
    id: str
    what: str
    file: str
    find: str
    put: str = ""
    within: str = ""
    tests: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    equivalent: str = ""
    survives: str = ""

    def applied_to(self, text: str) -> str:
        """The text of the file with the fault. Raises NoMatch."""
        language = language_of(self.file)
        changed = replaced(text, self.find, self.put, self.within, language)
        if changed == text:
            raise NoMatch("it changes nothing")
        return changed


@dataclass(frozen=True)
class FaultList:
    """What a list says of one file of the code: its faults, the tests of any of them, and what is known of
    generated ones, by their names in the file."""

    folder: str
    file: str
    tests: tuple[str, ...]
    faults: tuple[Fault, ...] = ()
    remarks: dict[str, dict[str, str]] = field(default_factory=dict)


def load_lists(folder: Path) -> list[FaultList]:
    """All lists, in order. Raises UserError that names the file and the fault."""
    files = sorted(folder.glob("*/faults/*.toml"), key=lambda file: file.stem)
    if not files:
        raise UserError(f"{folder}: no faults")
    lists = [of for file in files for of in _load_file(file)]
    seen: dict[str, Fault] = {}
    for fault in (fault for of in lists for fault in of.faults):
        if fault.id in seen:
            raise UserError(f"two faults are called {fault.id!r}")
        seen[fault.id] = fault
    return lists


def load_faults(folder: Path) -> list[Fault]:
    """All listed faults. Raises UserError."""
    return [fault for of in load_lists(folder) for fault in of.faults]


def _load_file(file: Path) -> list[FaultList]:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{file}: {error}") from None
    defaults, files = _split(document)
    lists = []
    for path, entries in files.items():
        faults, remarks = [], {}
        own_defaults, listed = _split(entries)
        for name, entry in listed.items():
            where = f"{file}: fault {name!r}"
            if isinstance(entry, dict):
                remarks[name] = _remark(where, entry)
                continue
            values = _checked(where, defaults | own_defaults | _by_name(where, entry))
            faults.append(Fault(file.stem, name, file=path, **values))  # type: ignore[arg-type]
        # Its own first, then those of single faults.
        tests = dict.fromkeys([*(defaults | own_defaults).get("tests", ()),
                               *(test for fault in faults for test in fault.tests)])
        lists.append(FaultList(file.stem, path, tuple(tests), tuple(faults), remarks))
    return lists


def _remark(where: str, entry: dict[str, Any]) -> dict[str, str]:
    if len(entry) != 1 or not set(entry) <= {"equivalent", "survives"} \
            or not all(isinstance(why, str) for why in entry.values()):
        raise UserError(f"{where}: a generated fault is equivalent, or survives, and why")
    return entry


def _split(table: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keys of a table that are defaults for what is in it; and the rest."""
    rest = {key: value for key, value in table.items() if key not in _TEXTS | _LISTS}
    return {key: value for key, value in table.items() if key not in rest}, rest


def _by_name(where: str, entry: Any) -> dict[str, Any]:
    """The values of a fault, which is a list."""
    if not isinstance(entry, list):
        raise UserError(f"{where} is no list")
    more = entry[-1] if entry and isinstance(entry[-1], dict) else {}
    texts = entry[:-1] if more else entry
    if len(texts) > len(_IN_ORDER):
        raise UserError(f"{where} has more than {len(_IN_ORDER)} texts")
    return dict(zip(_IN_ORDER, texts)) | more


def _checked(where: str, entry: dict[str, object]) -> dict[str, object]:
    for trouble, keys in (("lacks", _NEEDED - set(entry)),
                          ("has an unknown", set(entry) - _TEXTS - _LISTS)):
        if keys:
            raise UserError(f"{where} {trouble} {', '.join(sorted(keys))}")
    values: dict[str, object] = {}
    for key, value in entry.items():
        if key in _TEXTS:
            if not isinstance(value, str):
                raise UserError(f"{where}: {key} must be a text")
            values[key] = value.strip("\n")
        else:
            if not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
                raise UserError(f"{where}: {key} must be a list of texts")
            values[key] = tuple(value)
    if not values["tests"] and not values.get("equivalent"):
        raise UserError(f"{where}: no test is expected to catch it")
    if values.get("equivalent") and values.get("survives"):
        raise UserError(f"{where}: it cannot survive if it is equivalent")
    return values
