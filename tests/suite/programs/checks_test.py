#!/usr/bin/env python3
"""Checks that check_defaults.py and check_lost_output.py reject programs that are wrong."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import check_defaults
import check_lost_output

LINE = "cannot write all output to stdout"


class Defaults(unittest.TestCase):
    def complaints(self, status: str, reason: str) -> list[str]:
        return check_defaults.complaints([{"name": "a", "status": "ok"},
                                          {"name": "b", "status": status, "reason": reason}])

    def test_a_default_that_does_not_fit_is_found(self) -> None:
        reason = "an SM has 49152 bytes of shared memory for a block, and a block needs 53380"
        self.assertEqual(self.complaints("skipped", reason), [f"b: skipped: {reason}"])

    def test_a_run_that_is_wrong_is_found(self) -> None:
        self.assertEqual(self.complaints("wrong", "a sum is 6"), ["b: wrong: a sum is 6"])
        self.assertEqual(check_defaults.complaints([]), ["no rows"])

    def test_what_the_gpu_cannot_do_may_be_skipped(self) -> None:
        for reason in ("this primitive is part of CUDA and runs only on GPUs",
                       "clusters of 2 blocks: this machine has no clusters, which need compute "
                       "capability 9.0 or later"):
            self.assertEqual(self.complaints("skipped", reason), [])


class LostOutput(unittest.TestCase):
    def complaints(self, script: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "tool"
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            return check_lost_output.complaints(str(program), [], LINE, redirected=">/dev/full")

    def test_a_program_that_says_it_in_one_line_is_right(self) -> None:
        self.assertEqual(self.complaints(f"echo results || echo tool: error: {LINE} >&2; exit 2"), [])

    def test_one_that_does_not_notice_is_found(self) -> None:
        self.assertEqual(len(self.complaints("echo results; exit 0")), 1)

    def test_one_that_fails_without_a_word_is_found(self) -> None:
        self.assertEqual(len(self.complaints("echo results || exit 2")), 1)

    def test_one_that_says_it_and_does_not_fail_is_found(self) -> None:
        self.assertEqual(len(self.complaints(f"echo tool: error: {LINE} >&2")), 1)


if __name__ == "__main__":
    unittest.main()
