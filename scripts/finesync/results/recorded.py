"""The recorded runs: the results files that the repository holds."""

from __future__ import annotations

from pathlib import Path

from . import originals
from .registry import ROOT

FOLDER = ROOT / "results"


def files() -> list[Path]:
    """All of them, without the papers' numbers and programs."""
    return [path for path in sorted(FOLDER.glob("*/*.json*")) if is_recorded(path)]


def is_recorded(path: Path) -> bool:
    return path.parent.parent == FOLDER and path.parent.name not in (
        "published", originals.FOLDER) and path.suffix in (".json", ".gz")
