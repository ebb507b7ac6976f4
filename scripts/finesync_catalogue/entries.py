"""Entries of primitives: the library's own, src/catalogue/<family>.json, and a program's variants,
variants.json in its folder or in a folder within; docs/suite/extending.md says what an entry holds."""

from __future__ import annotations

import functools
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

Entry = dict[str, Any]


def files() -> list[Path]:
    """All catalogue files: the library's, and those of programs."""
    return [*sorted(ROOT.glob("src/catalogue/*.json")), *sorted(ROOT.glob("workloads/**/variants.json"))]


@functools.lru_cache(maxsize=None)
def documents() -> list[dict[str, Any]]:
    """The contents of all files, the library's first."""
    read = [json.loads(path.read_text(encoding="utf-8")) for path in files()]
    return sorted(read, key=lambda document: "program" in document)


def is_for(document: dict[str, Any], program: str) -> bool:
    """Whether a program has the entries of a file: those of all programs, and those of one or several
    that the file names."""
    named = document.get("program", program)
    return program in named if isinstance(named, list) else program == named


def family(name: str, program: str) -> list[Entry]:
    """The entries of a family for a program, with its own variants after the entry that their file
    names, by default at the end. The library's entries have the axes and roles that the program gives
    them, and say whether it has a hand-written source."""
    all_entries: list[Entry] = []
    added: dict[str, Entry] = {}
    for document in _documents_of(name, program):
        names = [entry["name"] for entry in all_entries]
        index = names.index(document["after"]) + 1 if "after" in document else len(all_entries)
        all_entries[index:index] = document["primitives"]
        for primitive, axes in document.get("axes", {}).items():
            added.setdefault(primitive, {})["axes"] = axes
        for primitive in document.get("own_sources", ()):
            added.setdefault(primitive, {})["own_source"] = True
    for document in documents():
        if "program" in document and is_for(document, program):
            for primitive, role in document.get("roles", {}).items():
                added.setdefault(primitive, {})["role"] = role
    return [{**entry, **added.get(entry["name"], {})} for entry in all_entries]


def lacked_axes(program: str) -> list[str]:
    """The axes that some primitives of a program lack: all others have them."""
    return list(dict.fromkeys(axis for document in documents()
                              if is_for(document, program)
                              for entry in document["primitives"] for axis in entry.get("lacks", ())))


def is_made(entry: Entry, use: str) -> bool:
    """Whether a program with this use of types makes the entry's source from a template."""
    return "own_source" not in entry and (not entry.keys().isdisjoint(("experiment", "template"))
                                          or use in entry.get("types", {}))


def primitives_of(name: str, program: str, use: str, without: Collection[str] = ()) -> list[Entry]:
    """The entries of a family that a program runs: all with a type for its use, its variants, and
    others for which it has sources; without entries that have a true key of `without`."""
    variants = {entry["name"] for document in _documents_of(name, program)
                if "program" in document for entry in document["primitives"]}
    return [entry for entry in family(name, program)
            if (is_made(entry, use) or "own_source" in entry or entry["name"] in variants)
            and not any(entry.get(key) for key in without)]


def _documents_of(name: str, program: str) -> list[dict[str, Any]]:
    return [document for document in documents() if document["family"] == name and is_for(document, program)]
