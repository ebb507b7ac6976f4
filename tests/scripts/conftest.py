"""Paths and fixtures for the tests of the scripts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from sweep_bench import Bench

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT)]


@pytest.fixture(name="bench")
def fixture_bench(tmp_path: Path) -> Bench:
    """A fresh bench."""
    return Bench(tmp_path)
