#!/usr/bin/env python3
"""What wrong programs are told: their own lines, names and rounds.

usage: mistakes_test.py PROGRAM...
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).parent
PROGRAMS = {pathlib.Path(each).name: each for each in sys.argv[1:]}


def told(name: str, *arguments: str, **variables: str) -> str:
    """Both streams, but for the last line of a checked run."""
    done = subprocess.run([PROGRAMS[name], *arguments], env={**os.environ, **variables}, text=True,
                          capture_output=True, timeout=60, check=False)
    assert done.returncode == 1, done
    return re.sub("finesync: run 1 .*\n", "", done.stdout + done.stderr).strip()


def checked(name: str) -> str:
    return told(name, FINESYNC_CHECK="races", FINESYNC_SEEDS="1")


def line(name: str, text: str) -> str:
    """Where the only line with this text is."""
    lines = (HERE / f"{name}.cu").read_text().splitlines()
    (number,) = [i for i, each in enumerate(lines, 1) if text in each]
    return f"{name}.cu:{number}"


class Mistakes(unittest.TestCase):
    maxDiff = None

    def test_a_forgotten_barrier(self) -> None:
        name = "forgotten_barrier"
        report = re.sub(r"thread \d+", "thread N", checked(name))
        self.assertEqual(report, (
            "finesync: data race: at shared memory +0x0, the plain store of 4 bytes by block 0, thread N "
            f"({line(name, '] = 0;')}) races with the block-scope fetch_add of 4 bytes by block 0, thread N "
            f"({line(name, 'atomicAdd_block')}); missing: a block-scope release by block 0, thread N after its "
            "fetch_add (for these two, of one warp, __syncwarp() between them suffices; for others of their "
            "block, __syncthreads())"))

    def test_a_time_out_that_is_ignored(self) -> None:
        name = "ignored_time_out"
        report = checked(name)
        without = rf"block \d+, thread \d+, which holds no lock \({line(name, 'if (!added)')}\)"
        under_it = rf"block \d+, thread \d+, which holds lock (\d) of 'bins' \({line(name, 'const auto add')}\)"
        self.assertRegex(report, rf"({without} races with .* {under_it}|{under_it} races with .* {without});")
        lock = re.findall(r"lock (\d) of 'bins'", report)
        self.assertIn(f"at buffer 'histogram' + {int(lock[0]) * 4:#x} (element {lock[0]})", report)

    def test_a_round_that_comes_too_early(self) -> None:
        name = "early_round"
        polls = (r"48 poll event 0 of 'scale', which holds round 3, round 1 is awaited \(last written by block 0, "
                 rf"thread \d+, which has ended\): first block 1, thread \d+ \({line(name, 'own.take')}, in "
                 r"event_words\.cuh:\d+\)")
        self.assertRegex(checked(name), (
            "^finesync: livelock: memory has not changed for long; 64 live threads, 48 running, 16 at "
            r"__syncthreads\(\); 16 of 64 have come to __syncthreads\(\) of block 1 "
            rf"\({line(name, '__syncthreads')}\); {polls}$"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
