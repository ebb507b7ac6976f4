"""The primitives that figures.py --with names: figures that list primitives, or draw only the fastest, have them too."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import UserError
from .loading import Results

_NAMES: list[str] = []


def ask_for(names: Iterable[str]) -> None:
    """From now on, in this process and those that it starts."""
    _NAMES[:] = dict.fromkeys(names)


def asked() -> list[str]:
    return _NAMES


def among(loaded: Iterable[Results]) -> list[str]:
    """Those of which some results have rows."""
    ran = {name for results in loaded for name in results.points.primitives()}
    return [name for name in _NAMES if name in ran]


def check(loaded: list[Results]) -> None:
    """Refuses a name of which no results have rows."""
    if missing := set(_NAMES).difference(among(loaded)):
        ran = dict.fromkeys(name for results in loaded for name in results.points.primitives())
        raise UserError(f"--with: the results have no rows of '{min(missing)}'; they have {', '.join(ran)}")
