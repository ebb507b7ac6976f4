"""A workload's descriptor, and how all of them are found.

A workload is a folder of workloads/ with a Python module or package `report` that holds a WORKLOAD,
and a folder `plans` beside it: gpu.json, host.json where the host executor can count what it does,
gpu_traffic.json where ncu can. Nothing outside the folder names it.
"""

from __future__ import annotations

import functools
import importlib
import sys
from dataclasses import dataclass
from pathlib import Path

from .errors import UserError

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "workloads"


@dataclass(frozen=True)
class Workload:
    """All that the scripts know of a program."""

    program: str
    # What its items_per_second count.
    operation: str
    # Its timed kernels, as a regular expression on their names without namespaces.
    kernels: str
    # Options for a run so small that an instrumented kernel can bear it, with contention within
    # and between warps and blocks.
    small_run: str
    # Those that compute-sanitizer's racecheck understands: it knows barriers, not locks and
    # atomics, and would report all that blocks keep in shared memory under them.
    racecheck: tuple[str, ...] = ()


@functools.lru_cache(maxsize=None)
def workloads() -> dict[str, Workload]:
    """All workloads by their programs, in the order of their folders."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    folders = sorted({path.parent if path.name == "report.py" else path.parent.parent
                      for pattern in ("*/report.py", "*/report/__init__.py")
                      for path in FOLDER.glob(pattern)})
    found = [importlib.import_module(f"workloads.{folder.name}.report").WORKLOAD
             for folder in folders]
    return {workload.program: workload for workload in found}


def plans(kind: str) -> list[Path]:
    """The plans of a kind: gpu, host or gpu_traffic."""
    return sorted(FOLDER.glob(f"*/plans/{kind}.json"))


def workload_of(program: str) -> Workload:
    """The workload of a program."""
    if program not in workloads():
        raise UserError(f"no workload has a program {program!r}; there are "
                        + ", ".join(workloads()))
    return workloads()[program]
