"""A folder that one process at a time may change."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

from .errors import UserError


class FolderLock:
    """Keeps a folder to this process until it ends, however it does."""

    def __init__(self, folder: Path) -> None:
        self._folder = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno == errno.EWOULDBLOCK:
                raise UserError(f"{folder}: another run is under way there") from None
            # A file system without locks leaves it to the user.
