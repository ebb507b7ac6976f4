#!/usr/bin/python3
"""Checks that the layers of the source tree know of each other in one direction only.

usage: check_layers.py ROOT

Only src/finesync/device asks which machine a file is compiled for, only its warp.cuh asks which
lanes are active, and each folder includes only what LAYERS allows it. Prints one line per
violation; exit status 1 when there is one, 2 when a folder is not there.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

# What one layer may include of the others: prefixes of paths as they stand in an #include. What
# begins with none of the names of PROJECT is a system header, and free.
PROJECT = ("finesync/", "simt/", "bench/", "inputs/", "workloads/")
HOST_SIDE = tuple(
    f"finesync/device/{name}.cuh"
    for name in ("buffer", "error", "gpu", "machine", "memory_model", "stream")
)
LAYERS = {
    "src/finesync/device": ("finesync/device/", "finesync/version.hpp", "simt/"),
    "src/finesync": ("finesync/",),
    "src/simt": ("simt/", "finesync/device/"),
    "src/bench": ("bench/", *HOST_SIDE),
    "src/bench/stopwatch": ("bench/", "finesync/device/"),
    "inputs": ("inputs/", "finesync/device/"),
    "workloads": ("workloads/", "inputs/", "bench/", "finesync/"),
    "docs/examples": ("finesync/",),
}

MACHINE = re.compile(r"__CUDACC__|__CUDA_ARCH__|FINESYNC_HOST_EXECUTOR")
ASKS_FOR_MACHINE = "src/finesync/device"
# Both are part of what src/simt is: it sets the macro, and finds out the lanes.
UNCHECKED = "src/simt"

# What ptxas makes of such a mask is wrong, unless it is made as warp.cuh makes it.
ACTIVE_LANES = re.compile(r"\b(?:__activemask|coalesced_threads)\b|\bactivemask\.b32")
ASKS_FOR_LANES = "src/finesync/device/warp.cuh"

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SUFFIXES = {".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".inc"}


def is_below(path: str, folder: str) -> bool:
    return path.startswith(folder + "/")


def layer_of(path: str) -> str:
    return max((layer for layer in LAYERS if is_below(path, layer)), key=len)


def included(root: Path, file: Path, bracket: str, name: str) -> str:
    """The included file as a path of PROJECT, also when it is named relative to `file`."""
    if bracket == '"' and (file.parent / name).exists():
        found = Path(os.path.normpath(file.parent / name)).relative_to(os.path.normpath(root))
        return found.as_posix().removeprefix("src/")
    return name


def violations(root: Path) -> list[str]:
    found = []
    files = sorted({file for layer in LAYERS for file in (root / layer).rglob("*")})
    for file in (file for file in files if file.suffix in SUFFIXES):
        path = file.relative_to(root).as_posix()
        layer = layer_of(path)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            place = f"{path}:{number}"
            asks = MACHINE.search(line)
            if asks and layer not in (ASKS_FOR_MACHINE, UNCHECKED):
                found.append(f"{place}: {asks[0]} belongs in {ASKS_FOR_MACHINE} only")
            lanes = ACTIVE_LANES.search(line)
            if lanes and path != ASKS_FOR_LANES and layer != UNCHECKED:
                found.append(f"{place}: {lanes[0]} belongs in {ASKS_FOR_LANES} only")
            include = INCLUDE.match(line)
            if include:
                name = included(root, file, *include.groups())
                if name.startswith(PROJECT) and not name.startswith(LAYERS[layer]):
                    found.append(f"{place}: {layer} must not include {name}")
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
