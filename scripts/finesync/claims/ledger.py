"""The ledger: every claim of the papers, the forms that it is about, and its criterion.

results/published/claims/PAPER.json. A claim has parts; a part has cases, an expression that gives
the value of each, and a criterion. docs/suite/results.md describes the fields.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..papers import paper_benchmarks, published
from ..query.numbers import Missing
from ..results import schemas
from ..results.errors import UserError
from ..results.json_files import read_json
from ..results.registry import ROOT

FOLDER = ROOT / "results" / "published" / "claims"

Axes = Mapping[str, Any]
Expression = Any  # a number, the path of a published number, or an object with an operation
# Stands in the place of an axis for those of a level of contention.
CONTENTION = "contention"


@dataclass(frozen=True)
class Case:
    """One value of a part: the program whose rows it is of, the primitive in each role, as printed
    and ours, and the axes that select its rows. Points that lack an axis of `usual` count too.
    `levels` has the axes that each level of contention stands for. The grid of a role in `own_grids`
    is that of the paper's own program, so that there is no better one to look for."""

    name: str
    program: str
    forms: Mapping[str, str]
    ours: Mapping[str, str]
    usual: Axes
    where: Axes
    numbers: Mapping[str, Any]  # its own published or neutral numbers
    levels: Mapping[str, Axes] = dataclasses.field(default_factory=dict)
    own_grids: tuple[str, ...] = ()

    def axes(self, where: Axes) -> Axes:
        """The axes that rows have, in place of a level of contention."""
        if CONTENTION not in where:
            return where
        level = str(where[CONTENTION])
        if level not in self.levels:
            raise Missing(f"{self.program} has no load for {level} TBs/SM")
        return {**self.levels[level], **{axis: value for axis, value in where.items() if axis != CONTENTION}}


@dataclass(frozen=True)
class Part:
    """Cases with one criterion. Without an expression, `untold` says why there is none."""

    cases: tuple[Case, ...]
    value: Expression
    over: Mapping[str, list[Any]]
    criterion: Mapping[str, Any]
    unit: str
    test: str
    untold: str


@dataclass(frozen=True)
class Claim:
    """A claim, and how to measure it again: entries of plans, by plan. `qualified`: what a verdict
    says of the inputs."""

    id: str
    paper: str
    source: str
    text: str
    printed: str
    shown: Mapping[str, Expression]
    parts: tuple[Part, ...]
    measure: Mapping[str, list[str]]
    why: Mapping[str, Any]
    again: Mapping[str, tuple[Part, ...]]  # the parts of further readings, by their names
    qualified: str = ""
    half_originals: frozenset[str] = frozenset()  # readings of originals beside printed forms

    @property
    def tests(self) -> list[str]:
        """The tests that count for it, as in ctest."""
        return list(dict.fromkeys(part.test for part in self.parts if part.test))

    @property
    def counted_cases(self) -> list[str]:
        """What they count."""
        return [case.name for part in self.parts if part.test for case in part.cases]


@functools.lru_cache(maxsize=None)
def claims() -> dict[str, Claim]:
    """All claims by their numbers, in the order of the papers."""
    return {number: claim_of(paper, number, raw, document)
            for paper, document in documents().items()
            for number, raw in document["claims"].items()}


@functools.lru_cache(maxsize=None)
def documents() -> dict[str, dict[str, Any]]:
    """The checked files by paper."""
    found = {}
    for path in sorted(FOLDER.glob("*.json")):
        document = read_json(path)
        schemas.check(path, document, "claims")
        found[path.stem] = document
    return found


def titles() -> dict[str, str]:
    """The name of each paper."""
    return {paper: document["title"] for paper, document in documents().items()}


def coming() -> dict[str, list[str]]:
    """Primitives that a claim needs and no program has yet, by program; none: the program itself."""
    found: dict[str, list[str]] = {}
    for document in documents().values():
        for program, names in document.get("coming", {}).items():
            found.setdefault(program, []).extend(names)
    return found


def awaited() -> set[str]:
    """Programs that the ledger names and that are not built yet."""
    return {program for program, names in coming().items() if not names}


def claim_named(number: str) -> Claim:
    """A claim by its number: A02, or C-A02."""
    own = claims().get(number.upper().removeprefix("C-"))
    if own is None:
        raise UserError(f"no claim {number!r}; there are " + ", ".join(claims()))
    return own


