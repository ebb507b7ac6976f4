"""Writes a figure as SVG, and as PNG if it is asked for; the same data give the same SVG, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from ..results.errors import writing


_KINDS: dict[str, dict[str, Any]] = {"svg": {"metadata": {"Date": None, "Creator": None}}}


def also_as_png() -> None:
    """From now on, in this process and those that it starts."""
    _KINDS["png"] = {"dpi": 200, "metadata": {"Software": None}}


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Writes folder/name.svg, and .png if it is asked for, and closes the figure."""
    paths = [folder / f"{name}.{kind}" for kind in _KINDS]
    try:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for path, options in zip(paths, _KINDS.values()):
                figure.savefig(path, **options)
    finally:
        plt.close(figure)
    return paths
