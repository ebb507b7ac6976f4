"""Starts a program and waits for it; after a time limit ends it and all that it started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Done:
    """How a program ended; the status is None after the time limit."""

    status: int | None
    output: str


def run(command: list[str], folder: Path, seconds: float) -> Done:
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
    """Kills the process's session; its number is not reused before wait()."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
