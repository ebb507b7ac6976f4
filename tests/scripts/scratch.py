"""A copy of the scripts and of what they read beside the workloads, to be changed by a test."""

from __future__ import annotations

import shutil
from pathlib import Path

from conftest import ROOT


def scratch_copy(folder: Path) -> Path:
    """Copies the scripts, and of each workload its descriptor and plans; the root of the copy. What Python
    compiled comes along: that takes as long as a test."""
    tree = folder / "tree"
    ignored = shutil.ignore_patterns("*.cu", "*.cuh", "*.cpp", "*.hpp")
    for part in ("scripts", "src/catalogue", "workloads", "results/published"):
        shutil.copytree(ROOT / part, tree / part, ignore=ignored)
    return tree
