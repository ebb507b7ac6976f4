"""CMake finds NCCL and NVSHMEM where a wheel or a package has put them, and tells their versions."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import ROOT
from scratch import ran

MODULES = ROOT / "scripts" / "cmake"
OLDEST = {"NCCL": "2.28", "NVSHMEM": "3.8"}


def header(library: str, version: str) -> tuple[str, str]:
    """The file that tells a library's version, and what it says."""
    if library == "NVSHMEM":
        return "non_abi/nvshmem_version.h", f'#define NVSHMEM_VENDOR_BASE_VERSION_STRING "{version}"\n'
    numbers = zip(("MAJOR", "MINOR", "PATCH"), version.split("."))
    return "nccl.h", "".join(f"#define NCCL_{part} {number}\n" for part, number in numbers)


def found(folder: Path, library: str, version: str, file: str) -> str:
    """What a project finds, with a stand-in for a library of this version."""
    if shutil.which("cmake") is None:
        pytest.skip("there is no CMake")
    place, project = folder / "library", folder / "project"
    for part in (place / "include" / "non_abi", place / "lib", project):
        part.mkdir(parents=True)
    (place / "include" / f"{library.lower()}.h").touch()
    name, text = header(library, version)
    (place / "include" / name).write_text(text)
    (place / "lib" / file).touch()
    (project / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.22)
project(finds LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH {MODULES})
find_package({library} {OLDEST[library]} QUIET)
message(STATUS "found=${{{library}_FOUND}} version=${{{library}_VERSION}} library=${{{library}_LIBRARY}}")
""")
    told = ran("cmake", f"-D{library}_ROOT={place}", "-S", project, "-B", folder / "build")
    return next(line for line in told.stdout.splitlines() if "found=" in line)


@pytest.mark.parametrize("library, version, file", [
    ("NCCL", "2.28.9", "libnccl.so.2"), ("NCCL", "2.28.9", "libnccl.so"),
    ("NVSHMEM", "3.8.0", "libnvshmem_host.so.3"), ("NVSHMEM", "3.8.0", "libnvshmem_host.so")])
def test_a_wheel_and_a_package_are_found(tmp_path: Path, library: str, version: str, file: str) -> None:
    line = found(tmp_path, library, version, file)
    assert f"found=TRUE version={version}" in line
    assert line.endswith(f"library={tmp_path}/library/lib/{file}")


@pytest.mark.parametrize("library, version, file", [
    ("NCCL", "2.27.7", "libnccl.so.2"), ("NVSHMEM", "3.7.2", "libnvshmem_host.so.3")])
def test_one_that_is_too_old_is_not_taken(tmp_path: Path, library: str, version: str, file: str) -> None:
    assert f"found=FALSE version={version}" in found(tmp_path, library, version, file)
