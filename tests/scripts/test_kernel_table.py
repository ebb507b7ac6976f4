"""tests/library/machine_code/kernel_table.py, with a compiler that says what the test wants."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from scratch import executable, ran

KERNEL = "_ZN8finesync2nw4v0_311fill_stripsINS0_4halfEEEvPiPFvjE"
# Keeps its arguments, copies `object` to its output, and says what is in `log`.
NVCC = """#!/bin/sh
[ "$1" != --version ] || { echo "release 13.0, V13.0.88"; exit; }
cd "$(dirname "$0")" && echo "$@" >>arguments && for last; do :; done && cp object "$last" && cat log >&2
"""


class Build:
    """A build folder with two kernel files that are compiled as one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("strips", "tiles"):
            (folder / f"{name}.cu").touch()
        (folder / "joined.cu").write_text(f'#include "{folder}/strips.cu"\n#include "{folder}/tiles.cu"\n')
        command = (f"ccache {folder}/nvcc -I. -O0 -Ofc=max -fatbin -Xcompiler=-Wall --Werror=all-warnings "
                   f"--generate-code=arch=compute_75,code=sm_75 -std=c++20 -MD -MT o -MF o.d -x cu -c "
                   f"{folder}/joined.cu -o nw/CMakeFiles/nw_workload.dir/joined.cu.o")
        for name, text in (("nvcc", NVCC), ("ccache", '#!/bin/sh\nexec "$@"\n'),
                           ("ninja", f"#!/bin/sh\necho '{command}'\necho c++ -c other.cpp -o other.o\n")):
            executable(folder / name, text)
        self.makes()

    def makes(self, registers: int = 94, spills: int = 0, shared: str = "", code: int = 4096) -> None:
        (self.folder / "log").write_text(
            f"ptxas info    : Compiling entry function '{KERNEL}' for 'sm_90'\n"
            f"ptxas info    : Function properties for {KERNEL}\n    0 bytes stack frame, {spills} bytes "
            f"spill stores, {2 * spills} bytes spill loads\n"
            f"ptxas info    : Used {registers} registers, used 1 barriers{shared}\n")
        # Within other bytes an ELF file with three sections, the names at its byte 64.
        names = f"\0.rela.text.{KERNEL}\0".encode()
        sections = b"".join(struct.pack("<IIQQQQIIQQ", name, 1, 0, 0, 64, size, 0, 0, 0, 0)
                            for name, size in ((0, 0), (1, 99), (6, code)))
        start = struct.pack("<QIHHHHHH", 64 + len(names), 0, 64, 0, 0, 64, 3, 0)
        (self.folder / "object").write_bytes(b"fat" + b"\x7fELF".ljust(40, b"\0") + start + names + sections)

    def run(self, *options: str, code: int = 0) -> str:
        done = ran(sys.executable, ROOT / "tests" / "library" / "machine_code" / "kernel_table.py",
                   "--build", self.folder, "--tables", self.folder, *options, code=code,
                   env={"PATH": f"{self.folder}:/usr/bin:/bin"})
        return done.stdout + done.stderr


@pytest.fixture(name="build")
def fixture_build(tmp_path: Path) -> Build:
    return Build(tmp_path)


@pytest.mark.parametrize(("change", "numbers"), [
    ({"registers": 104}, "104 0 0 0 4096"), ({"spills": 8}, "94 0 24 0 4096"),
    ({"shared": ", 512 bytes smem, 400 bytes cmem[0]"}, "94 0 0 512 4096"),
    ({"code": 4224}, "94 0 0 0 4224")])
def test_a_change_is_refused_until_it_is_accepted(build: Build, change: dict[str, int], numbers: str) -> None:
    build.run("--accept")
    assert "1 kernels in 1 files, 0 not as in" in build.run("nw/strips")
    build.makes(**change)
    told = build.run(code=1).replace("\t", " ")
    for name in ("nw/strips nw::fill_strips<nw::half>", "nw/tiles nw::fill_strips<nw::half>"):
        assert f"- {name} 94 0 0 0 4096\n+ {name} {numbers}\n" in told
    build.run("nw/tiles", "--accept")
    build.run("nw/tiles")
    assert "1 not as in" in build.run("nw", code=1)


def test_files_are_compiled_alone_and_fully_optimized(build: Build) -> None:
    build.run("--accept", "--jobs", "1")
    assert [line.split(" -o ")[0] for line in (build.folder / "arguments").read_text().splitlines()] == [
        "-I. -std=c++20 -O3 --generate-code=arch=compute_90,code=sm_90 -fatbin -no-compress -Xptxas=-v "
        f"-x cu -c {build.folder}/{name}.cu" for name in ("strips", "tiles")]


def test_what_is_not_compared_is_said(build: Build) -> None:
    assert "not compared: " in (told := build.run(code=4)) and "no table for CUDA 13.0.88" in told
    assert "no kernel file 'nw/strip'" in build.run("nw/strip", code=2)
    build.run("--accept")
    table = build.folder / "cuda-13.0.88-sm_90.tsv"
    table.write_text(table.read_text() + "nw/lost\tkernel\t1\t1\t1\t1\t1\n")
    build.run("nw/tiles")
    assert "- nw/lost" in build.run(code=1)
    (build.folder / "object").unlink()
    assert "nw/strips does not compile: cp:" in build.run(code=2)
