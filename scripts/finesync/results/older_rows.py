"""Axes that rows of earlier revisions lack, with the values that those programs ran with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def with_all_axes(program: str, axes: Mapping[str, Any]) -> Mapping[str, Any]:
    """The axes of a row of a program, or of its traffic."""
    if program.startswith("barrier") and "load" not in axes:
        # The only one, until 29 November 2026; without loads and stores all are the same.
        return {**axes, "load": "early" if axes.get("ldst") else "lines"}
    return axes
