"""Fetching from a server of the test's own, which can misbehave."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import re
import socket
import subprocess
import sys
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

import pytest
from conftest import ROOT
from scratch import ran

RATINGS = b"".join(b"%d::%d::4::9\n" % (i, i % 7) for i in range(1000))
ROADS = b"c roads\np sp 3 2\nc graph contains 3 nodes\nc\na 1 2 803\na 2 1 803\n"
KONECT = b"% bip weighted\n% 2 2 2\n1 1 3\n2 2 5\n"


def zipped(name: str, data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../evil", b"x")
        archive.writestr(name, data)
    return made.getvalue()


def tarred(name: str, data: Optional[bytes]) -> bytes:
    """A tar.bz2 archive with a file, or a link to one outside."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:bz2") as archive:
        member = tarfile.TarInfo(name)
        if data is None:
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        member.size = len(data or b"")
        archive.addfile(member, io.BytesIO(data or b""))
    return made.getvalue()


class Server(ThreadingHTTPServer):
    """Serves one file, from where it is asked to, if it likes."""

    def __init__(self, body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.body = body
        self.stops_after: Optional[int] = None  # bytes of an answer
        self.knows_ranges = True
        self.begins: list[int] = []  # of each answer
        self.url = f"http://127.0.0.1:{self.server_address[1]}/data.bin"


class Handler(BaseHTTPRequestHandler):
    """One answer of the server."""

    server: Server

    def do_GET(self) -> None:  # pylint: disable=invalid-name
        """Sends the file or the rest of it."""
        server, asked = self.server, re.match(r"bytes=(\d+)-", self.headers.get("Range", ""))
        begin = int(asked[1]) if asked and server.knows_ranges else 0
        server.begins.append(begin)
        rest = server.body[begin:]
        if begin and not rest:
            self.send_error(416)
            return
        self.send_response(206 if begin else 200)
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(server.body) - 1}/{len(server.body)}")
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest[:server.stops_after])

    def log_message(self, *_: Any) -> None:  # pylint: disable=arguments-differ
        """Says nothing."""


