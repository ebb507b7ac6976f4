"""Unpacks one file of an archive, or a compressed file, under a name that we choose: no entry of an
archive determines a path."""

from __future__ import annotations

import gzip
import lzma
import shutil
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Iterator, Optional

from .sources import FetchError, Source

_CHUNK = 1 << 20


@contextmanager
def _opened(archive: Path, member: Optional[str], packed: Optional[str]) -> Iterator[IO[bytes]]:
    if member is None:
        with gzip.open(archive) if packed == ".gz" else lzma.open(archive) as file:
            yield file
    elif zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped, zipped.open(member) as file:
            yield file
    else:
        with tarfile.open(archive, "r:*") as tar:
            file = tar.extractfile(member)
            if file is None:
                raise KeyError(member)  # a folder
            yield file


def unpack(source: Source, archive: Path, to: Path) -> None:
    """Copies only the member that the source names, or the compressed file."""
    try:
        with _opened(archive, source.member, source.packed) as file, to.open("wb") as out:
            shutil.copyfileobj(file, out, _CHUNK)
    except KeyError:
        raise FetchError(f"{source.name}: the archive has no file {source.member}") from None
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        why = str(error).split(":", maxsplit=1)[0]  # tarfile lists each format that it is not
        raise FetchError(f"{source.name}: the archive is damaged ({why})") from None


def count_entries(file: Path) -> int:
    """The number of lines without header lines, which begin with % or, in graphs, c and p."""
    with file.open("rb") as lines:
        while (start := lines.readline()).startswith((b"%", b"c", b"p ")):
            pass
        count = 1 if start else 0
        while chunk := lines.read(_CHUNK):
            count += chunk.count(b"\n")
    return count
