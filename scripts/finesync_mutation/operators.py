"""Faults by operator: what is made of the text of a C++ file, see units.py for where.

    fence    a fence or a meeting of threads is left out, also of a vote
    delete   another statement is: a call, an assignment, ++, return, break, continue, an if or a loop
    order    a memory order is weaker
    scope    a scope is narrower by one step; a parameter that is one is block
    condition  that of an if is true, or false where there is an else; so is what && or || joins
    choice   of `a ? b : c`, b or c is taken
    operand  one of two that are added, multiplied and so on is left out
    token    < is <=, > is >=, == is !=, && is ||, min is max, true is false, ++ is --; !x is x

A change is called FUNCTION:OPERATOR:NUMBER, counted from 1: that stays as long as nothing of its kind
changes before it in the function.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .matching import Token
from .units import CONDITION, EXPRESSION, GUARDED, JUMP, RETURN, STATEMENT, Unit, units_of

_FENCE = re.compile(r"(?:\w+::)*(?:\w*fence\w*|\w*sync\w*|arrive_and_wait)(?:<[^;]*>)?\(|.*[.>]\w*sync\w*\(\)$")
_WEAKER = {"seq_cst": ["acq_rel"], "acq_rel": ["acquire", "release", "relaxed"], "acquire": ["relaxed"],
           "release": ["relaxed"]}
_NARROWER = {"system": "device", "device": "block", "cluster": "block"}
_SCOPE = re.compile(r"\w*[Ss]cope")
_BINDS = {"?": 0, ":": 0, "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7,
          ">=": 7, "<<": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
_ARITHMETIC = {"|", "^", "&", "<<", "+", "-", "*", "/", "%"}
_NEUTRAL = {"&&": "true", "||": "false"}
_SPLITS = {",", ";", "=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "<<=", ">>="}
_OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
          "++": "--", "--": "++", "true": "false", "false": "true",
          "min": "max", "max": "min"}


@dataclass(frozen=True)
class Change:
    """`put` instead of the text from `begin` to `end`, in a unit."""

    operator: str
    begin: int
    end: int
    put: str
    unit: Unit


@lru_cache(maxsize=None)
def changes_of(text: str) -> dict[str, Change]:
    """All changes of a C++ file, by FUNCTION:OPERATOR:NUMBER."""
    counted: Counter[str] = Counter()
    named = {}
    for unit in units_of(text):
        for change in _changes(unit, text):
            kind = f"{unit.function}:{change.operator}"
            counted[kind] += 1
            named[f"{kind}:{counted[kind]}"] = change
    return named


def _changes(unit: Unit, text: str) -> Iterator[Change]:
    whole = text[unit.begin:unit.end]
    if "\n#" in whole:
        return
    if unit.kind in (STATEMENT, JUMP, GUARDED) and not unit.is_within \
            and not whole.startswith("static_cast<void>"):
        yield Change("fence" if _FENCE.match(whole) else "delete", unit.begin, unit.end, "", unit)
    if unit.kind == GUARDED:
        return
    if unit.kind == CONDITION:
        yield Change("condition", unit.begin, unit.end, "true", unit)
        if not unit.is_within:
            yield Change("condition", unit.begin, unit.end, "false", unit)
    yield from _operands(unit, text)
    for index, token in enumerate(unit.tokens):
        before = unit.tokens[index - 1] if index else Token("", 0, 0)
        after = unit.tokens[index + 1] if index + 1 < len(unit.tokens) else Token("", token.end, 0)
        if unit.kind == EXPRESSION and token.text in ("++", "--"):
            continue  # a loop without end
        for operator, put in _instead(token, before, after):
            yield Change(operator, token.begin, token.end, put, unit)


def _operands(unit: Unit, text: str) -> Iterator[Change]:
    """Changes of what binary operators join, in each pair of brackets by itself."""
    outer: list[tuple[int, list[int]]] = []  # where the parts around begin, and the signs in them
    first, signs = int(unit.kind == RETURN), list[int]()
    for index, token in enumerate(unit.tokens):
        if token.text in ("(", "{", "["):
            outer.append((first, signs))
            first, signs = index + 1, []
        elif token.text in (")", "}", "]") and outer:
            yield from _joined(unit, text, [first - 1, *signs, index])
            first, signs = outer.pop()
        elif token.text in _SPLITS and index > first:
            yield from _joined(unit, text, [first - 1, *signs, index])
            first, signs = index + 1, []
        elif token.text in _BINDS and first < index < len(unit.tokens) - 1 \
                and unit.tokens[index - 1].end < token.begin and token.end < unit.tokens[index + 1].begin:
            signs.append(index)
    yield from _joined(unit, text, [first - 1, *signs, len(unit.tokens)])


def _joined(unit: Unit, text: str, signs: list[int]) -> Iterator[Change]:
    """Changes of what is between signs, which are given with the places before and after them."""
    all_ = unit.tokens

    def without(operator: str, low: int, high: int, put: str = "") -> Change:
        """A change of what is between two places."""
        return Change(operator, all_[low + 1].begin, all_[high - 1].end, put, unit)

    def between(low: int, high: int) -> str:
        return text[all_[low + 1].begin:all_[high - 1].end]

    words = [all_[sign].text for sign in signs[1:-1]]
    binds = [-1, *(_BINDS[word] for word in words), -1]
    for at, word in enumerate(words, 1):
        # An operand ends at the next sign that does not bind more.
        left = next(i for i in range(at - 1, -1, -1) if binds[i] <= binds[at])
        right = next(i for i in range(at + 1, len(binds)) if binds[i] <= binds[at])
        is_first = left == 0 or words[left - 1] != word
        low = max(i for i in range(at) if binds[i] < binds[at])
        if word in _ARITHMETIC:
            yield without("operand", signs[at] - 1, signs[right])
            if word in "*+|&^":
                yield without("operand", signs[low], signs[at] + 1)
        elif word in _NEUTRAL:
            yield without("condition", signs[at], signs[right], _NEUTRAL[word])
            if is_first:
                yield without("condition", signs[low], signs[at], _NEUTRAL[word])
        elif word == "?" and words[at:].count(":") == 1 and ":" not in words[:at]:
            colon = words.index(":", at) + 1
            yield without("choice", signs[left], signs[-1], between(signs[at], signs[colon]))
            yield without("choice", signs[left], signs[-1], between(signs[colon], signs[-1]))


def _instead(token: Token, before: Token, after: Token) -> Iterator[tuple[str, str]]:
    """What may stand for a token: the operator, and the text."""
    word = token.text
    if word.startswith("memory_order_"):
        yield from (("order", f"memory_order_{weak}") for weak in _WEAKER.get(word[13:], ()))
    elif before.text == "::" and word in _WEAKER:
        yield from (("order", weak) for weak in _WEAKER[word])
    elif before.text == "::" and word in _NARROWER:
        yield "scope", _NARROWER[word]
    elif word.startswith("__syncthreads_"):
        yield "fence", ""  # each thread's own vote
    elif word == "!":
        yield "token", ""
    elif word in _OTHER:
        spaced = before.end < token.begin and token.end < after.begin
        if spaced or word not in ("<", ">", "&&"):  # else a template's, or a reference
            yield "token", _OTHER[word]
    if _SCOPE.fullmatch(word) and before.text in (",", "<", "::") and after.text in (",", ">"):
        yield "scope", "::finesync::scope::block"
