"""What a place's results answer, as the page has it."""

from __future__ import annotations

from typing import Any

from ..results import catalogue
from ..results.loading import Results
from ..results.registry import workload_of, workloads
from ..results.workload import Workload
from .examples import of_family
from .needs import Answer, Entry, Need, sentence
from .places import Place

_DIGITS = 4


def of_place(place: Place) -> list[dict[str, Any]]:
    """The needs, with the answers by setting and load."""
    return [_need(results, need) for results, need in place.needs]


def _need(results: Results, need: Need) -> dict[str, Any]:
    question = need.question
    return {"group": question.group, "need": question.need, "limit": need.limit, "program": results.program,
            "unit": question.unit.name, "rate": question.unit.rate, "load": question.load,
            "less": question.less, "library": question.library,
            "settings": {setting: {load: _answer(answer) for load, answer in loads.items()}
                         for setting, loads in need.answers.items()}}


def _answer(answer: Answer) -> dict[str, Any]:
    best = answer.best
    standings = dict.fromkeys(answer.level, "level") | ({best.name: "best"} if best else {})
    return {"sentence": sentence(answer), "best": best.name if best else None,
            "lead": None if answer.lead is None else _short(answer.lead)[0],
            "without": _short(
                best.without.low, best.without.median, best.without.high) if best and best.without else None,
            "entries": [_entry(one, standings.get(one.name, "")) for one in answer.entries]}


def _entry(entry: Entry, standing: str) -> list[Any]:
    """Name and standing; its launch with the median between the quartiles, or how it ended."""
    if entry.value is None:
        return [entry.name, standing, entry.ended]
    return [entry.name, standing, entry.launch, *_short(entry.value.low, entry.value.median, entry.value.high)]


def _short(*numbers: float) -> list[float]:
    return [float(f"{number:.{_DIGITS}g}") for number in numbers]


def examples() -> dict[str, dict[str, Any]]:
    """The lines that show the primitives of each family in use."""
    families = dict.fromkeys(family for workload in workloads().values() for family in workload.families)
    return {family: found for family in families if (found := of_family(family))}


def primitives(all_places: list[Place]) -> dict[str, dict[str, Any]]:
    """By program, what the catalogue says of the primitives that answers name."""
    found: dict[str, dict[str, Any]] = {}
    for place in all_places:
        for results, need in place.needs:
            workload = workload_of(results)
            assert workload is not None  # it has a question
            own = found.setdefault(results.program, {})
            for name in dict.fromkeys(entry.name for loads in need.answers.values()
                                      for answer in loads.values() for entry in answer.entries):
                own[name] = own.get(name) or _described(name, workload)
    return found


def _described(name: str, workload: Workload) -> dict[str, Any]:
    """Of a form of a primitive ("NAME, FORM"), what is known of the primitive."""
    for family, use in workload.families.items():
        for entry in catalogue.primitives([family], workload.program):
            if name.split(", ")[0] in (own["name"] for own in catalogue.looks(entry)):
                look = next((own for own in catalogue.looks(entry) if own["name"] == name), entry)
                return {"label": look.get("label", name), "help": entry.get("help", ""), "family": family,
                        "folded": catalogue.standing(entry, look["name"]) in catalogue.FOLDED,
                        "include": [header for header in entry.get("headers", ())
                                    if header.startswith("finesync/")],
                        "type": entry.get("types", {}).get(use, "")}
    return {"label": name, "help": "", "include": [], "type": ""}
