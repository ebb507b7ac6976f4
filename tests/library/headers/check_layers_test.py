#!/usr/bin/env python3
"""Checks that check_layers.py and check_drawings.py find what is inserted in a small tree."""

from __future__ import annotations

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import check_drawings
import check_layers

CELL = "src/finesync/device/cell.cuh"
BUFFER = "src/finesync/host/buffer.cuh"
CUDA_MEMORY = "src/finesync/host/cuda/memory.cuh"
EXECUTOR_MEMORY = "src/finesync/host/executor/memory.cuh"
LOCK = "src/finesync/locks/lock.cuh"
NAMES = "src/executor/simt/names.hpp"
PROGRAM = "src/bench/program.hpp"
STOPWATCH = "src/bench/kernel_timer/on_gpu.cu"
RANDOM = "inputs/random.cuh"
MAIN = "workloads/ht/main.cpp"
TABLE = "workloads/ht/table.cuh"
WARP = "src/finesync/device/warp.cuh"
EXAMPLE = "docs/library/examples/bank.cu"
NUMBERING = "src/finesync/device/numbering.cuh"

CLEAN = {
    CELL: "#ifdef __CUDA_ARCH__\n#include <simt/names.hpp>\n",
    BUFFER: '#ifdef FINESYNC_HOST_EXECUTOR\n#include "finesync/host/executor/memory.cuh"\n#else\n'
    '#include "finesync/host/cuda/memory.cuh"\n',
    CUDA_MEMORY: '#include "finesync/host/error.cuh"\n',
    EXECUTOR_MEMORY: "#include <simt/names.hpp>\n",
    "src/finesync/host/error.cuh": "",
    "src/finesync/locks/backoff.cuh": "",
    LOCK: '#include "finesync/device/cell.cuh"\n#include <cuda/atomic>\n',
    WARP: "unsigned lanes_here() { return __activemask(); }\n",
    NAMES: "#define FINESYNC_HOST_EXECUTOR\nunsigned __activemask();\n",
    PROGRAM: "#include <bench/axis.hpp>\n#include <finesync/host/gpu.cuh>\n",
    STOPWATCH: "#include <bench/axis.hpp>\n#include <finesync/host/launch.cuh>\n",
    RANDOM: "#include <finesync/device/cell.cuh>\n",
    MAIN: '#include "table.cuh"\n#include <bench/program.hpp>\n',
    TABLE: "#include <finesync/locks/lock.cuh>\n#include <inputs/random.cuh>\n",
    EXAMPLE: "#include <finesync/locks/lock.cuh>\n",
    NUMBERING: "unsigned block_rank() { return blockIdx.x + gridDim.x * blockIdx.y; }\n",
}

# File, line inserted in it, what the report must say.
PLANTED = [
    (LOCK, "#ifdef __CUDACC__", "__CUDACC__ belongs in"),
    (LOCK, "#if __CUDA_ARCH__ >= 900", "__CUDA_ARCH__ belongs in"),
    (RANDOM, "#if defined(__CUDACC__)", "__CUDACC__ belongs in"),
    (MAIN, "#ifndef FINESYNC_HOST_EXECUTOR", "FINESYNC_HOST_EXECUTOR belongs in"),
    (PROGRAM, "#ifdef FINESYNC_HOST_EXECUTOR", "FINESYNC_HOST_EXECUTOR belongs in"),
    (CELL, "__shfl_sync(__activemask(), 0, 0);", "__activemask belongs in"),
    (LOCK, "const unsigned mask = __activemask();", "__activemask belongs in"),
    (TABLE, "cooperative_groups::coalesced_threads().sync();", "coalesced_threads belongs in"),
    (EXAMPLE, 'asm("activemask.b32 %0;" : "=r"(mask));', "activemask.b32 belongs in"),
    (EXAMPLE, "#include <simt/names.hpp>", "include simt/names.hpp"),
    (LOCK, "const bool leads = threadIdx.x == 0;", "threadIdx.x belongs in"),
    (CELL, "return blockIdx.z;", "blockIdx.z belongs in"),
    (LOCK, "#include <bench/axis.hpp>", "include bench/axis.hpp"),
    (LOCK, "#include <workloads/ht/table.cuh>", "include workloads/ht/table.cuh"),
    (LOCK, "#include <simt/names.hpp>", "include simt/names.hpp"),
    (LOCK, '#include "finesync/barriers/barrier.cuh"', "include finesync/barriers/barrier.cuh"),
    (CELL, "#include <inputs/random.cuh>", "include inputs/random.cuh"),
    (CELL, '#include "finesync/locks/backoff.cuh"', "include finesync/locks/backoff.cuh"),
    (CELL, '#  include "../locks/backoff.cuh"', "include finesync/locks/backoff.cuh"),
    (CELL, '#include "finesync/host/stream.cuh"', "include finesync/host/stream.cuh"),
    (BUFFER, "#include <simt/names.hpp>", "include simt/names.hpp"),
    (BUFFER, '#include "finesync/device/cell.cuh"', "cell.cuh is included for one machine only"),
    (PROGRAM, "#include <finesync/device/cell.cuh>", "include finesync/device/cell.cuh"),
    (PROGRAM, "#include <workloads/ht/table.cuh>", "include workloads/ht/table.cuh"),
    (STOPWATCH, "#include <finesync/locks/lock.cuh>", "include finesync/locks/lock.cuh"),
    (RANDOM, "#include <bench/program.hpp>", "include bench/program.hpp"),
    (TABLE, "#include <simt/names.hpp>", "include simt/names.hpp"),
]

