"""The catalogue of primitives (finesync_catalogue), as far as figures, tables and plans use it."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from finesync_catalogue import entries

from . import schemas
from .json_files import read_json

Entry = dict[str, Any]


def primitives(families: Iterable[str], program: str = "") -> list[Entry]:
    """The entries of some families, in their order; with the variants of a program."""
    _check()
    return [entry for family in families for entry in entries.family(family, program)]


def all_in(program: str) -> list[Entry]:
    """The entries of all families that a program may know: the library's, and its own."""
    _check()
    return [entry for document in entries.documents()
            if document.get("program", program) == program for entry in document["primitives"]]


def primitives_of(program: str, families: Mapping[str, str], without: Collection[str] = ()
               ) -> list[Entry]:
    """The entries of all that competes in a program: `families` says which use it makes of the
    types of each family, `without` the keys whose primitives it leaves out."""
    _check()
    return [entry for family, use in families.items()
            for entry in entries.primitives_of(family, program, use, without)]


def with_roles(program: str, families: Mapping[str, str], *roles: str) -> tuple[str, ...]:
    """The names of those with one of these roles."""
    return _names(program, families, "role", roles)


def of_kind(program: str, families: Mapping[str, str], kind: str) -> tuple[str, ...]:
    """The names of those of a kind."""
    return _names(program, families, "kind", (kind,))


def unstyled() -> list[str]:
    """The names of all without a style of their own, in the order of names."""
    _check()
    return sorted({own["name"] for document in entries.documents()
                   for entry in document["primitives"] for own in looks(entry)
                   if "style" not in own})


def looks(entry: Entry) -> list[Entry]:
    """What figures tell apart of a primitive."""
    return [entry, *entry.get("variants", ())]


def _names(program: str, families: Mapping[str, str], key: str, wanted: Collection[str]
           ) -> tuple[str, ...]:
    return tuple(entry["name"] for entry in primitives_of(program, families)
                 if entry.get(key) in wanted)


@functools.lru_cache(maxsize=None)
def _check() -> None:
    """Refuses what is not as the schema says."""
    for path in entries.files():
        schemas.check(path, read_json(path), "catalogue")
