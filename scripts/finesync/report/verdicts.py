"""The papers' claims and how they were judged, as the page has them."""

from __future__ import annotations

from typing import Any

from ..claims import commands, criteria, judge, ledger, stand_ins, words
from ..claims.judge import Judged
from .places import Place


def papers() -> dict[str, Any]:
    """The papers and the claims, as published, with the commands that measure each again."""
    return {"papers": ledger.titles(), "verdicts": criteria.VERDICTS,
            "claims": [{"id": claim.id, "paper": claim.paper, "text": claim.text,
                        "source": claim.source, "published": words.published(claim),
                        "commands": commands.of_claim(claim)}
                       for claim in ledger.claims().values()]}


def of_place(place: Place) -> dict[str, Any]:
    """Each claim by the rows of a place."""
    return {number: _judged(judged, place) for number, judged in place.judged.items()}


def counts(place: Place) -> dict[str, dict[str, int]]:
    """By paper, the number of claims by verdict."""
    return {paper: judge.counts([judged for judged in place.judged.values()
                                 if judged.printed.claim.paper == paper])
            for paper in ledger.titles()} if place.judged else {}


def _judged(judged: Judged, place: Place) -> dict[str, Any]:
    facts = {"verdict": judged.printed.verdict, "words": words.verdict_word(judged.printed),
             "dissent": "; ".join(f"{name}: {own.verdict}" for name, own in judged.dissent().items()),
             "measured": words.measured(judged.printed),
             "quartiles": words.measured(judged.printed, quartiles=True),
             "ours": words.beside(judged.ours), "originals": words.beside(judged.originals),
             "at_published_latency": words.at_published_latency(judged.printed, place.claimed),
             "why": words.why(judged.printed, place.claimed), "missing": judged.printed.reasons()
             if judged.printed.verdict == criteria.UNTOLD else "",
             "again": ". ".join(words.again(judged)),
             "stand_ins": stand_ins.of_claim(judged.printed.claim, place.claimed),
             "minutes": commands.minutes(judged.printed.claim.measure, place.claimed)}
    return {name: text for name, text in facts.items() if text}
