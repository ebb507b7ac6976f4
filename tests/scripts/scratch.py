"""What tests make and start: programs of a few lines, and a copy of the scripts that may be changed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from conftest import ROOT


def executable(path: Path, text: str) -> Path:
    """A program of this text."""
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def ran(*command: str | Path, code: int = 0, **how: Any) -> subprocess.CompletedProcess[str]:
    """What a command says that ends with this status."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = subprocess.run(command, text=True, check=False, timeout=600, **{**streams, **how})
    assert done.returncode == code, f"{done.stdout}{done.stderr}"
    return done


def scratch_copy(folder: Path) -> Path:
    """Copies the scripts, and of each workload its descriptor and plans; the root of the copy. What Python
    compiled comes along: that takes as long as a test."""
    tree = folder / "tree"
    ignored = shutil.ignore_patterns("*.cu", "*.cuh", "*.cpp", "*.hpp")
    for part in ("scripts", "src/catalogue", "workloads", "results/published"):
        shutil.copytree(ROOT / part, tree / part, ignore=ignored)
    return tree
