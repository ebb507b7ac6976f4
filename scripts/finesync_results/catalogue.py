"""The catalogue of primitives, workloads/catalogue/<family>.json, as far as the scripts use it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from . import schemas
from .json_files import read_json
from .workload import FOLDER


def primitives(*families: str) -> list[dict[str, Any]]:
    """The entries of some families, in their order."""
    return [entry for family in families for entry in _family(family)]


def contenders(program: str, families: Mapping[str, str]) -> list[dict[str, Any]]:
    """The entries of all that competes in a program: those of its families that have a type for its
    use of them (`families` says which), and those that it makes by hand."""
    return [entry for family, use in families.items() for entry in _family(family)
            if use in entry.get("types", {}) or program in entry.get("by_hand", ())]


def with_roles(program: str, families: Mapping[str, str], *roles: str) -> tuple[str, ...]:
    """The names of those with one of these roles."""
    return tuple(entry["name"] for entry in contenders(program, families)
                 if entry.get("role") in roles)


@functools.lru_cache(maxsize=None)
def _family(family: str) -> list[dict[str, Any]]:
    path = FOLDER / "catalogue" / f"{family}.json"
    document = read_json(path)
    schemas.check(path, document, "catalogue")
    entries: list[dict[str, Any]] = document["primitives"]
    return entries
