#!/usr/bin/env python3
"""Checks that the layers of the source tree know of each other in one direction only.

usage: check_layers.py ROOT

Each folder includes only what LAYERS allows it. Only the library's vocabulary and its host side ask
which machine a file is compiled for, and both machines see the same headers, but for those of
MACHINE_PARTS: what compiles for one names nothing that the other lacks. Only device/warp.cuh asks
which lanes are active, and only device/numbering.cuh numbers threads and blocks, in one dimension
as in three. Nothing
in src/ includes itself by way of others: no file, and no folder by way of its neighbours. No folder
of workloads/ and scripts/ is a drawer of many files. Prints one line per violation; exit status 1
when there is one, 2 when a folder is not there.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter, defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

# What one layer may include of the others: prefixes of paths as they stand in an #include. What
# begins with none of the names of PROJECT is a system header, and free.
PROJECT = ("finesync/", "simt/", "ptx/", "cudart/", "check/", "bench/", "inputs/", "workloads/")
VERSION = "finesync/version.hpp"
DEVICE = (VERSION, "finesync/device/")
HOST = (*DEVICE, "finesync/host/")
# What plain C++ may include of the library: the host side without its kernels, and the words of the
# memory model.
PLAIN_HOST = (
    "finesync/device/memory_model.cuh",
    *(f"finesync/host/{name}.cuh" for name in ("buffer", "error", "gpu", "machine", "stream")),
    "finesync/host/wait_report.hpp",
)
LAYERS = {
    "src/executor/simt": ("simt/",),
    "src/executor/ptx": ("ptx/", "simt/"),
    "src/executor/cudart": ("cudart/", "ptx/", "simt/"),
    "src/executor/check": ("check/", "cudart/", "ptx/", "simt/"),
    "src/finesync/device": (*DEVICE, "simt/"),
    "src/finesync/host": HOST,
    "src/finesync/host/executor": (*HOST, "simt/"),
    "src/finesync/locks": (*HOST, "finesync/locks/"),
    "src/finesync/multi_object": (*HOST, "finesync/locks/", "finesync/multi_object/"),
    "src/finesync/barriers": (*HOST, "finesync/barriers/"),
    "src/finesync/semaphores": (*HOST, "finesync/locks/", "finesync/semaphores/"),
    "src/finesync/dataflow": (*HOST, "finesync/dataflow/"),
    "src/finesync/events": (*HOST, "finesync/events/"),
    "src/finesync/queues": (*HOST, "finesync/queues/"),
    "src/finesync/private_copies": (*DEVICE, "finesync/private_copies/"),
    "src/finesync/server": (*HOST, "finesync/locks/", "finesync/multi_object/", "finesync/server/"),
    "src/finesync/several_gpus": (
        *HOST, "finesync/barriers/", "finesync/events/", "finesync/locks/", "finesync/server/",
        "finesync/several_gpus/"),
    "src/finesync/conflict_free": (
        *HOST, "finesync/barriers/", "finesync/events/", "finesync/multi_object/",
        "finesync/conflict_free/"),
    "src/bench": ("bench/", "finesync/version.hpp", *PLAIN_HOST),
    "src/bench/kernel_timer": ("bench/", *HOST),
    "inputs": ("inputs/", *HOST),
    "workloads": ("workloads/", "inputs/", "bench/", "finesync/"),
    "docs/library/examples": ("finesync/",),
    # The executor's tests build without the library, but for those of simt, which are its kernels.
    "tests/executor": ("check/", "cudart/", "ptx/", "simt/"),
    "tests/executor/simt": ("simt/", "finesync/"),
    "tests/executor/check/programs": ("finesync/",),
}

MACHINE = re.compile(r"__CUDACC__|__CUDA_ARCH__|FINESYNC_HOST_EXECUTOR")
ASK_FOR_MACHINE = ("src/finesync/device", "src/finesync/host", "src/finesync/host/executor")
MACHINE_PARTS = ("finesync/host/cuda/", "finesync/host/executor/")
CONDITION = re.compile(r"^\s*#\s*(if|ifdef|ifndef|endif)\b(.*)")
# Both are part of what src/executor/simt is: it names the machine, and finds out the lanes. PTX in a test
# is a text.
UNCHECKED = ("src/executor/simt", "tests/executor", "tests/executor/simt")

# What ptxas makes of such a mask is wrong, unless it is made as warp.cuh makes it.
ACTIVE_LANES = re.compile(r"\b(?:__activemask|coalesced_threads)\b|\bactivemask\.b32")
ASKS_FOR_LANES = "src/finesync/device/warp.cuh"

# Code that reads one coordinate alone is wrong in a grid or a block of several dimensions.
COORDINATES = re.compile(r"\b(?:threadIdx|blockIdx|blockDim|gridDim)\.[xyz]\b")
NUMBER_THREADS = ("src/finesync/device/numbering.cuh", "src/finesync/device/ptx/computed_here.cuh")

# The folders from which includes of src/ are named.
ROOTS = ("src", "src/executor")

# A folder with more files than that wants rooms.
FEW_FILES = 20
ROOMS = ("workloads", "scripts")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SUFFIXES = {".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".inc"}


def is_below(path: str, folder: str) -> bool:
    return path.startswith(folder + "/")


def layer_of(path: str) -> str | None:
    return max((layer for layer in LAYERS if is_below(path, layer)), key=len, default=None)


def without_root(path: str) -> str:
    """A path of the tree as an #include has it."""
    return path.removeprefix("src/").removeprefix("executor/")


