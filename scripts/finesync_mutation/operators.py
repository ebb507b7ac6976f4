"""Faults by operator: what is made of the text of a C++ file, see units.py for where.

    fence    a fence or a meeting of threads is left out
    delete   another statement is: a call, an assignment, ++, return, break, continue, an if or a loop
    order    a memory order is weaker by one step
    scope    a scope is narrower by one step; a parameter that is one is block
    condition  that of an if is true, or false where there is an else; so is what && or || joins
    choice   of `a ? b : c`, b or c is taken
    operand  one of two that are added, multiplied and so on is left out
    token    < is <=, > is >=, == is !=, && is ||, min is max, true is false, ++ is --; !x is x

A fault's id is FILE:FUNCTION:OPERATOR:NUMBER, counted in the function from 1: it stays as long as nothing
of its kind changes before it there. Tests are those that the lists name for the file; for a file without
any, those for its neighbours.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from .faults import Fault, FaultList
from .matching import NoMatch, Token
from .test_names import is_pytest
from .units import CONDITION, EXPRESSION, GUARDED, JUMP, RETURN, STATEMENT, Unit, units_of

SOURCES = ("src", "workloads", "inputs")
_SUFFIXES = {".cpp", ".cu", ".cuh", ".hpp"}
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
    def made(operator: str, low: int, high: int, put: str) -> Change:
        return Change(operator, unit.tokens[low + 1].begin, unit.tokens[high - 1].end, put, unit)

    words = [unit.tokens[sign].text for sign in signs[1:-1]]
    for at, word in enumerate(words, 1):
        looser = [_BINDS[other] < _BINDS[word] or _BINDS[other] == _BINDS[word] == 0 for other in words]
        low = next((signs[i + 1] for i in range(at - 2, -1, -1) if looser[i]), signs[0])
        high = next((signs[i + 1] for i in range(at, len(words)) if _BINDS[words[i]] <= _BINDS[word]), signs[-1])
        if word in _ARITHMETIC:
            yield made("operand", signs[at] - 1, high, "")
            if word in "*+|&^":
                yield made("operand", low, signs[at] + 1, "")
        elif word in _NEUTRAL:
            yield made("condition", signs[at], high, _NEUTRAL[word])
            before = next((other for other in words[at - 2::-1] if _BINDS[other] <= _BINDS[word]), "") if at > 1 else ""
            if before != word:
                yield made("condition", low, signs[at], _NEUTRAL[word])
        elif word == "?" and words[at:].count(":") == 1 and ":" not in words[:at]:
            colon = signs[1 + words.index(":", at)]
            yield made("choice", low, signs[-1], text[unit.tokens[signs[at] + 1].begin:
                                                      unit.tokens[colon - 1].end])
            yield made("choice", low, signs[-1], text[unit.tokens[colon + 1].begin:
                                                      unit.tokens[signs[-1] - 1].end])


def _instead(token: Token, before: Token, after: Token) -> Iterator[tuple[str, str]]:
    """What may stand for a token: the operator, and the text."""
    word = token.text
    if word.startswith("memory_order_"):
        yield from (("order", f"memory_order_{weak}") for weak in _WEAKER.get(word[13:], ()))
    elif before.text == "::" and word in _WEAKER:
        yield from (("order", weak) for weak in _WEAKER[word])
    elif before.text == "::" and word in _NARROWER:
        yield "scope", _NARROWER[word]
    elif word == "!":
        yield "token", ""
    elif word in _OTHER:
        spaced = before.end < token.begin and token.end < after.begin
        if spaced or word not in ("<", ">", "&&"):  # else a template's, or a reference
            yield "token", _OTHER[word]
    if _SCOPE.fullmatch(word) and before.text in (",", "<", "::") and after.text in (",", ">"):
        yield "scope", "::finesync::scope::block"


@dataclass(frozen=True)
class Generated(Fault):
    """A change as a fault: `find` is its name in the file."""

    def applied_to(self, text: str) -> str:
        change = self.change(text)
        return text[:change.begin] + change.put + text[change.end:]

    def change(self, text: str) -> Change:
        """The change of this text. Raises NoMatch."""
        if self.find not in changes_of(text):
            raise NoMatch("it is not there")
        return changes_of(text)[self.find]


def digest_of(root: Path) -> str:
    """A digest of all code and of its tests."""
    total = hashlib.sha256()
    for file in sorted(file for folder in (*SOURCES, "tests") for file in (root / folder).rglob("*")
                       if file.suffix in (*_SUFFIXES, ".txt", ".cmake", ".json")):
        total.update(file.read_bytes())
    return total.hexdigest()[:16]


def generated_faults(root: Path, lists: list[FaultList]) -> list[Generated]:
    """All of the files for which tests are known."""
    known: dict[str, FaultList] = {}
    for of in lists:
        tests = [*(known[of.file].tests if of.file in known else ()),
                 *(test for test in of.tests if not is_pytest(test))]
        if tests:  # a file may be in several lists
            known[of.file] = FaultList(of.folder, of.file, tuple(dict.fromkeys(tests)),
                                       remarks=of.remarks | (known[of.file].remarks if of.file in known else {}))
    faults = []
    for path in sorted(path for folder in SOURCES for path in (root / folder).rglob("*.*")
                       if path.suffix in _SUFFIXES):
        name = str(path.relative_to(root))
        of = known.get(name) or _of_neighbours(name, list(known.values()))
        if of is None:
            continue
        text = path.read_text(encoding="utf-8")
        for find, change in changes_of(text).items():
            line = text.count("\n", 0, change.begin) + 1
            what = f"{name}:{line}: {text[change.begin:change.end].strip()} -> {change.put or 'nothing'}"
            faults.append(Generated(of.folder, f"{name}:{find}", " ".join(what.split()), name, find,
                                    tests=of.tests, **of.remarks.get(find, {})))
    return faults


def unknown_names(lists: list[FaultList], faults: list[Generated]) -> list[str]:
    """A line for each remark on a fault that is not made."""
    made = {fault.id for fault in faults}
    return [f"{of.folder}: there is no {of.file}:{name}" for of in lists for name in of.remarks
            if f"{of.file}:{name}" not in made]


def _of_neighbours(name: str, known: list[FaultList]) -> FaultList | None:
    """What the lists say of the other files of the folder, or else of what it is in."""
    for folder in list(PurePosixPath(name).parents)[:-2]:
        near = [of for of in known if of.file.startswith(f"{folder}/")]
        if near:
            most = Counter(of.folder for of in near).most_common(1)[0][0]
            tests = dict.fromkeys(test for of in near if of.folder == most for test in of.tests)
            return FaultList(most, name, tuple(tests))
    return None
