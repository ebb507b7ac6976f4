"""Downloads over HTTP that resume after a stop."""

from __future__ import annotations

import hashlib
import http.client
import re
import urllib.error
import urllib.request
from pathlib import Path
from typing import Optional

from .sources import FetchError, Source

_CHUNK = 1 << 20
_SECONDS_OF_SILENCE = 30


def _rest_of(url: str, have: int) -> urllib.request.Request:
    request = urllib.request.Request(url, headers={"User-Agent": "finesync"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    return request


def _begins_at(answer: http.client.HTTPResponse) -> int:
    """The offset in the file of a response's first byte; 0 if the server sends the whole file."""
    if answer.status != 206:
        return 0
    match = re.match(r"bytes (\d+)-", answer.headers.get("Content-Range", ""))
    if not match:
        raise FetchError("the server does not say which part of the file it sends")
    return int(match[1])


def _receive(url: str, part: Path) -> Optional[int]:
    """Appends the missing part of a file; returns its total length if the server gives it."""
    have = part.stat().st_size if part.exists() else 0
    with urllib.request.urlopen(_rest_of(url, have), timeout=_SECONDS_OF_SILENCE) as answer:
        begin = _begins_at(answer)
        if begin not in (0, have):
            raise FetchError(f"the server sends the file from byte {begin}, not from {have}")
        length = answer.headers.get("Content-Length")
        with part.open("ab" if begin else "wb") as out:
            while chunk := answer.read(_CHUNK):
                out.write(chunk)
        return None if length is None else begin + int(length)


def download(url: str, part: Path) -> None:
    """Completes `part`, which may already hold the beginning. If the server cannot be reached or
    stops before the end, raises a FetchError and keeps the received part."""
    try:
        length = _receive(url, part)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # the file has no more bytes: the checks decide
            return
        raise FetchError(f"{url}: the server answers {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise FetchError(f"{url}: cannot be reached ({error.reason}); is this machine online?") from None
    except (OSError, http.client.HTTPException) as error:
        raise FetchError(f"{url}: the connection broke ({error}); run it again to go on") from None
    have = part.stat().st_size
    if length is not None and have < length:
        raise FetchError(f"{url}: the connection ended after {have} of {length} bytes; run it "
                         "again to go on")


def check(source: Source, part: Path) -> None:
    """Compares a download with its known size and checksum."""
    mebibytes = part.stat().st_size / (1 << 20)
    if source.mebibytes is not None and abs(mebibytes - source.mebibytes) > 0.01:
        raise FetchError(f"{source.name}: {mebibytes:.2f} MiB have come, and it has "
                         f"{source.mebibytes:.2f} MiB")
    if source.checksum is None:
        return
    method, expected = source.checksum.split(":")
    digest = hashlib.new(method)
    with part.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != expected:
        raise FetchError(f"{source.name}: its {method} is {digest.hexdigest()}, and should be "
                         f"{expected}")
