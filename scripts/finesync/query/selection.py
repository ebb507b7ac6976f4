"""Which rows a question is about, as data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Selection:
    """The points of one form of a program's primitive at some axes. A value of `where` is one that rows
    must have, or a list of such values, {"least": NUMBER}, or {"file": NAME} for an input from a file. A
    point that lacks an axis of `usual` counts too. `role`: what the form is in a comparison."""

    program: str
    form: str
    usual: Mapping[str, Any]
    where: Mapping[str, Any]
    role: str = ""

    def __str__(self) -> str:
        said = ", ".join(f"{axis} {_in_words(value)}" for axis, value in self.where.items())
        return f"{self.form} ({said})" if said else self.form

    def fits(self, axes: Mapping[str, Any]) -> bool:
        """Whether a point with these axes is meant, whatever its primitive."""
        return all(matches(axes.get(axis), value) for axis, value in self.where.items()) and all(
            axis in self.where or axes.get(axis) is None or matches(axes[axis], value)
            for axis, value in self.usual.items())


def matches(found: Any, wanted: Any) -> bool:
    """Whether a value is one that a selection asks for."""
    if isinstance(wanted, Mapping) and "file" in wanted:
        # The program adds a tag of path and contents to the name of a file.
        return re.fullmatch(re.escape(wanted["file"]) + "-[0-9a-f]{8}", str(found)) is not None
    if isinstance(wanted, Mapping):
        return isinstance(found, (int, float)) and found >= wanted["least"]
    return found in wanted if isinstance(wanted, list) else found == wanted


def _in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"of at least {value['least']}" if "least" in value else f"from {value['file']}"
    return " or ".join(map(str, value)) if isinstance(value, list) else str(value)
