"""Runs scripts in processes that have pandas and matplotlib already, whose import takes a second."""

from __future__ import annotations

import gc
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import jsonschema  # noqa: F401
import matplotlib.pyplot  # noqa: F401
import pandas  # noqa: F401

ROOT = str(Path(__file__).resolve().parents[2])


def run_script(script: Path, *arguments: str, cwd: Path | None = None,
               env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """What `python3 SCRIPT ARGUMENT...` does: with its own modules, none of the test's."""
    command = [str(script), *arguments]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        if not (child := os.fork()):
            for place, file in enumerate((out, err), start=1):
                os.dup2(file.fileno(), place)
            os._exit(_status_of(command, cwd, os.environ if env is None else env))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    return subprocess.CompletedProcess(command, status, *texts)


def _status_of(command: list[str], cwd: Path | None, env: Mapping[str, str]) -> int:
    gc.freeze()  # or it would copy what it looks at
    try:
        sys.stdin, sys.stdout, sys.stderr = (
            open(place, "r" if place == 0 else "w", closefd=False, encoding="utf-8") for place in range(3))
        os.chdir(cwd or ".")
        kept = dict(env)
        os.environ.clear()
        os.environ.update(kept)
        for name in [name for name, module in sys.modules.items() if _file_of(module).startswith(ROOT)]:
            del sys.modules[name]
        sys.argv = command
        sys.path[:] = [str(Path(command[0]).resolve().parent),
                       *(place for place in sys.path if not place.startswith(ROOT))]
        runpy.run_path(command[0], run_name="__main__")
        return 0
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else bool(end.code)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _file_of(module: object) -> str:
    """Where a module, or the first folder of one without a file, is."""
    return getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), "")
