"""The one exception that ends a script with a single line."""

from __future__ import annotations


class UserError(Exception):
    """An error that the user can fix; its text is one line, and the script exits with status 2."""

    def __init__(self, text: object) -> None:
        super().__init__(" ".join(str(text).split()))
