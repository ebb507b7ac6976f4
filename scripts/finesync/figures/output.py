"""Writes a figure as PNG and SVG; the same data give the same SVG, byte for byte."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from ..results.errors import writing


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Writes folder/name.png and folder/name.svg and closes the figure."""
    paths = [folder / f"{name}.png", folder / f"{name}.svg"]
    try:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            figure.savefig(paths[0], dpi=200, metadata={"Software": None})
            figure.savefig(paths[1], metadata={"Date": None, "Creator": None})
    finally:
        plt.close(figure)
    return paths