def included(root: Path, file: Path, bracket: str, name: str) -> str:
    """The included file as a path of PROJECT, also when it is named relative to `file`."""
    if bracket == '"' and (file.parent / name).exists():
        found = Path(os.path.normpath(file.parent / name)).relative_to(os.path.normpath(root))
        return without_root(found.as_posix())
    return name


def violations(root: Path) -> list[str]:
    found = []
    includes = []  # (file, included file), as paths below src/
    tops = {layer.split("/")[0] for layer in LAYERS}
    files = sorted({file for top in tops for file in (root / top).rglob("*")})
    for file in (file for file in files if file.suffix in SUFFIXES):
        path = file.relative_to(root).as_posix()
        layer = layer_of(path)
        if layer is None:
            if is_below(path, "src/finesync") and f"src/{VERSION}" != path:
                found.append(f"{path}:1: its folder is in none of LAYERS")
            continue
        conditions: list[str] = []
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            place = f"{path}:{number}"
            condition = CONDITION.match(line)
            if condition and condition[1] != "endif":
                conditions.append(condition[2])
            elif condition and conditions:
                conditions.pop()
            asks = MACHINE.search(line)
            if asks and layer not in (*ASK_FOR_MACHINE, *UNCHECKED):
                found.append(f"{place}: {asks[0]} belongs in {' and '.join(ASK_FOR_MACHINE[:2])}")
            lanes = ACTIVE_LANES.search(line)
            if lanes and path != ASKS_FOR_LANES and layer not in UNCHECKED:
                found.append(f"{place}: {lanes[0]} belongs in {ASKS_FOR_LANES} only")
            coordinate = COORDINATES.search(line)
            if coordinate and is_below(path, "src/finesync") and path not in NUMBER_THREADS:
                found.append(f"{place}: {coordinate[0]} belongs in {NUMBER_THREADS[0]} only")
            include = INCLUDE.match(line)
            if include:
                name = included(root, file, *include.groups())
                if name.startswith(PROJECT) and not name.startswith(LAYERS[layer]):
                    found.append(f"{place}: {layer} must not include {name}")
                of_one_machine = any("FINESYNC_HOST_EXECUTOR" in each for each in conditions)
                if of_one_machine and name.startswith("finesync/") and not name.startswith(MACHINE_PARTS):
                    found.append(f"{place}: {name} is included for one machine only")
                if is_below(path, "src") and any((root / top / name).exists() for top in ROOTS):
                    includes.append((without_root(path), name))
    return found + circles(includes) + drawers(root)


def drawers(root: Path) -> list[str]:
    """One complaint per folder that has too many files directly in it."""
    held = Counter(
        file.parent
        for room in ROOMS
        for file in (root / room).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    )
    return [
        f"{folder.relative_to(root)}: {files} files in one folder, at most {FEW_FILES} are easy to survey"
        for folder, files in sorted(held.items())
        if files > FEW_FILES
    ]


def circles(includes: list[tuple[str, str]]) -> list[str]:
    """One complaint per folder whose children, files and folders, include each other in a circle.

    An include counts in the innermost folder that has both files, as one between its children: so a
    folder stands for all that is in it, and a file that chooses between two folders of its own
    folder must not be included by them.
    """
    children: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path, name in includes:
        ways = path.split("/"), name.split("/")
        common = len(os.path.commonprefix(ways))
        if path == name:
            children[path][path].add(path)
        else:
            folder = "/".join(ways[0][:common])
            children[folder][ways[0][common]].add(ways[1][common])
    found = []
    for folder, graph in sorted(children.items()):
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as circle:
            way = " -> ".join(reversed(circle.args[1]))
            found.append(f"{f'src/{folder}'.rstrip('/')}: a circle of includes: {way}")
    return found


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(arguments[1])
    missing = [layer for layer in LAYERS if not (root / layer).is_dir()]
    if missing:
        print(f"{root} has no {', '.join(missing)}", file=sys.stderr)
        return 2
    found = violations(root)
    print("\n".join(found) or "all includes point one way")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
