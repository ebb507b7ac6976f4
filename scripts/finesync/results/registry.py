"""Finds all workloads by their folders.

A workload is a folder of workloads/ with a Python module or package `report` that holds a WORKLOAD,
and a folder `plans` next to it: gpu.json; host.json if the host executor can count the program's
operations; gpu_traffic.json if ncu can; gpus.json for several GPUs. No file outside the folder names the
workload.
"""

from __future__ import annotations

import functools
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import UserError
from .schemas import TRAFFIC

if TYPE_CHECKING:  # pandas, which a sweep does without, takes longer to load than all the rest
    from .loading import Results
    from .workload import Workload

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "workloads"


@functools.lru_cache(maxsize=None)
def workloads() -> dict[str, Workload]:
    """All workloads by their programs, in the order of their folders."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    folders = sorted({path.parent if path.name == "report.py" else path.parent.parent
                      for pattern in ("*/report.py", "*/report/__init__.py")
                      for path in FOLDER.glob(pattern)})
    found = [importlib.import_module(f"workloads.{folder.name}.report").WORKLOAD for folder in folders]
    return {workload.program: workload for workload in found}


def workload_named(program: str) -> Workload:
    """The workload of a program."""
    if program not in workloads():
        raise UserError(f"no workload has a program {program!r}; there are " + ", ".join(workloads()))
    return workloads()[program]


def workload_of(results: Results) -> Workload | None:
    """The workload of some results; None if no workload has their program."""
    return workloads().get(results.program.removesuffix(TRAFFIC))


def plans(kind: str) -> list[Path]:
    """The plans of a kind: gpu, gpus (several GPUs), nccl or nvshmem (a process on each), host or gpu_traffic."""
    return sorted(FOLDER.glob(f"*/plans/{kind}.json"))
