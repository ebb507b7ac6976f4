"""How far the generated inputs of a claim's rows are from those that its paper used.

results/published/stand_ins.json has the facts of the papers' inputs, under the name of what stands for each; the rows
have those of what ran.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from ..results import schemas
from ..results.json_files import read_json
from ..results.recorded import Recorded
from ..results.registry import ROOT
from . import ledger
from .ledger import Claim

_FILE = ROOT / "results" / "published" / "stand_ins.json"
# What a row has of its input, in words.
_FACTS = {"vertices": "vertices", "arcs": "arcs", "users": "users", "movies": "movies", "ratings": "ratings",
          "max_ratings_per_user": "largest degree of users",
          "max_ratings_per_movie": "largest degree of movies"}


def of_claim(claim: Claim, recorded: Recorded) -> str:
    """A clause for each stand-in that the claim's rows may be of; empty if there is none."""
    return "; ".join(dict.fromkeys(_said(name, _facts(program, name, recorded))
                                   for program, name in inputs(claim) if name in known()))


@functools.lru_cache(maxsize=None)
def known() -> Mapping[str, Mapping[str, Any]]:
    document = read_json(_FILE)
    schemas.check(_FILE, document, "stand_ins")
    found: Mapping[str, Mapping[str, Any]] = document["stand_ins"]
    return found


def inputs(claim: Claim) -> Iterator[tuple[str, Any]]:
    """The program and the input of each case, also of those of a group, at each level of contention."""
    group = ledger.group_of(claim)
    for part in claim.parts:
        for case in [*part.cases, *(case for name in _groups(part.value) for case in group(name))]:
            for axes in (case.where, *case.levels.values()):
                if isinstance(axes.get("input"), str):
                    yield case.program, axes["input"]


def _groups(expression: Any) -> list[str]:
    """The groups of pairs that an expression is over."""
    if isinstance(expression, list):
        return [group for one in expression for group in _groups(one)]
    inner = list(expression.values()) if isinstance(expression, Mapping) else []
    return [*_groups(inner), *([expression["over"]] if inner and isinstance(expression.get("over"), str) else [])]


def _facts(program: str, name: str, recorded: Recorded) -> Mapping[str, int]:
    """What a run of the input says of it; nothing if there is none."""
    results = recorded.find(program, "gpu")
    good = [] if results is None else results.points.ok().select(input=name)["effective"]
    return next((ran for ran in good if any(fact in ran for fact in _FACTS)), {})


def _said(name: str, here: Mapping[str, int]) -> str:
    """`road-264346` for USA-road-d.NY: 636,320 arcs for 733,846, vertices as there."""
    theirs = known()[name]
    both = {words: (_number(here[fact]), _number(theirs[fact]))
            for fact, words in _FACTS.items() if fact in here and fact in theirs}
    alike = [words for words, (own, other) in both.items() if own == other]
    said = [f"{own} {words} for {other}" for words, (own, other) in both.items() if own != other]
    said += [" and ".join(filter(None, [", ".join(alike[:-1]), alike[-1]])) + " as there"] if alike else []
    said += [theirs["more"]] if "more" in theirs else []
    return f"`{name}` for {theirs['for']}" + (f": {', '.join(said)}" if said else "")


def _number(value: int) -> str:
    """To three digits from a million on."""
    return f"{value / 1e6:.3g} M" if value >= 1e6 else f"{value:,}"
