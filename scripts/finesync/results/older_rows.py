"""Rows of earlier revisions: former names of their programs, and axes that they lack, with the values that those
programs ran with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


# Programs that have become a part of another, which has their primitives and axes.
_NOW = {"fence": "instructions"}


def program_now(name: str) -> str:
    """The program that runs today what one of this name ran."""
    return _NOW.get(name, name)


def names_ever(program: str) -> list[str]:
    """Its name, then former ones: files of recorded runs keep the names that they had."""
    return [program, *(former for former, now in _NOW.items() if now == program)]


def with_all_axes(program: str, axes: Mapping[str, Any]) -> Mapping[str, Any]:
    """The axes of a row of a program, or of its traffic."""
    if program.startswith("barrier") and "load" not in axes:
        # The only one, until 29 November 2026; without loads and stores all are the same.
        return {**axes, "load": "early" if axes.get("ldst") else "lines"}
    return axes
