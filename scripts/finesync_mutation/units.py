"""The statements of C++ functions, and the expressions in them, that a fault may change by itself.

Found by brackets and key words, in code as clang-format writes it: a template's `<` follows its name, that
of a comparison a space. What the compiler evaluates is left out (static_assert, if constexpr, case,
constants), as are lines of the preprocessor. A mistake here costs a fault: the compiler rejects it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .matching import Token, tokens

STATEMENT, RETURN, JUMP, GUARDED, EXPRESSION, CONDITION = (
    "statement", "return", "jump", "guarded", "expression", "condition")

_CLOSING = {"(": ")", "{": "}", "[": "]"}
_SIGNS = {"++", "--", "->", "::", "&&", "||", "<<", *(sign + "=" for sign in "-+*/%&|^=!<>")}
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_OF_TYPES = {"class", "struct", "union", "namespace"}
_NO_FUNCTIONS = {"requires", "noexcept", "alignas", "explicit", "decltype", "__launch_bounds__",
                 "__maxnreg__"}
_DECLARES = {"const", "auto", "volatile", "unsigned", "signed", "typename"}
_SKIPPED = {"using", "typedef", "static_assert", "static", "constexpr", "constinit", "template", "extern",
            "asm", "goto", "throw", "thread_local", "enum", *_OF_TYPES}


@dataclass
class Unit:
    """Tokens that are changed as a whole: a statement without its semicolon, an expression, or what an if
    or a loop is and guards. `tokens` are those that belong to no smaller unit in it."""

    kind: str
    function: str
    first: int
    last: int
    begin: int
    end: int
    is_within: bool = False  # all that an if without else or a loop guards, or its condition
    tokens: list[Token] = field(default_factory=list)


def units_of(text: str) -> list[Unit]:
    """Those of a C++ file, an outer one before those of the lambdas in it."""
    reader = _Reader(text)
    if len(reader.closing) * 2 != sum(word in "(){}[]" for word in reader.words if word):
        return []  # a directive chooses between brackets
    reader.declarations(0, len(reader.all))
    units = sorted(reader.found, key=lambda unit: (unit.first, -unit.last))
    around: list[Unit] = []
    waiting = iter([*units, None])
    following = next(waiting)
    for index, token in enumerate(reader.all):
        while following and following.first == index:
            around.append(following)
            following = next(waiting)
        while around and around[-1].last <= index:
            around.pop()
        if around:
            around[-1].tokens.append(token)
    return units


def code_tokens(text: str) -> list[Token]:
    """Tokens without directives; signs of two characters are one token."""
    blank = _DIRECTIVE.sub(lambda line: " " * len(line[0]), text)
    joined: list[Token] = []
    for token in tokens(blank, "c++"):
        last = joined[-1] if joined else None
        if last and last.end == token.begin and last.text + token.text in _SIGNS:
            joined[-1] = Token(last.text + token.text, last.begin, token.end)
        else:
            joined.append(token)
    return joined


class _Reader:
    def __init__(self, text: str) -> None:
        self.found: list[Unit] = []
        self.all = code_tokens(text)
        self.words = [*(token.text for token in self.all), "", ""]
        self.closing: dict[int, int] = {}
        self.function = ""
        opened: list[int] = []
        for index, word in enumerate(self.words):
            if word in _CLOSING:
                opened.append(index)
            elif word in _CLOSING.values() and opened:
                self.closing[opened.pop()] = index

    def after(self, opening: int) -> int:
        """The index after a bracket's end."""
        return self.closing.get(opening, len(self.all)) + 1

    def spaced(self, index: int) -> bool:
        """Whether a token does not follow directly on the one before."""
        return index > 0 and self.all[index].begin > self.all[index - 1].end

    def after_angle(self, index: int) -> int:
        """The index after `<...>`, or `index` if that is no list of template arguments."""
        if self.words[index:index + 1] != ["<"]:
            return index
        depth, at = 0, index
        while at < len(self.words) and self.words[at] not in (";", "{", "}"):
            depth += (self.words[at] == "<") - (self.words[at] == ">")
            at = self.after(at) if self.words[at] in "([" else at + 1
            if depth == 0:
                return at
        return index

    def to(self, sign: str, at: int, end: int) -> int:
        """The index of the next sign outside of brackets, or the end."""
        while at < end and self.words[at] != sign:
            at = self.after(at) if self.words[at] in _CLOSING else at + 1
        return min(at, end)

    def add(self, kind: str, first: int, last: int) -> None:
        self.lambdas(first, last)
        if first < last:
            self.found.append(self.unit(kind, first, last))

    def unit(self, kind: str, first: int, last: int) -> Unit:
        return Unit(kind, self.function, first, last, self.all[first].begin, self.all[last - 1].end)

    def lambdas(self, at: int, end: int) -> None:
        """The statements of the lambdas in an expression."""
        while at < end:
            starts = self.words[at] == "[" and self.words[at + 1] != "[" and not (
                re.match(r"[\w)\]]", self.words[at - 1]) and self.words[at - 1] != "return")
            if not starts:
                at += 1
                continue
            body = self.after_angle(self.after(at))
            while body < end and self.words[body] not in ("{", ";", ","):
                body = self.after(body) if self.words[body] == "(" else body + 1
            if body < end and self.words[body] == "{":
                self.statements(body + 1, self.closing[body])
                body = self.after(body)
            at = body

    def declarations(self, at: int, end: int) -> None:
        """The members of a namespace or class."""
        head = at
        while at < end:
            word = self.words[at]
            if word == "{":
                if not self.body(head, at):  # an initializer
                    at = self.after(at)
                    continue
                at = head = self.after(at)
            elif word in "([":
                at = self.after(at)
            else:
                if word == "template" and self.words[at + 1] == "<":
                    at = self.after_angle(at + 1) - 1
                at += 1
                if word == ";" or (word == ":" and self.words[at - 2] in ("public", "private", "protected")):
                    head = at

    def body(self, head: int, opening: int) -> bool:
        """Reads what begins with a bracket. \\returns whether that ends the declaration."""
        outer: list[int] = []  # the indices of the head outside of round brackets
        at = head
        while at < opening:
            outer.append(at)
            is_list = self.words[at] == "template"
            at = self.after(at) if self.words[at] in _CLOSING else \
                self.after_angle(at + 1) if is_list else at + 1
        words = [self.words[index] for index in outer]
        calls = [index for index in outer if self.words[index] == "("
                 and re.match(r"\w|[=\])]", self.words[index - 1]) and self.words[index - 1] not in _NO_FUNCTIONS]
        if "enum" in words or ("=" in words and "operator" not in words):
            return "enum" in words
        if _OF_TYPES & set(words):
            self.declarations(opening + 1, self.closing[opening])
            return "namespace" in words
        initializes = ":" in words and calls and self.words[opening - 1] not in (")", "}")
        if not calls or initializes:
            return "extern" in words and self.declarations(opening + 1, self.closing[opening]) is None
        name = self.words[calls[0] - 1]
        self.function = name if re.match(r"\w", name) else "operator"
        self.statements(opening + 1, self.closing[opening])
        return True

    def statements(self, at: int, end: int) -> None:
        while at < end:
            at = self.statement(at, end)

    def statement(self, at: int, end: int) -> int:
        """Reads one, to its end. \\returns the index after it."""
        word = self.words[at]
        if word == "{":
            self.statements(at + 1, self.closing[at])
            return self.after(at)
        if word in ("if", "while", "switch", "for", "catch"):
            return self.guarded(at, end)
        if word in ("else", "try"):
            return self.statement(at + 1, end)
        if word == "do":
            at = self.statement(at + 1, end)
            self.head(at, end)
            return self.to(";", at, end) + 1
        if word in ("case", "default"):
            return self.to(":", at, end) + 1
        semicolon = self.to(";", at, end)
        if word in ("break", "continue"):
            self.add(JUMP, at, semicolon)
        elif word == "return":
            self.add(JUMP if semicolon == at + 1 else RETURN, at, semicolon)
        elif word in _SKIPPED:
            self.lambdas(at, semicolon)
        elif self.declares(at):
            self.initialized(at, semicolon)
        else:
            self.add(STATEMENT, at, semicolon)
        return semicolon + 1

    def guarded(self, at: int, end: int) -> int:
        """An if or a loop, and what it guards."""
        self.head(at, end)
        guarded = self.after(self.to("(", at, end))
        after = self.statement(guarded, end)
        if self.words[at] in ("for", "while") or (self.words[at] == "if" and self.words[after] != "else"):
            self.found.append(self.unit(GUARDED, at, after))
            for unit in self.found:
                unit.is_within |= unit.first == guarded or unit.last == guarded - 1
        elif self.words[at] == "if":
            after = self.statement(after, end)
        return after

    def head(self, at: int, end: int) -> None:
        """What stands in the brackets."""
        bracket = self.to("(", at, end)
        first, last = bracket + 1, self.closing[bracket]
        if self.words[at + 1] == "constexpr" or self.words[at] in ("switch", "catch"):
            return
        parts = [first]
        while (semicolon := self.to(";", parts[-1], last)) < last:
            parts.append(semicolon + 1)
        if self.words[at] == "for":
            self.lambdas(first, parts[1] - 1 if len(parts) > 1 else last)
            for begin, stop in zip(parts[1:], [*(part - 1 for part in parts[2:]), last]):
                self.add(EXPRESSION, begin, stop)
        elif self.declares(parts[-1]):
            self.lambdas(parts[-1], last)
        else:
            self.add(CONDITION if self.words[at] == "if" else EXPRESSION, parts[-1], last)

    def declares(self, at: int) -> bool:
        """Whether a declaration begins: a type, and a name or a list of names."""
        if self.words[at] in _DECLARES:
            return True
        while re.match(r"[^\W\d]|::", self.words[at]):
            named = re.match(r"[^\W\d]", self.words[at])
            at = self.after_angle(at + 1)
            if named and re.match(r"[^\W\d]", self.words[at]):
                return True
        return self.words[at] in ("&", "*", "&&") and not self.spaced(at) and self.spaced(at + 1) \
            and re.match(r"[^\W\d]", self.words[at + 1]) is not None

    def initialized(self, at: int, semicolon: int) -> None:
        """The initial value of a declaration of one variable."""
        sign = at
        while sign < semicolon and self.words[sign] not in ("=", "{", ":"):
            bracket = self.words[sign] in _CLOSING
            sign = self.after(sign) if bracket else max(self.after_angle(sign), sign + 1)
        first = sign + 1
        if sign < semicolon and self.words[sign] == "=" and self.words[first] not in ("[", "{") \
                and self.to(",", first, semicolon) == semicolon:
            self.add(EXPRESSION, first, semicolon)
        else:
            self.lambdas(at, semicolon)
