#!/usr/bin/python3
"""Checks that check_layers.py finds what is planted in a small tree of its own."""

from __future__ import annotations

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import check_layers

CELL = "src/finesync/device/cell.cuh"
LOCK = "src/finesync/locks/lock.cuh"
NAMES = "src/simt/names.hpp"
PROGRAM = "src/bench/program.hpp"
STOPWATCH = "src/bench/stopwatch/on_gpu.cu"
RANDOM = "inputs/random.cuh"
MAIN = "workloads/ht/main.cpp"
TABLE = "workloads/ht/table.cuh"
WARP = "src/finesync/device/warp.cuh"
EXAMPLE = "docs/examples/bank.cu"

CLEAN = {
    CELL: '#include "finesync/device/cell.cuh"\n#ifdef __CUDA_ARCH__\n#include <simt/names.hpp>\n',
    LOCK: '#include "finesync/device/cell.cuh"\n#include <cuda/atomic>\n',
    WARP: "unsigned lanes_here() { return __activemask(); }\n",
    NAMES: "#include <finesync/device/cell.cuh>\n#define FINESYNC_HOST_EXECUTOR\n"
    "unsigned __activemask();\n",
    PROGRAM: "#include <bench/axis.hpp>\n#include <finesync/device/gpu.cuh>\n",
    STOPWATCH: "#include <bench/axis.hpp>\n#include <finesync/device/launch.cuh>\n",
    RANDOM: "#include <finesync/device/cell.cuh>\n",
    MAIN: '#include "table.cuh"\n#include <bench/program.hpp>\n',
    TABLE: "#include <finesync/locks/lock.cuh>\n#include <inputs/random.cuh>\n",
    EXAMPLE: "#include <finesync/locks/lock.cuh>\n",
}

# File, line planted in it, what the report must say.
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
    (LOCK, "#include <bench/axis.hpp>", "include bench/axis.hpp"),
    (LOCK, "#include <workloads/ht/table.cuh>", "include workloads/ht/table.cuh"),
    (LOCK, "#include <simt/names.hpp>", "include simt/names.hpp"),
    (CELL, "#include <inputs/random.cuh>", "include inputs/random.cuh"),
    (CELL, '#include "finesync/locks/lock.cuh"', "include finesync/locks/lock.cuh"),
    (CELL, '#  include "../locks/lock.cuh"', "include finesync/locks/lock.cuh"),
    (NAMES, "#include <finesync/locks/lock.cuh>", "include finesync/locks/lock.cuh"),
    (PROGRAM, "#include <finesync/device/cell.cuh>", "include finesync/device/cell.cuh"),
    (PROGRAM, "#include <workloads/ht/table.cuh>", "include workloads/ht/table.cuh"),
    (STOPWATCH, "#include <finesync/locks/lock.cuh>", "include finesync/locks/lock.cuh"),
    (RANDOM, "#include <bench/program.hpp>", "include bench/program.hpp"),
    (TABLE, "#include <simt/names.hpp>", "include simt/names.hpp"),
]


class CheckLayers(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
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
                self.assertEqual(said.count("\n"), 1)

    def test_a_missing_folder_is_not_a_pass(self) -> None:
        (self.root / "inputs/random.cuh").unlink()
        (self.root / "inputs").rmdir()
        status, said = self.run_check()
        self.assertEqual(status, 2)
        self.assertIn("inputs", said)


if __name__ == "__main__":
    unittest.main()
