"""The papers' claims and how they were judged, as the page has them."""

from __future__ import annotations

from typing import Any

from ..claims import commands, criteria, judge, ledger, words
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
    return {number: _judged(own, place) for number, own in place.judged.items()}


def counts(place: Place) -> dict[str, dict[str, int]]:
    """By paper, the number of claims by verdict."""
    return {paper: judge.counts([own for own in place.judged.values()
                                 if own.printed.claim.paper == paper])
            for paper in ledger.titles()} if place.judged else {}


def _judged(own: Judged, place: Place) -> dict[str, Any]:
    said = {"verdict": own.printed.verdict, "words": words.verdict_word(own.printed),
            "measured": words.measured(own.printed),
            "quartiles": words.measured(own.printed, quartiles=True),
            "ours": words.beside(own.ours), "originals": words.beside(own.originals),
            "why": words.why(own.printed, place.claimed), "missing": own.printed.reasons()
            if own.printed.verdict == criteria.UNTOLD else "",
            "again": ". ".join(words.again(own)),
            "minutes": commands.minutes(own.printed.claim.measure, place.claimed)}
    return {name: text for name, text in said.items() if text}
