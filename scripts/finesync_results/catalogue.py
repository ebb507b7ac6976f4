"""The catalogue of primitives, workloads/catalogue/<family>.json, as far as the scripts use it."""

from __future__ import annotations

import functools
from typing import Any

from . import schemas
from .json_files import read_json
from .workload import FOLDER


def primitives(*families: str) -> list[dict[str, Any]]:
    """The entries of some families, in their order."""
    return [entry for family in families for entry in _family(family)]


def todays_names(*families: str) -> dict[str, str]:
    """For each former name of a primitive its name of today."""
    return {old: entry["name"] for entry in primitives(*families)
            for old in entry.get("formerly", ())}


@functools.lru_cache(maxsize=None)
def _family(family: str) -> list[dict[str, Any]]:
    path = FOLDER / "catalogue" / f"{family}.json"
    document = read_json(path)
    schemas.check(path, document, "catalogue")
    entries: list[dict[str, Any]] = document["primitives"]
    return entries
