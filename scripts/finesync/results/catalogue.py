"""The catalogue of primitives (finesync_catalogue) for figures, tables and plans."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from finesync_catalogue import entries

from . import schemas
from .json_files import read_json

Entry = dict[str, Any]
# The standings of what is only for readers of a paper.
FOLDED = ("printed", "step")


def primitives(families: Iterable[str], program: str = "") -> list[Entry]:
    """The entries of some families, in their order; with the variants of a program."""
    _check()
    return [entry for family in families for entry in entries.family(family, program)]


def all_in(program: str) -> list[Entry]:
    """The entries of all families of a program: the library's, and its own."""
    _check()
    return [entry for document in entries.documents()
            if entries.is_for(document, program) for entry in document["primitives"]]


def primitives_of(program: str, families: Mapping[str, str], without: Collection[str] = ()) -> list[Entry]:
    """The entries of all primitives that compete in a program. `families` gives its use of each
    family's types; `without` lists the keys whose primitives it leaves out."""
    _check()
    return [entry for family, use in families.items() for entry in entries.primitives_of(family, program, use, without)]


def with_roles(program: str, families: Mapping[str, str], *roles: str) -> tuple[str, ...]:
    """The names of primitives with one of these roles."""
    return _names(program, families, "role", roles)


def of_kind(program: str, families: Mapping[str, str], kind: str) -> tuple[str, ...]:
    """The names of primitives of a kind."""
    return _names(program, families, "kind", (kind,))


def unstyled() -> list[str]:
    """The names of all primitives without a style, in the order of names."""
    _check()
    return sorted({own["name"] for document in entries.documents()
                   for entry in document["primitives"] for own in looks(entry)
                   if "style" not in own})


def looks(entry: Entry) -> list[Entry]:
    """A primitive and its variants, which figures distinguish."""
    return [entry, *entry.get("variants", ())]


def standing(entry: Entry, name: str) -> str:
    """What a look of a primitive is to users: `recommended`, `step`, `printed` (a paper's form), or none of these."""
    return "printed" if "_printed" in name else str(entry.get("standing", ""))


def example(family: str) -> Entry | None:
    """The program that shows a family's primitives in use, and words of its lines."""
    _check()
    return next((document["example"] for document in entries.documents()
                 if document["family"] == family and "example" in document), None)


def _names(program: str, families: Mapping[str, str], key: str, wanted: Collection[str]) -> tuple[str, ...]:
    return tuple(entry["name"] for entry in primitives_of(program, families) if entry.get(key) in wanted)


@functools.lru_cache(maxsize=None)
def _check() -> None:
    """Rejects files that do not match the schema."""
    for path in entries.files():
        schemas.check(path, read_json(path), "catalogue")
