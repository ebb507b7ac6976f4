"""Starts a program, waits for it, and ends it with all that it has started when time is up."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Done:
    """How a program ended; the status is None when its time was up."""

    status: int | None
    output: str


def run(command: list[str], folder: Path, seconds: float) -> Done:
    """Runs a command in a folder."""
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
            return Done(process.returncode, output.decode(errors="replace"))
        except subprocess.TimeoutExpired:
            _end(process)
            output, _ = process.communicate()
            return Done(None, output.decode(errors="replace"))
        except BaseException:  # Ctrl-C above all
            _end(process)
            raise


def _end(process: subprocess.Popen[bytes]) -> None:
    """The process has a session of its own, and its number is not given to others before wait()."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