# File, line inserted in it, the circle that the report must name.
CIRCLES = [
    (CELL, '#include "cell.cuh"', f"{CELL}: a circle of includes: "),
    ("src/finesync/host/error.cuh", '#include "finesync/host/buffer.cuh"',
     "src/finesync/host: a circle of includes: "),
    (CUDA_MEMORY, '#include "finesync/host/buffer.cuh"',
     "src/finesync/host: a circle of includes: "),
]


class CheckLayers(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        for layer in (*check_layers.LAYERS, *check_layers.ROOMS):
            (self.root / layer).mkdir(parents=True, exist_ok=True)
        for path, text in CLEAN.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)

    def run_check(self) -> tuple[int, str]:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = check_layers.main(["check_layers.py", str(self.root)])
        return status, said.getvalue()

    def test_a_clean_tree_passes(self) -> None:
        self.assertEqual(self.run_check(), (0, "all includes point one way\n"))

    def test_every_planted_line_is_found_alone(self) -> None:
        for path, line, complaint in PLANTED:
            with self.subTest(path=path, line=line):
                (self.root / path).write_text(CLEAN[path] + line + "\n")
                status, said = self.run_check()
                (self.root / path).write_text(CLEAN[path])
                self.assertEqual(status, 1)
                self.assertIn(complaint, said)
                number = CLEAN[path].count("\n") + 1
                self.assertTrue(said.startswith(f"{path}:{number}: "), said)
                others = [each for each in said.splitlines()[1:] if ": a circle of" not in each]
                self.assertEqual(others, [])

    def test_a_circle_is_found_among_files_and_folders(self) -> None:
        for path, line, complaint in CIRCLES:
            with self.subTest(path=path, line=line):
                (self.root / path).write_text(CLEAN[path] + line + "\n")
                status, said = self.run_check()
                (self.root / path).write_text(CLEAN[path])
                self.assertEqual(status, 1)
                self.assertTrue(said.startswith(complaint), said)
                self.assertEqual(said.count("\n"), 1)

    def test_the_executor_knows_nobody(self) -> None:
        (self.root / NAMES).write_text("#include <finesync/device/cell.cuh>\n")
        status, said = self.run_check()
        self.assertEqual(status, 1)
        self.assertIn("src/executor/simt must not include finesync/device/cell.cuh", said)
        self.assertIn("src: a circle of includes: ", said)

    def test_a_folder_that_no_layer_names_is_found(self) -> None:
        (self.root / "src/finesync/attic").mkdir()
        (self.root / "src/finesync/attic/old.cuh").write_text("")
        self.assertEqual(self.run_check(), (
            1, "src/finesync/attic/old.cuh:1: its folder is in none of LAYERS\n"))

    def test_a_drawer_of_many_files_is_found(self) -> None:
        folder = self.root / "workloads/ht"
        for number in range(check_layers.FEW_FILES - 2):
            (folder / f"{number}.md").write_text("")
        self.assertEqual(self.run_check()[0], 0)
        (folder / "one_more.md").write_text("")
        status, said = self.run_check()
        self.assertEqual(status, 1)
        self.assertIn("workloads/ht: 21 files in one folder", said)

    def test_a_missing_folder_is_not_a_pass(self) -> None:
        (self.root / "inputs/random.cuh").unlink()
        (self.root / "inputs").rmdir()
        status, said = self.run_check()
        self.assertEqual(status, 2)
        self.assertIn("inputs", said)

    def test_a_drawing_that_the_formatter_may_break_is_found(self) -> None:
        for folder in check_drawings.FOLDERS:
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        rule = check_drawings.RULE + "\n"
        for style, text, status in [
            (rule, "//|  client ──> server\n///|  name    meaning\n// plain: i - 1, i + 1\n", 0),
            (rule, "//  client ──> server\n", 1),
            (rule, "///   name    meaning\n", 1),
            ("", "", 2),
        ]:
            with self.subTest(text=text):
                (self.root / ".clang-format").write_text(style)
                (self.root / LOCK).write_text(text)
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(
                        io.StringIO()):
                    self.assertEqual(check_drawings.main(["", str(self.root)]), status)


if __name__ == "__main__":
    unittest.main()
