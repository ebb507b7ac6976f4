"""Faults by rule: each condition of the functions that verify runs is weakened.

tests/suite/verifiers/verifiers.toml has an entry for each file with such a function:

    faults = 7            as many as the rules make: a new condition asks for a look at its tests
    tests = ["..."]       tests that should catch them, see test_names.py
    functions = ["..."]   functions that verify by other names than verify... and fault_of...

and a table of those that are equivalent, by their names (FILE: FUNCTION: RULE: CODE), and why.

The rules:

    never      what an if guards is not done; always: it is, if it says that all is right
    right      what is compared, or one of several joined by && or ||, is taken to be right
    one way    what differs is right if it is less, or if it is greater
    boundary   < is <=, and so on
    but last   a loop leaves out its last turn
    unasked    another function that verifies is not called
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from .faults import Fault, tomllib
from .matching import NoMatch, tokens

_NAMES = r"verify|verify_\w+|fault_of|fault_of_\w+"
_ASKED = re.compile(rf"(?<![\w.>:])(?:\w+(?:\.|->|::))*(?:{_NAMES}|ending|check_\w+)\(")
_IF, _FOR, _JOINS = re.compile(r"\bif \("), re.compile(r"\bfor \("), re.compile(r" (&&|\|\|)\s")
_COMPARES = re.compile(r" (==|!=|<=|>=|<|>)\s")
_LOOSER = re.compile(r"&&|\|\|| [+|&]?= | : |\breturn\s")
_TEMPLATE = re.compile(r"<[\w:*][\w:*, ]*>")
_BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_ALL_IS_RIGHT = re.compile(r"\s*(?:return (?:\{\}|std::nullopt|\"\");|continue;|break;)")
_DECLARES = re.compile(r"(?:const )?[\w:]+ \w+ =\s")
_TWO_VALUES = re.compile(r"0u?|nullptr|\w+::\w+|none|no_\w+|any_\w+|unreached|.*end\(\)")


class Weakening(NamedTuple):
    """A change of a text from `begin` to `end`; its name in the file."""

    name: str
    begin: int
    end: int
    put: str


@lru_cache
def weakenings(text: str, names: tuple[str, ...] = ()) -> list[Weakening]:
    """All that the rules make of a C++ file. `names`: of further functions that verify."""
    code = [" "] * len(text)  # without strings and comments
    for token in tokens(text, "c++"):
        if token.text[0] not in "\"'":
            code[token.begin:token.end] = token.text
    file = _File(text, "".join(code))
    seen: Counter[str] = Counter()
    unique = []
    for made in sorted(file.weakened("|".join([_NAMES, *names])), key=lambda each: each[1:]):
        seen[made.name] += 1
        again = f" ({seen[made.name]})" if seen[made.name] > 1 else ""
        unique.append(made._replace(name=made.name + again))
    return unique


class _File:
    def __init__(self, text: str, code: str) -> None:
        self.text, self.code = text, code
        plain = _TEMPLATE.sub(lambda types: "_" * len(types[0]), code)
        self.parts = _LOOSER.sub(lambda sign: ";" * len(sign[0]), plain)

    def weakened(self, names: str) -> Iterator[Weakening]:
        for head in re.finditer(rf"(?<![.>])\b({names})\(", self.code):
            after = self._closing(head.end() - 1)
            body = re.compile(r"\)(?: const| override| final)* +\{").match(self.code, after)
            if body:
                for made in self._body(body.end() - 1, self._closing(body.end() - 1)):
                    yield made._replace(name=f"{head[1]}: {made.name}")

    def _body(self, first: int, last: int) -> Iterator[Weakening]:
        def brackets(pattern: re.Pattern[str]) -> list[tuple[int, int]]:
            return [(head.end(), self._closing(head.end() - 1))
                    for head in pattern.finditer(self.code, first, last)]
        conditions, loops = brackets(_IF), brackets(_FOR)
        # After the declaration, if there is one.
        conditions = [(max(begin, self.code.rfind("; ", begin, end) + 2), end)
                      for begin, end in conditions]
        declared = [span for span in conditions if _DECLARES.match(self.code, *span)]
        for begin, end in conditions:
            yield self._guarded(begin, end, (begin, end) in declared)
        for begin, end in loops:
            yield from self._turns(begin, end)
        for sign in _COMPARES.finditer(self.code, first, last):
            span = self._around(*sign.span(1))
            if not any(begin <= sign.start() < end for begin, end in loops):
                yield from self._compared(sign, *span, span in conditions)
        for sign in _JOINS.finditer(self.code, first, last):
            for begin, end in (self._around(sign.start(), sign.start()),
                               self._around(sign.end(), sign.end())):
                if not _COMPARES.search(self.code, begin, end):
                    yield self._made("right", begin, end, "true" if sign[1] == "&&" else "false")
        for call in _ASKED.finditer(self.code, first, last):
            end = self._closing(call.end() - 1) + 1
            if any(end == head_end for _, head_end in declared):
                continue  # as if it were not looked at
            yield self._made("unasked", call.start(), end,
                             f"decltype({self.text[call.start():end]}){{}}")

    def _made(self, rule: str, begin: int, end: int, put: str, more: str = "") -> Weakening:
        return Weakening(f"{rule}: {' '.join(self.text[begin:end].split())}{more}", begin, end, put)

    def _guarded(self, begin: int, end: int, declares: bool) -> Weakening:
        rule, value = ("always", "true") if _ALL_IS_RIGHT.match(self.text, end + 1) \
            else ("never", "false")
        put = f"{self.text[begin:end]}; {value}" if declares else value
        return self._made(rule, begin, end, put)

    def _turns(self, begin: int, end: int) -> Iterator[Weakening]:
        parts = self.code[begin:end].split(";")
        if len(parts) == 1:
            variable, values = self.text[begin:end].split(" : ", 1)
            yield self._made("but last", begin, end + 1,
                             f"std::size_t left_ = std::size({values}); {variable} : {values}) "
                             "if (left_-- == 1) {} else")
        elif " < " in parts[1]:
            at = begin + len(parts[0]) + 1 + parts[1].index(" < ")
            yield self._made("but last", begin, end, f"{self.text[begin:at]} + 1{self.text[at:end]}")

    def _compared(self, sign: re.Match[str], begin: int, end: int,
                  is_condition: bool) -> Iterator[Weakening]:
        def with_sign(put: str, rule: str) -> Weakening:
            changed = self.text[begin:sign.start(1)] + put + self.text[sign.end(1):end]
            return self._made(rule, begin, end, changed, f" as {put}")
        if not is_condition:
            right = sign[1] == "==" or (sign[1] != "!=" and self.code[begin - 3:begin] != "+= ")
            yield self._made("right", begin, end, "true" if right else "false")
        if _TWO_VALUES.fullmatch(self.code[sign.end(1):end].strip()):
            return
        if sign[1] in _BOUNDARY:
            yield with_sign(_BOUNDARY[sign[1]], "boundary")
        else:
            for put in ("<", ">") if sign[1] == "!=" else ("<=", ">="):
                yield with_sign(put, "one way")

    def _closing(self, at: int) -> int:
        """Where the bracket is closed that `at` opens."""
        depth = 0
        for end in range(at, len(self.code)):
            depth += (self.code[end] in "([{") - (self.code[end] in ")]}")
            if depth == 0:
                return end
        raise ValueError(f"never closed: {self.code[at:at + 40]}")

    def _around(self, begin: int, end: int) -> tuple[int, int]:
        """From the last sign before `begin` that binds less than a comparison to the next one."""
        depth = 0
        while depth or self.parts[begin - 1] not in ";,?([{":
            begin -= 1
            depth += (self.parts[begin] in ")]}") - (self.parts[begin] in "([{")
        while depth or self.parts[end] not in ";,?)]}":
            depth += (self.parts[end] in "([{") - (self.parts[end] in ")]}")
            end += 1
        while self.code[begin].isspace():
            begin += 1
        return begin, end - (len(self.code[begin:end]) - len(self.code[begin:end].rstrip()))


@dataclass(frozen=True)
class FaultByRule(Fault):
    """A weakening as a fault: `find` is its name."""

    names: tuple[str, ...] = ()

    def applied_to(self, text: str) -> str:
        for made in weakenings(text, self.names):
            if made.name == self.find:
                return text[:made.begin] + made.put + text[made.end:]
        raise NoMatch("it is not there")


def faults_by_rule(root: Path) -> tuple[list[FaultByRule], list[str]]:
    """All of them, and a line for each disagreement of the table with the sources."""
    listed = root / "tests" / "suite" / "verifiers" / "verifiers.toml"
    table = tomllib.loads(listed.read_text("utf-8")) if listed.is_file() else {}
    same = table.pop("equivalent", {})
    faults, found = [], []
    for path in sorted({*table, *_files_that_verify(root)}):
        entry = table.get(path, {"faults": 0, "tests": []})
        names = tuple(entry.get("functions", ()))
        file = root / path
        made = weakenings(file.read_text("utf-8"), names) if file.is_file() else []
        if len(made) != entry["faults"]:
            found.append(f"{path}: {len(made)} weakenings of what it verifies, and "
                         f"tests/suite/verifiers/verifiers.toml knows of {entry['faults']}")
        faults += [FaultByRule("verifiers", f"{file.stem}.{number}", f"{path}: {each.name}", path,
                               each.name, tests=tuple(entry["tests"]), names=names,
                               equivalent=same.get(f"{file.name}: {each.name}", ""))
                   for number, each in enumerate(made)]
    unknown = set(same) - {f"{Path(each.file).name}: {each.find}" for each in faults}
    return faults, found + [f"there is no {name}" for name in sorted(unknown)]


def _files_that_verify(root: Path) -> Iterator[str]:
    for folder in ("src", "workloads"):
        for file in (root / folder).rglob("*.[ch][pu]*"):
            text = file.read_text("utf-8")
            if re.search(rf"\b(?:{_NAMES})\(", text) and weakenings(text):
                yield str(file.relative_to(root))
