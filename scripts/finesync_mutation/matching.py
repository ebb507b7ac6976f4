"""Finds a snippet of code, regardless of white space and comments, in a file or a part of one.

A snippet is compared token by token, so that it survives a new line break or comment. The search
may be limited to one function or class by the name in its definition ("leave", or "inbox.receive"
if two classes have one).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_COMMENT = {"c++": r"//[^\n]*|/\*.*?\*/", "python": r"\#[^\n]*"}
_STRING = {
    "c++": r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
    "python": r'"""(?:\\.|.)*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
}
_PLAIN = r"\d[\w.']*|[^\W\d]\w*|[^\w\s]"
_OPENING = {"(": ")", "{": "}", "[": "]"}


@dataclass(frozen=True)
class Token:
    """A word, number, string or sign, and its position."""

    text: str
    begin: int
    end: int


@dataclass(frozen=True)
class Span:
    """A part of a text, end excluded."""

    begin: int
    end: int


class NoMatch(Exception):
    """The snippet is missing or there more than once, as the text says."""


def language_of(name: str) -> str:
    """The lexical rules of a file."""
    return "python" if name.endswith(".py") else "c++"


def tokens(text: str, language: str) -> list[Token]:
    """The text without white space and comments."""
    pattern = re.compile(f"(?P<skip>{_COMMENT[language]})|{_STRING[language]}|{_PLAIN}", re.DOTALL)
    return [Token(found[0], found.start(), found.end())
            for found in pattern.finditer(text) if found["skip"] is None]


def find(text: str, snippet: str, within: str, language: str) -> Span:
    """The only place of the snippet. Raises NoMatch."""
    all_tokens = tokens(text, language)
    wanted = [token.text for token in tokens(snippet, language)]
    if not wanted:
        raise NoMatch("there is nothing to look for")
    areas = [Span(0, len(text))]
    for name in within.split(".") if within else []:
        bodies = _bodies(all_tokens, name) if language == "c++" else _blocks(text, name)
        areas = [body for body in bodies
                 if any(area.begin <= body.begin and body.end <= area.end for area in areas)]
        if not areas:
            raise NoMatch(f"there is no {name!r}")
    words = [token.text for token in all_tokens]
    spans = [Span(all_tokens[first].begin, all_tokens[first + len(wanted) - 1].end)
             for first, word in enumerate(words)
             if word == wanted[0] and words[first:first + len(wanted)] == wanted]
    places = [span for span in spans
              if any(area.begin <= span.begin and span.end <= area.end for area in areas)]
    if len(places) != 1:
        raise NoMatch("it is not there" if not places else f"it is there {len(places)} times")
    return places[0]


def replaced(text: str, snippet: str, replacement: str, within: str, language: str) -> str:
    """The text with the snippet's one place changed. Raises NoMatch."""
    span = find(text, snippet, within, language)
    return text[:span.begin] + replacement + text[span.end:]


def _closing(all_tokens: list[Token], opening: int) -> int:
    """The index of the bracket that closes `opening`; the last token if none does."""
    depth = 0
    for index in range(opening, len(all_tokens)):
        if all_tokens[index].text in _OPENING:
            depth += 1
        elif all_tokens[index].text in _OPENING.values():
            depth -= 1
            if depth == 0:
                return index
    return len(all_tokens) - 1


def _bodies(all_tokens: list[Token], name: str) -> list[Span]:
    """The body of every function or class of that name, including its head."""
    found = []
    for index, token in enumerate(all_tokens[:-1]):
        is_class = index > 0 and all_tokens[index - 1].text in ("class", "struct")
        if token.text != name or not (is_class or all_tokens[index + 1].text == "("):
            continue
        at = index + 1
        while at < len(all_tokens) and all_tokens[at].text not in (";", "{", "}", ")"):
            at = _closing(all_tokens, at) + 1 if all_tokens[at].text in _OPENING else at + 1
        if at < len(all_tokens) and all_tokens[at].text == "{":
            found.append(Span(token.begin, all_tokens[_closing(all_tokens, at)].end))
    return found


def _blocks(text: str, name: str) -> list[Span]:
    """Every Python function or class of that name with its lines."""
    head = re.compile(rf"^([ \t]*)(?:async )?(?:def|class) {re.escape(name)}\b", re.MULTILINE)
    found = []
    for match in head.finditer(text):
        end = re.compile(rf"^(?![ \t]*$)(?!{match[1]}[ \t])(?!{match[1]}\))", re.MULTILINE)
        after = end.search(text, text.find("\n", match.end()) + 1 or len(text))
        found.append(Span(match.start(), after.start() if after else len(text)))
    return found
