"""The list of the papers' figures and tables, results/published/items/PAPER.json.

docs/suite/results.md describes the fields.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..claims import ledger
from ..results import schemas
from ..results.errors import UserError
from ..results.json_files import read_json
from ..results.registry import ROOT

FOLDER = ROOT / "results" / "published" / "items"
# The ways to show an item whose rows its list names; code of its own shows one of `tables`.
LINES, BARS, CONTENTION, STALLS = FIGURES = "lines", "bars", "contention", "stalls"
GPUS, NAMES, TABLES = "gpus", "names", "tables"


@dataclass(frozen=True)
class Item:
    """A figure, a table, or a section with numbers; `way` says how to show it, and `spec` of what.
    Without a way, `untold` says why it cannot be shown."""

    paper: str
    number: str
    title: str
    way: str
    spec: Any
    untold: str

    @property
    def name(self) -> str:
        """The name of its files: thesis-figure5.4."""
        return f"{self.paper}-{self.number}"

    @property
    def said(self) -> str:
        """Its number in words: figure 5.4."""
        return re.sub(r"(?<=[a-z])(?=\d)", " ", self.number)

    @property
    def is_figure(self) -> bool:
        return self.number.startswith("figure")

    @property
    def files(self) -> tuple[str, ...]:
        """The results that it joins, PROGRAM/KIND."""
        if self.way == TABLES:
            return tuple(self.spec)
        if self.way == GPUS:
            return (self.spec["file"],)
        if self.way == NAMES:
            return _built(self.program_of(own) for own in self.spec.values())
        if self.way == CONTENTION:
            return _built(self.program_of({"pair": pair}) for pair in self.spec["pairs"])
        if self.way == STALLS:
            return (f"{self.spec['program']}/gpu_traffic",)
        return (f"{self.spec['program']}/gpu",) if self.way else ()

    def program_of(self, named: Mapping[str, str]) -> str:
        """The program of a part of the spec: by its name, or by the paper's name of it."""
        return named["program"] if "program" in named else ledger.application(self.paper, named["pair"]).program

    @property
    def claims(self) -> list[str]:
        """The claims that are about it, by the sources that the ledger gives."""
        return [claim.id for claim in ledger.claims().values()
                if claim.paper == self.paper and self.number in numbers_in(claim.source)]


def _built(programs: Iterable[str]) -> tuple[str, ...]:
    """The results on a GPU of those programs that there are."""
    return tuple(dict.fromkeys(f"{one}/gpu" for one in programs if one not in ledger.awaited()))


@functools.lru_cache(maxsize=None)
def items() -> dict[str, Item]:
    """All items by their names, in the order of the papers."""
    found = {}
    for path in sorted(FOLDER.glob("*.json")):
        document = read_json(path)
        schemas.check(path, document, "items")
        for number, raw in document["items"].items():
            item = _item(document["paper"], number, raw, document["items"])
            found[item.name] = item
    return found


def _item(paper: str, number: str, raw: Mapping[str, Any], others: Mapping[str, Any]) -> Item:
    way = next((key for key in (*FIGURES, GPUS, NAMES, TABLES) if key in raw), "")
    spec = raw.get(way)
    if "as" in raw:
        if "as" in others.get(raw["as"], {"as": ""}):
            raise UserError(f"{FOLDER}: {number} is as {raw['as']}, which has no lines of its own")
        spec = {**others[raw["as"]][way], **spec}
    return Item(paper, number, raw["title"], way, spec, raw.get("untold", ""))


def numbers_in(source: str) -> list[str]:
    """The numbers of figures, tables and sections in the source of a claim: "abstract; figures 8,
    9" has figure8 and figure9."""
    found = []
    for part in source.split(";"):
        several = re.fullmatch(r"\s*(figure|table|section)s? ([\d., ]+)", part)
        if several:
            found += [several[1] + number for number in several[2].split(", ")]
    return found
