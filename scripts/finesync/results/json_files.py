"""JSON on disk: read strictly (no NaN, no infinity), written whole or not at all."""

from __future__ import annotations

import functools
import gzip
import json
import math
import os
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from .errors import UserError, writing


Content = TypeVar("Content")


def _reject_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number that a results file may hold")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is out of range")
    return value


def _whole(text: str) -> int:
    if len(text) > 40:
        raise ValueError(f"{text[:20]}... is out of range")
    return int(text)


STRICT = json.JSONDecoder(parse_constant=_reject_constant, parse_float=_finite, parse_int=_whole)


def read_json(path: Path) -> Any:
    """The parsed file, which may be compressed (.gz); a UserError of one line if it cannot be read
    or is not strict JSON."""
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise UserError(f"{path}: not a whole gzip file") from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a text file") from None
    try:
        return STRICT.decode(text)
    except json.JSONDecodeError as error:
        where = "ends too early" if error.pos >= len(text.rstrip()) else f"line {error.lineno}"
        raise UserError(f"{path}: not valid JSON ({where}: {error.msg})") from None
    except ValueError as error:
        raise UserError(f"{path}: {error}") from None
    except RecursionError:
        raise UserError(f"{path}: nested too deeply") from None


def once(read: Callable[[Path], Content]) -> Callable[[Path], Content]:
    """The same reader, which reads a file again only if it was written since. Nobody may change what it returns."""
    @functools.lru_cache(maxsize=None)
    def known(path: Path, *_: int) -> Content:
        return read(path)

    def read_once(path: Path) -> Content:
        try:
            state = path.stat()
        except OSError:
            return read(path)  # which says what is wrong
        return known(path, state.st_mtime_ns, state.st_size)
    return read_once


def write_json(path: Path, document: Any) -> None:
    """Replaces `path` in one step, so a reader never sees half a file, even after a crash."""
    text = json.dumps(document, indent=1, allow_nan=False) + "\n"
    with writing(path):
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
