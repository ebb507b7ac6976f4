"""The primitives of figures.py --with: figures that list primitives, or draw only the fastest, have them too."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import UserError
from .loading import Results

_NAMES: list[str] = []


def ask_for(names: Iterable[str]) -> None:
    """From now on, in this process and those that it starts."""
    _NAMES[:] = dict.fromkeys(names)


def asked(loaded: Iterable[Results] | None = None) -> list[str]:
    """All of them, or those that have rows in some results."""
    return [name for name in _NAMES if loaded is None or any(name in own.points.primitives() for own in loaded)]


def check(loaded: list[Results]) -> None:
    """Refuses a name that has rows in no results."""
    if missing := set(_NAMES).difference(asked(loaded)):
        ran = dict.fromkeys(name for results in loaded for name in results.points.primitives())
        raise UserError(f"--with: the results have no rows of '{min(missing)}'; they have {', '.join(ran)}")
