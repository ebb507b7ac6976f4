"""The kernels of an object file, for one architecture."""

from __future__ import annotations

import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sass_reader import Kernel, Unreadable, read_kernels

ELF = b"\x7fELF"
CUDA_MACHINE = 190  # e_machine


def cubins(image: bytes, architecture: int) -> Iterator[bytes]:
    """The ELF files for a GPU that an object file holds uncompressed (nvcc -no-compress)."""
    start = image.find(ELF, 1)
    while start >= 0:
        machine, = struct.unpack_from("<H", image, start + 18)
        programs, sections, flags = struct.unpack_from("<QQI", image, start + 32)
        program_size, program_count, section_size, section_count = struct.unpack_from(
            "<HHHH", image, start + 54)
        # The architecture is the second byte of the flags, and was the first before CUDA 13.
        if machine == CUDA_MACHINE and architecture in (flags & 0xff, flags >> 8 & 0xff):
            yield image[start:start + max(programs + program_size * program_count,
                                          sections + section_size * section_count)]
        start = image.find(ELF, start + 1)


def kernels_of(nvdisasm: str, objects: list[str], architecture: int) -> dict[str, Kernel]:
    """By name."""
    kernels: dict[str, Kernel] = {}
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "cubin"
        for name in objects:
            found = list(cubins(Path(name).read_bytes(), architecture))
            if not found:
                raise Unreadable(f"{name} holds no machine code for sm_{architecture}")
            for image in found:
                cubin.write_bytes(image)
                done = subprocess.run([nvdisasm, "-c", "-ndf", str(cubin)], text=True,
                                      capture_output=True, check=False)
                if done.returncode != 0:
                    raise Unreadable(f"{name}: {done.stderr.strip()}")
                kernels |= read_kernels(done.stdout)
    return kernels