class Fetching:
    """The script, a server and a folder."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.server = server
        self.sources = folder / "sources.json"
        self.out = folder / "out"
        self.serves(RATINGS)

    def serves(self, body: bytes, **fields: Any) -> None:
        """What there is to fetch."""
        self.server.body = body
        source = {"name": "it", "what": "A test", "licence": "none to redistribute",
                  "entries": [1000], "url": self.server.url, **fields}
        self.sources.write_text(json.dumps({"sources": [source]}), encoding="utf-8")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(ROOT / "scripts" / "fetch_inputs.py"), *arguments, "--out",
             str(self.out), "--sources", str(self.sources)], text=True, capture_output=True,
            timeout=60, check=False)

    def fetches(self) -> str:
        """Fetches with success; what the script says."""
        done = self.run("it")
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def fails(self) -> str:
        """Fetches without success; the one line of the script."""
        done = self.run("it")
        assert done.returncode == 1
        assert done.stderr.startswith("fetch_inputs: ") and done.stderr.count("\n") == 1
        return done.stderr.removeprefix("fetch_inputs: ").removesuffix("\n")

    def files(self) -> dict[str, bytes]:
        return {str(path.relative_to(self.out)): path.read_bytes() for path in self.out.rglob("*") if path.is_file()}


@pytest.fixture(name="fetching")
def fixture_fetching(tmp_path: Path) -> Iterator[Fetching]:
    """A server that runs meanwhile."""
    with Server(b"") as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Fetching(tmp_path, server)
        server.shutdown()
        thread.join()


def test_a_file_is_fetched_once_and_its_licence_said_first(fetching: Fetching) -> None:
    said = fetching.fetches()
    assert said.index("licence: none to redistribute") < said.index("1,000 entries")
    assert fetching.files() == {"it/data.bin": RATINGS}
    assert fetching.fetches() == f"it: {fetching.out}/it/data.bin is here already\n"
    assert fetching.server.begins == [0]


@pytest.mark.parametrize("body", [zipped("a/r.dat", RATINGS), tarred("a/r.dat", RATINGS)], ids=["zip", "tar"])
def test_of_an_archive_only_the_file_is_kept(fetching: Fetching, body: bytes) -> None:
    fetching.serves(body, member="a/r.dat", checksum=f"md5:{hashlib.md5(body).hexdigest()}")
    fetching.fetches()
    assert fetching.files() == {"it/r.dat": RATINGS}
    assert not (fetching.out.parent.parent / "evil").exists()


def test_lines_with_percent_are_no_entries(fetching: Fetching) -> None:
    fetching.serves(KONECT, entries=[3, 2])
    fetching.fetches()
    assert fetching.files() == {"it/data.bin": KONECT}


@pytest.mark.parametrize(("ending", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_compressed_graph_is_unpacked_and_its_head_is_no_entries(
        fetching: Fetching, ending: str, compress: Callable[[bytes], bytes]) -> None:
    url = fetching.server.url.replace("data.bin", f"roads.gr{ending}")
    for wrong in (compress(ROADS)[:-9], b"<html>moved</html>"):
        fetching.serves(wrong, entries=[2], url=url)
        assert "the archive is damaged" in fetching.fails()
        assert not fetching.files()
    fetching.serves(compress(ROADS), entries=[2], url=url)
    fetching.fetches()
    assert fetching.files() == {"it/roads.gr": ROADS}


def test_a_download_goes_on_where_it_stopped(fetching: Fetching) -> None:
    fetching.server.stops_after = 5000
    for have in (5000, 10000):
        assert fetching.fails() == (f"{fetching.server.url}: the connection ended after {have} of "
                                    f"{len(RATINGS)} bytes; run it again to go on")
        assert fetching.files() == {"it/data.bin.part": RATINGS[:have]}
    fetching.server.stops_after = None
    fetching.fetches()
    assert fetching.server.begins == [0, 5000, 10000]
    assert fetching.files() == {"it/data.bin": RATINGS}


def test_a_server_without_ranges_sends_all_again(fetching: Fetching) -> None:
    fetching.server.stops_after = 5000
    fetching.fails()
    fetching.server.stops_after, fetching.server.knows_ranges = None, False
    fetching.fetches()
    assert fetching.files() == {"it/data.bin": RATINGS}


def test_what_came_whole_before_a_stop_is_checked_and_used(fetching: Fetching) -> None:
    (fetching.out / "it").mkdir(parents=True)
    (fetching.out / "it" / "data.bin.part").write_bytes(RATINGS)
    fetching.fetches()
    assert fetching.files() == {"it/data.bin": RATINGS}


@pytest.mark.parametrize(("body", "fields", "line"), [
    (RATINGS, {"checksum": "md5:" + "0" * 32},
     f"it: its md5 is {hashlib.md5(RATINGS).hexdigest()}, and should be {'0' * 32}"),
    (RATINGS, {"mebibytes": 58.75}, "it: 0.01 MiB have come, and it has 58.75 MiB"),
    (RATINGS[:RATINGS.index(b"997::")], {}, "it: the file has 997 entries, and should have 1,000"),
    (zipped("b", RATINGS), {"member": "a"}, "it: the archive has no file a"),
    (tarred("b", RATINGS), {"member": "a"}, "it: the archive has no file a"),
    (tarred("a", None), {"member": "a"}, "it: the archive has no file a"),
    (zipped("a", RATINGS)[:-30], {"member": "a"}, "it: the archive is damaged (file could not be "
     "opened successfully)"),
    (b"<html>moved</html>", {"member": "a"}, "it: the archive is damaged (file could not be opened "
     "successfully)"),
], ids=["checksum", "size", "entries", "not-in-zip", "not-in-tar", "link", "cut-zip", "no-archive"])
def test_what_is_wrong_is_said_and_removed(fetching: Fetching, body: bytes, fields: dict[str, Any], line: str) -> None:
    fetching.serves(body, **fields)
    assert fetching.fails() == f"{line}; removed, run it again"
    assert not fetching.files()


def test_offline_is_one_line(fetching: Fetching) -> None:
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/data.bin"
        fetching.serves(RATINGS, url=url)
        assert re.fullmatch(re.escape(url) + r": cannot be reached \(.*refused\); is this machine "
                            r"online\?", fetching.fails())


def test_an_answer_of_the_server_is_passed_on(fetching: Fetching) -> None:
    fetching.serves(b"", url=fetching.server.url.replace("http:", "ftps:"))
    assert "unknown url type" in fetching.fails()


def test_what_cannot_be_fetched_is_a_user_error(fetching: Fetching) -> None:
    done = fetching.run("netflix")
    assert (done.returncode, done.stderr) == (2, "fetch_inputs: there is no input 'netflix' (known: it)\n")
    fetching.serves(b"", url=None, not_to_be_had="withdrawn")
    done = fetching.run("it")
    assert (done.returncode, done.stderr) == (2, "fetch_inputs: it cannot be downloaded: withdrawn\n")
    assert fetching.run().returncode == 2


def test_the_list_says_what_is_here(fetching: Fetching) -> None:
    assert "to be fetched" in fetching.run("--list").stdout
    fetching.fetches()
    said = fetching.run("--list").stdout
    assert re.match(r"it +here +1,000 entries  A test; licence: none to redistribute\n", said)


def test_the_sources_of_the_repository_are_whole() -> None:
    done = ran(ROOT / "scripts" / "fetch_inputs.py", "--list")
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        "movielens-10m", "movielens-1m", "reuters", "movietweetings", "netflix", "road-ny",
        "road-bay", "road-fla", "road-ne", "road-w", "road-usa", "pace-ny", "pace-bay", "pace-fla",
        "pace-ne", "rmat22", "r4-2e23"]
