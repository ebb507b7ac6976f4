"""The frame of every script: whatever happens to it, the user sees one line.

A script imports this before anything else, so that Ctrl-C and an old Python are answered while it
still imports. It and this file have no syntax that Python 3.6 cannot read. It says
script.answer_first(parse) before imports that need packages, and ends with

    if __name__ == "__main__":
        script.run(main)
"""

import os
import signal
import sys

# The oldest Python that runs the scripts and the tests; environment.yml and CMake say it too.
LEAST_PYTHON = (3, 10)

# The Python that scripts/setup.sh installs modules for, where it may.
_DISTRIBUTION = "/usr/bin/python3"

_FILE = os.path.realpath(getattr(sys.modules["__main__"], "__file__", None) or "script")
NAME = os.path.splitext(os.path.basename(_FILE))[0]


def complain(problem: object) -> None:
    """Writes the one line."""
    print(f"{NAME}: {problem}", file=sys.stderr, flush=True)


def _leave_at_once(*_: object) -> None:
    complain("stopped")
    os._exit(130)


def _start_again() -> None:
    """Starts the script again with the distribution's Python, if this is another one: the first
    python3 of PATH, of conda or pyenv, need not have the modules. Returns if there is none."""
    if sys.executable != _DISTRIBUTION and os.access(_DISTRIBUTION, os.X_OK):
        os.execv(_DISTRIBUTION, [_DISTRIBUTION, *sys.argv])


def _miss_module(kind: type, error: BaseException, trace: object) -> None:
    if not isinstance(error, ModuleNotFoundError):
        sys.__excepthook__(kind, error, trace)
        return
    _start_again()
    complain("no Python module %s in %s; scripts/setup.sh installs or names what is missing"
             % (error.name, sys.executable))
    os._exit(2)


# Whether this process is a script, not a test that imports one.
_SCRIPTS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_IS_SCRIPT = os.path.dirname(_FILE) in (_SCRIPTS, os.path.join(_SCRIPTS, "dev"))
if _IS_SCRIPT:
    # It has nothing to clean up yet.
    signal.signal(signal.SIGINT, _leave_at_once)
    sys.excepthook = _miss_module
    if sys.version_info < LEAST_PYTHON:
        _start_again()
        complain("needs Python %d.%d or newer" % LEAST_PYTHON
                 + "; this is %d.%d, %s" % (*sys.version_info[:2], sys.executable))
        sys.exit(2)

import argparse  # noqa: E402
from collections.abc import Callable  # noqa: E402
from typing import Any, NoReturn  # noqa: E402

from .results.errors import UserError  # noqa: E402


class Parser(argparse.ArgumentParser):
    """The parser of a script's options, with its docstring as help and errors of one line."""

    def __init__(self, text: str | None) -> None:
        super().__init__(prog=f"{NAME}.py", description=text, formatter_class=argparse.RawDescriptionHelpFormatter)

    def print_help(self, file: Any = None) -> None:
        # argparse's own says nothing of what cannot be written.
        print(self.format_help(), end="", file=file)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{NAME}: {' '.join(message.split())}; see {NAME}.py --help\n")


def answer_first(parse: Callable[[None], object]) -> None:
    """Answers --help and wrong options at once, also where packages are missing; otherwise does
    nothing. `parse` reads the options of the command line."""
    if not _IS_SCRIPT:
        return
    _open_standard_streams()
    try:
        parse(None)
    except (SystemExit, OSError) as answered:
        ending = answered
    else:
        return

    def end() -> NoReturn:
        raise ending

    run(end)


def run(main: Callable[[], int], stopped: str = "stopped") -> NoReturn:
    """Ends the process with the status of main(), or with a line and the status of what happened:
    2 for an error of the user or of the system, 130 for Ctrl-C with the words `stopped`. A reader
    of stdout that leaves early ends it without a word."""
    # Also in a script's background, where Ctrl-C is ignored from the start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _open_standard_streams()
        status = _status_of(main)
        sys.stdout.flush()
    except KeyboardInterrupt:
        complain(stopped)
        status = 130
    except BrokenPipeError:
        status = 128 + signal.SIGPIPE
    except OSError as error:
        # Only output has no name.
        complain(f"{error.filename}: {error.strerror}" if error.filename else
                 f"cannot write all output ({error.strerror or error})")
        status = 2
    # What is left in the buffer after an error must not be another one.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(status)


def _status_of(main: Callable[[], int]) -> int:
    try:
        return main()
    except UserError as error:
        complain(error)
        return 2
    except SystemExit as end:  # argparse's
        return end.code if isinstance(end.code, int) else 0


def _open_standard_streams() -> None:
    """Opens streams that are closed, so that no file takes their places, and lets all of them write any text."""
    opened = 0
    while opened <= 2:
        opened = os.open(os.devnull, os.O_RDWR)
    os.close(opened)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
