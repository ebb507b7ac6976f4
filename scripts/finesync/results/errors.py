"""The one exception that ends a script with a single line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path


class UserError(Exception):
    """An error that the user can fix; its text is one line, and the script exits with status 2."""

    def __init__(self, text: object) -> None:
        super().__init__(" ".join(str(text).split()))


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """What fails while this is written is a UserError that names it."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{path}: cannot write ({error.strerror or error})") from None
