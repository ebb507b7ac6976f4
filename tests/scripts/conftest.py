"""Paths and fixtures for the tests of the scripts."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sweep_bench import Bench

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts" / "dev"), str(ROOT)]
# Scripts that are run by their names take this Python.
os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(50_000, 20, 100)  # of rows and figures little is garbage, and looking takes long
    config.addinivalue_line("markers", "rows: reads recorded rows, so a change of a document alone needs none")
    config.addinivalue_line("markers", "long: left to scripts/test.sh --all; says which test stands for it")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="figures and plans are right as they are now")


@pytest.fixture(name="accept")
def fixture_accept(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--accept"))


@pytest.fixture(name="bench")
def fixture_bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture(autouse=True)
def fixture_signals() -> Iterator[None]:
    """A test leaves signals as they were: processes of later ones inherit them, and a pool ends its own by SIGTERM."""
    numbers = signal.SIGINT, signal.SIGTERM
    before = [signal.getsignal(number) for number in numbers]
    yield
    after = [signal.signal(number, handler) for number, handler in zip(numbers, before)]
    assert after == before


@pytest.fixture(autouse=True)
def fixture_closed_figures() -> Iterator[None]:
    """Closes what a test has drawn."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
