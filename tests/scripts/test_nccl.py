"""CMake finds NCCL where a wheel or a package has put it, and tells its version."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

MODULES = ROOT / "scripts" / "cmake"
PROJECT = f"""cmake_minimum_required(VERSION 3.22)
project(finds LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH {MODULES})
find_package(NCCL 2.28 QUIET)
message(STATUS "found=${{NCCL_FOUND}} version=${{NCCL_VERSION}} library=${{NCCL_LIBRARY}}")
"""


def found(folder: Path, version: str, library: str) -> str:
    """What a project finds, with a stand-in for NCCL of this version."""
    if shutil.which("cmake") is None:
        pytest.skip("there is no CMake")
    nccl, project = folder / "nccl", folder / "project"
    for part in (nccl / "include", nccl / "lib", project):
        part.mkdir(parents=True)
    numbers = zip(("MAJOR", "MINOR", "PATCH"), version.split("."))
    (nccl / "include" / "nccl.h").write_text("".join(
        f"#define NCCL_{part} {number}\n" for part, number in numbers) + "#define NCCL_SUFFIX \"\"\n")
    (nccl / "lib" / library).touch()
    (project / "CMakeLists.txt").write_text(PROJECT)
    told = subprocess.run(["cmake", f"-DNCCL_ROOT={nccl}", "-S", project, "-B", folder / "build"],
                          capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    return next(line for line in told.stdout.splitlines() if "found=" in line)


@pytest.mark.parametrize("library", ["libnccl.so.2", "libnccl.so"])
def test_a_wheel_and_a_package_are_found(tmp_path: Path, library: str) -> None:
    line = found(tmp_path, "2.28.9", library)
    assert "found=TRUE version=2.28.9" in line
    assert line.endswith(f"library={tmp_path}/nccl/lib/{library}")


def test_one_that_is_too_old_is_not_taken(tmp_path: Path) -> None:
    line = found(tmp_path, "2.27.7", "libnccl.so.2")
    assert "found=FALSE version=2.27.7" in line