def claim_of(paper: str, number: str, raw: Mapping[str, Any], document: Mapping[str, Any]) -> Claim:
    parts = tuple(_part(number, raw, part, document) for part in raw["parts"])
    return Claim(number, paper, raw["source"], raw["claim"], raw.get("printed", ""),
                 raw.get("shown", {}), parts, raw.get("measure", {}), raw.get("why", {}),
                 {name: tuple(_part(number, raw, part, document) for part in other["parts"]) if "parts" in other
                  else tuple(_read_again(part, other, document) for part in parts)
                  for name, other in raw.get("again", {}).items()}, raw.get("qualified", ""),
                 frozenset(name for name, other in raw.get("again", {}).items() if "originals" in other))


def _read_again(part: Part, other: Mapping[str, Any], document: Mapping[str, Any]) -> Part:
    """The same part at other rows, and perhaps with another published number."""
    numbers = {"published": other["published"]} if "published" in other else {}
    levels = {"levels": document["levels"][other["levels"]]} if "levels" in other else {}
    return dataclasses.replace(part, cases=tuple(
        dataclasses.replace(case, where={**case.where, **other.get("where", {})},
                            numbers={**case.numbers, **numbers}, **levels) for case in part.cases))


def _part(number: str, raw: Mapping[str, Any], part: Mapping[str, Any], document: Mapping[str, Any]) -> Part:
    listed = part.get("cases", {"": {}})
    if isinstance(listed, str):
        listed = document["groups"][listed]
    cases = {name: listed[name] if isinstance(listed, dict) else {} for name in listed}
    return Part(tuple(_case(number, raw, name, own, document) for name, own in cases.items()),
                part.get("value"), part.get("over", {}), part["criterion"], part.get("unit", ""),
                part.get("test", ""), part.get("untold", ""))


def _case(number: str, raw: Mapping[str, Any], name: str, own: Mapping[str, Any], document: Mapping[str, Any]) -> Case:
    """A case of the claim's program, or one that has the name of a pair."""
    numbers = {key: value for key, value in own.items() if key not in ("where", "pair")}
    pair = own.get("pair", name)
    common: Mapping[str, Any] = raw
    where: Axes = {}
    levels: Mapping[str, Axes] = {}
    if "program" not in raw:
        common = document.get("pairs", {}).get(pair.split("-")[0], {})
        levels = document["levels"][common["levels"]] if "levels" in common else {}
        where = paper_benchmarks.inputs_of(common["program"]).get(pair, {}) if common and not levels else {}
        if not where and not levels and ("forms" in raw or "pair" in own):
            raise UserError(f"{FOLDER}: {number}: {pair!r} is no pair, "
                            "and the claim is of no program")
    program = common.get("program", "")
    return Case(name, program, {**common.get("forms", {}), **raw.get("forms", {})},
                {**common.get("ours", {}), **raw.get("ours", {})},
                document.get("usual", {}).get(program, {}),
                {**where, **own.get("where", {})}, numbers, levels, tuple(common.get("own_grids", ())))


def application(paper: str, pair: str) -> Case:
    """The case of a program that has levels of contention, by the paper's name of it."""
    return _case(paper, {}, pair, {}, documents()[paper])


def with_forms(case: Case, forms: Mapping[str, str]) -> Case:
    """The case with other primitives in some roles."""
    return dataclasses.replace(case, forms={**case.forms, **forms})


def constant(expression: Expression) -> float:
    """The value of an expression of numbers and published numbers alone."""
    if isinstance(expression, str):
        return published.number(expression)
    if isinstance(expression, (int, float)):
        return float(expression)
    if "mean" in expression:
        return sum(map(constant, expression["mean"])) / len(expression["mean"])
    own, base = map(constant, expression["ratio"])
    return own / base


def group_of(claim: Claim) -> Callable[[str], Sequence[Case]]:
    """A function that gives the cases of a group of the claim's paper, or of one pair, with the claim's forms."""
    document = documents()[claim.paper]
    raw = document["claims"][claim.id]
    return lambda group: [_case(claim.id, raw, name, {}, document) for name in document["groups"].get(group, [group])]


def reasons(claim: Claim) -> list[Expression]:
    """The values of the sentence that explains the claim's verdict, in their order in it."""
    value = claim.why["value"]
    return value if isinstance(value, list) else [value]
