"""Faults by operator: what is made of the text of a C++ file, see units.py for where.

    fence    a fence or a meeting of threads is left out
    delete   another statement is: a call, an assignment, ++, return, break, continue, an if or a loop
    order    a memory order is weaker by one step
    scope    a scope is narrower by one step; a parameter that is one is block
    condition  that of an if is true, or false where there is an else; so is what && or || joins
    choice   of `a ? b : c`, b or c is taken
    token    < is <=, > is >=, == is !=, && is ||, min is max and so on; !x is x, + 1 and - 1 are left out

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
_WEAKER = {"seq_cst": ["acq_rel"], "acq_rel": ["acquire", "release"], "acquire": ["relaxed"],
           "release": ["relaxed"]}
_NARROWER = {"system": "device", "device": "block", "cluster": "block"}
_SCOPE = re.compile(r"\w*[Ss]cope")
_JOINS = {"&&", "||", "?", ":"}
_ASSIGNS = {"=", "+=", "-=", "*=", "/=", "|=", "&=", "^="}
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
            end = after.end if operator == "one" else token.end
            yield Change("token" if operator == "one" else operator, token.begin, end, put, unit)


def _operands(unit: Unit, text: str) -> Iterator[Change]:
    """What is joined by && or || is taken to be true or false; of `a ? b : c`, b or c is taken."""
    outer: list[tuple[int, list[int]]] = []  # where the parts around begin, and the signs in them
    first, signs = int(unit.kind == RETURN), []
    for index, token in enumerate(unit.tokens):
        if token.text in ("(", "{", "["):
            outer.append((first, signs))
            first, signs = index + 1, []
        elif token.text in (")", "}", "]") and outer:
            yield from _parts(unit, text, [first - 1, *signs, index])
            first, signs = outer.pop()
        elif token.text == "," or (token.text in _ASSIGNS and index > first):
            yield from _parts(unit, text, [first - 1, *signs, index])
            first, signs = index + 1, []
        elif token.text in _JOINS and unit.tokens[index - 1].end < token.begin:
            signs.append(index)
    yield from _parts(unit, text, [first - 1, *signs, len(unit.tokens)])


def _parts(unit: Unit, text: str, signs: list[int]) -> Iterator[Change]:
    """Changes of what is between signs, which are given with the places before and after them."""
    joined = [unit.tokens[sign].text for sign in signs[1:-1]]
    spans = [(unit.tokens[low + 1].begin, unit.tokens[high - 1].end)
             for low, high in zip(signs, signs[1:]) if low + 1 < high]
    if len(spans) != len(signs) - 1:
        return
    if joined == ["?", ":"]:
        for begin, end in spans[1:]:
            yield Change("choice", spans[0][0], spans[2][1], text[begin:end], unit)
    elif len(set(joined)) == 1 and joined[0] in ("&&", "||"):
        for begin, end in spans:
            yield Change("condition", begin, end, "true" if joined[0] == "&&" else "false", unit)


def _instead(token: Token, before: Token, after: Token) -> Iterator[tuple[str, str]]:
    """What may stand for a token: the operator, and the text; "one" takes the next token, too."""
    word = token.text
    if word.startswith("memory_order_"):
        yield from (("order", f"memory_order_{weak}") for weak in _WEAKER.get(word[13:], ()))
    elif before.text == "::":
        yield from (("order", weak) for weak in _WEAKER.get(word, ()))
        if word in _NARROWER:
            yield "scope", _NARROWER[word]
    elif word in ("+", "-") and after.text in ("1", "1u") and token.end < after.begin:
        yield "one", ""
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
    known = {of.file: of for of in lists if any(not is_pytest(test) for test in of.tests)}
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
                                    tests=tuple(test for test in of.tests if not is_pytest(test))))
    return faults


def _of_neighbours(name: str, known: list[FaultList]) -> FaultList | None:
    """What the lists say of the other files of the folder, or else of what it is in."""
    for folder in list(PurePosixPath(name).parents)[:-2]:
        near = [of for of in known if of.file.startswith(f"{folder}/")]
        if near:
            most = Counter(of.folder for of in near).most_common(1)[0][0]
            tests = dict.fromkeys(test for of in near if of.folder == most for test in of.tests)
            return FaultList(most, name, tuple(tests), ())
    return None
