#!/usr/bin/env python3
"""What FINESYNC_CHECK and FINESYNC_CORRUPT do to a program that knows nothing of them.

usage: checked_run_test.py PROGRAM
"""

import os
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else ""


def run(word: str, **variables: str) -> tuple[int, str, str]:
    """Exit status, output and errors."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith("FINESYNC_")}
    done = subprocess.run([PROGRAM, word], env={**clean, **variables}, text=True,
                          capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


class CheckedRun(unittest.TestCase):
    def test_without_it_a_program_runs_as_it_is(self) -> None:
        self.assertEqual(run("right"), (0, "begins\n", ""))
        self.assertEqual(run("races"), (0, "begins\n", ""))

    def test_a_program_that_passes_prints_once(self) -> None:
        self.assertEqual(run("right", FINESYNC_CHECK="races,weak", FINESYNC_SEEDS="5"), (
            0, "begins\n", "finesync: 10 runs with 10 launches passed: races and weak, seeds 1 to 5\n"))

    def test_a_race_ends_the_search_whatever_the_program_makes_of_it(self) -> None:
        for word in "races", "forgives", "races-in-a-thread":
            with self.subTest(word=word):
                status, _, errors = run(word, FINESYNC_CHECK="races")
                self.assertEqual(status, 1)
                race, summary = errors.splitlines()
                self.assertTrue(race.startswith(
                    "finesync: data race: at buffer 'words' + 0x0 (element 0), "), race)
                self.assertEqual(summary, "finesync: run 1 of 100 failed: exit status 1; "
                                          "FINESYNC_CHECK=races FINESYNC_SEED=1 repeats it")

    def test_the_seed_repeats_the_failure(self) -> None:
        status, output, errors = run("races-at-times", FINESYNC_CHECK="races")
        self.assertEqual((status, output), (1, "begins\n"))
        printed, race, summary = errors.splitlines()
        self.assertEqual(printed, "begins", "what the failed run has printed")
        seed = int(re.findall(r"FINESYNC_SEED=(\d+) repeats it$", summary)[0])
        self.assertGreater(seed, 1, "the test wants a race that the first seed does not show")
        self.assertIn(f"run {seed} of 100 ", summary)
        self.assertEqual(run("races-at-times", FINESYNC_CHECK="races", FINESYNC_SEED=str(seed)),
                         (1, "begins\n", race + "\n"))
        self.assertEqual(run("races-at-times", FINESYNC_CHECK="races", FINESYNC_SEED="1")[0], 0)

    def test_a_wait_without_end_is_reported(self) -> None:
        status, _, errors = run("waits", FINESYNC_CHECK="races", FINESYNC_SEEDS="2")
        self.assertEqual(status, 1)
        self.assertIn("finesync: livelock: ", errors)
        self.assertIn("2 poll buffer 'words' + 0x0 (element 0), which holds 0", errors)

    def test_the_exit_status_is_that_of_the_run(self) -> None:
        self.assertEqual(run("fails", FINESYNC_CHECK="weak"), (
            7, "begins\n", "finesync: run 1 of 100 failed: exit status 7; "
            "FINESYNC_CHECK=weak FINESYNC_SEED=1 repeats it\n"))
        status, _, errors = run("crashes", FINESYNC_CHECK="weak")
        self.assertEqual(status, 128 + 6)
        self.assertIn("ended by signal 6 (Aborted)", errors)

    def test_a_program_without_kernels_has_not_passed(self) -> None:
        self.assertEqual(run("idles", FINESYNC_CHECK="races", FINESYNC_SEEDS="2"), (
            1, "begins\n", "finesync: nothing was checked: the program launched no kernel, "
            "or chose other settings itself\n"))

    def test_a_program_that_it_starts_runs_once(self) -> None:
        status, output, errors = run("starts-another", FINESYNC_CHECK="races", FINESYNC_SEED="3")
        self.assertEqual((status, output.count("begins"), errors), (0, 2, ""))

    def test_misuse_is_one_line_and_runs_nothing(self) -> None:
        self.assertEqual(run("right", FINESYNC_CHECK="race"), (
            2, "", "finesync: FINESYNC_CHECK is 'race'; it can be races, weak (memory), or "
            "races,weak\n"))

    def test_every_tenth_access_of_a_place_goes_wrong_as_asked(self) -> None:
        def copied(corrupt: str) -> tuple[list[int], str]:
            _, output, errors = run("copies", FINESYNC_CORRUPT=corrupt)
            return [int(word) for word in output.split()[1:]], errors

        right = [*range(1, 21), *range(101, 121)]
        words, listed = copied("list")
        self.assertEqual(words, right)
        places = re.findall(r"^finesync: place (\w+) (\d+) writes (\d+) plain loads (\d+) stores$",
                            listed, re.MULTILINE)
        self.assertEqual([sum(int(place[i]) for place in places) for i in (1, 2, 3)], [40, 20, 40])
        stores = ",".join(place[0] for place in places if place[3] != "0")
        loads = ",".join(place[0] for place in places if place[2] != "0")

        def changed(places: dict[int, int]) -> list[int]:
            return [places.get(place, word) for place, word in enumerate(right)]

        self.assertEqual(copied(f"drop:{stores}"), (
            changed({9: 0, 19: 0, 29: 0, 39: 0}), "finesync: 4 accesses went wrong\n"))
        self.assertEqual(copied(f"stale:{loads}"), (
            changed({29: 100, 39: 100}), "finesync: 2 accesses went wrong\n"))
        self.assertEqual(copied(f"swap:{stores}"), (
            changed({8: 10, 9: 9, 18: 20, 19: 19, 28: 109, 29: 110, 38: 119, 39: 120}),
            "finesync: 4 accesses went wrong\n"))
        self.assertEqual(copied("drop:1"), (right, "finesync: 0 accesses went wrong\n"))


if __name__ == "__main__":
    unittest.main()
