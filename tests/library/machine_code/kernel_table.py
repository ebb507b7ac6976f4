#!/usr/bin/env python3
"""Compares what the kernels of the programs take with a recorded table: registers, bytes of stack, of
spills, of static shared memory and of machine code.

It compiles the kernel files of a CUDA build again, as a build for measurements does but without the code
around kernels: each alone, fully optimized, for sm_90. All take 20 minutes of a processor; ccache keeps
them, so that after a change only what it concerns takes time. results/kernels has a table for each
toolkit. --accept writes what was found there, and the diff shows what a change costs.

  kernel_table.py                              all programs
  kernel_table.py nw mutex/make_mcs --accept
  kernel_table.py --sample                     a few files, as the CUDA tests do

exit status: 0 as recorded, or accepted; 1 not as recorded; 2 bad usage, or a file does not compile;
4 there is no table for this toolkit
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

from finesync import script
from finesync.results.errors import UserError
from finesync.sweep.arguments import positive

HEAD = "\t".join(("file", "kernel", "registers", "stack", "spills", "shared", "code"))
# What runs longest, and three families of primitives.
SAMPLE = ("nw/strips", "mutex/make_mcs", "ht/make_server_fast", "barrier/make_autotuned_cross")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("only", nargs="*", metavar="PROGRAM[/FILE]", help="only these (default: all)")
    parser.add_argument("--sample", action="store_true", help="only a few files")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "cuda", metavar="FOLDER",
                        help="a CUDA build of any kind, made or only configured (default: build/cuda)")
    parser.add_argument("--tables", type=Path, default=ROOT / "results" / "kernels", metavar="FOLDER",
                        help="folder of the tables (default: results/kernels)")
    parser.add_argument("--accept", action="store_true", help="write what was found into the table")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count(), metavar="N", help="files at a time")
    return parser.parse_args(arguments)


def commands_of(build: Path) -> dict[str, list[str]]:
    """The command that compiles a kernel file alone, without its output; by PROGRAM/FILE."""
    told = subprocess.run(["ninja", "-C", str(build), "-t", "commands"], text=True, capture_output=True,
                          check=False)
    found = {}
    for line in told.stdout.splitlines():
        part = re.search(r" -MD -MT \S+ -MF \S+ -x cu -c (\S+) -o \S*/(?!finesync_)(\w+)_workload\.dir/",
                         line)
        if not part:
            continue
        words = [word for word in shlex.split(line[:part.start()])
                 if not re.match("-O|-Xcompiler|-fatbin$|--generate-code|--Werror", word)]
        # A build with tests compiles several files as one.
        joined = re.findall('^#include "(/.*[.]cu)"$', Path(part[1]).read_text(encoding="utf-8"), re.M)
        for file in map(Path, joined or [part[1]]):
            # Not every machine has the libraries of these.
            if not re.search("several_gpus/(nccl|nvshmem)/", file.read_text(encoding="utf-8")):
                found[f"{part[2]}/{file.stem}"] = [
                    *words, "-O3", "--generate-code=arch=compute_90,code=sm_90", "-fatbin", "-no-compress",
                    "-Xptxas=-v", "-x", "cu", "-c", str(file)]
    if not found:
        raise UserError(f"{build}: no kernel files; configure it with cmake --preset cuda. {told.stderr}")
    return found


def code_sizes(image: bytes) -> dict[str, int]:
    """The bytes of machine code by kernel, of an object with one ELF file for a GPU."""
    image = image[image.index(b"\x7fELF"):]
    sections, = struct.unpack_from("<Q", image, 40)
    size, count, names = struct.unpack_from("<HHH", image, 58)
    headers = [struct.unpack_from("<IIQQQQ", image, sections + size * index) for index in range(count)]
    named = {image[headers[names][4] + header[0]:].split(b"\0", 1)[0].decode(): header[5]
             for header in headers}
    return {name.removeprefix(".text."): size for name, size in named.items()
            if name.startswith(".text.")}


def compiled(file: str, command: list[str], build: Path) -> list[str]:
    """The lines of the table for a file."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*command, "-o", f"{folder}/kernels.o"], text=True, capture_output=True,
                              cwd=build, check=False)
        if done.returncode != 0:
            raise UserError(f"{file} does not compile: {done.stderr}")
        sizes = code_sizes(Path(folder, "kernels.o").read_bytes())
    told = dict(part.split("\n", 1) for part in re.split("Function properties for ", done.stderr)[1:])
    lines = []
    for name, size in sizes.items():
        registers, stack, stores, loads, shared = (
            int(found[1]) if (found := re.search(rf"(\d+) {words}", told[name])) else 0 for words in (
                "registers", "bytes stack", "bytes spill stores", "bytes spill loads", "bytes smem"))
        shown = subprocess.run(["c++filt", "-p", name], text=True, capture_output=True,
                               check=True).stdout.strip()
        shown = re.sub(r"finesync::|v\d+_\d+::|\(anonymous namespace\)::", "", shown)
        lines.append("\t".join(map(str, (file, shown, registers, stack, stores + loads, shared, size))))
    return lines


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    commands = commands_of(options.build)
    wanted = [*options.only, *(SAMPLE if options.sample else ())] or list(commands)
    chosen = {file: command for file, command in commands.items() if {file, file.split("/")[0]} & {*wanted}}
    for name in wanted:
        if name not in chosen and name not in {file.split("/")[0] for file in chosen}:
            raise UserError(f"no kernel file {name!r} in {options.build}, but such as {next(iter(commands))}")
    nvcc = next(word for word in chosen[next(iter(chosen))] if Path(word).name == "nvcc")
    version = re.findall(r"V([\d.]+)", subprocess.run([nvcc, "--version"], text=True, capture_output=True,
                                                      check=True).stdout)[0]
    table = options.tables / f"cuda-{version}-sm_90.tsv"
    if not table.exists() and not options.accept:
        print(f"not compared: {options.tables} has no table for CUDA {version}")
        return 4
    recorded = table.read_text(encoding="utf-8").splitlines()[1:] if table.exists() else []
    with ThreadPoolExecutor(options.jobs) as pool:
        found = [line for lines in pool.map(lambda file: compiled(file, chosen[file], options.build), chosen)
                 for line in lines]
    # Of all files, also those that are gone.
    kept = [] if len(chosen) == len(commands) else [
        line for line in recorded if line.split("\t")[0] not in chosen]
    differing = sorted({*recorded} ^ {*found, *kept}, key=lambda line: (line.split("\t")[:2], line in found))
    for line in [HEAD, *differing] if differing else []:
        print(" " if line == HEAD else "+" if line in found else "-", line)
    if options.accept:
        table.parent.mkdir(parents=True, exist_ok=True)
        table.write_text("\n".join([HEAD, *sorted(found + kept)]) + "\n", encoding="utf-8")
    print(f"{len(found)} kernels in {len(chosen)} files, {len({*found} - {*recorded})} not as in {table}"
          + (": accepted" if options.accept else "; --accept writes them there" if differing else ""))
    return 1 if differing and not options.accept else 0


if __name__ == "__main__":
    script.run(main)
