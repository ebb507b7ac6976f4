#!/usr/bin/env python3
"""Checks that compare_ptx.py rejects what it should, by mutating PTX that it accepts.

usage: compare_ptx_test.py LOCKS LOCKS_BY_HAND ATOMICS ATOMICS_BY_HAND (files of PTX)
"""

from __future__ import annotations

import re
import sys
import unittest
from pathlib import Path

import compare_ptx

SLACK = {"*": 100}  # unless a test is about it
LOCKS = LOCKS_BY_HAND = ATOMICS = ATOMICS_BY_HAND = ""


def mutated(text: str, kernel: str, pattern: str, replacement: str) -> str:
    """`text` with the first match of `pattern` in the kernel's body replaced."""
    begin = text.index("{", text.index(f".entry {kernel}("))
    end = re.compile(r"^}", re.MULTILINE).search(text, begin).start()
    body, count = re.subn(pattern, replacement, text[begin:end], count=1, flags=re.MULTILINE)
    if count == 0:
        raise AssertionError(f"{pattern!r} is not in {kernel}")
    return text[:begin] + body + text[end:]


def instructions(count: int) -> str:
    return "\n".join(["add.s32 %r1, %r1, 1;"] * count) + "\n"


class ComparePtx(unittest.TestCase):
    def assert_rejected(
        self, ours: str, theirs: str, kernel: str, complaint: str, slack: dict[str, int] = SLACK
    ) -> None:
        _, found = compare_ptx.compare(ours, theirs, slack)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{kernel}: "), found[0])
        self.assertIn(complaint, found[0])

    def assert_lock_rejected(
        self, kernel: str, pattern: str, replacement: str, complaint: str = "by hand has"
    ) -> None:
        with self.subTest(kernel=kernel, pattern=pattern, replacement=replacement):
            changed = mutated(LOCKS, kernel, pattern, replacement)
            self.assert_rejected(changed, LOCKS_BY_HAND, kernel, complaint)

    def assert_atomic_rejected(self, kernel: str, pattern: str, replacement: str) -> None:
        with self.subTest(kernel=kernel, pattern=pattern, replacement=replacement):
            changed = mutated(ATOMICS, kernel, pattern, replacement)
            self.assert_rejected(changed, ATOMICS_BY_HAND, kernel, "by hand has")

    def test_the_compiled_files_pass(self) -> None:
        self.assertEqual(compare_ptx.compare(LOCKS, LOCKS_BY_HAND, SLACK), (20, []))
        self.assertEqual(compare_ptx.compare(ATOMICS, ATOMICS_BY_HAND, {}), (350, []))

    def test_a_wrong_scope(self) -> None:
        self.assert_lock_rejected("spin_device", r"cas\.relaxed\.gpu", "cas.relaxed.cta", ".cta")
        self.assert_lock_rejected("anderson_block", r"ld\.relaxed\.cta", "ld.relaxed.gpu", ".gpu")
        self.assert_lock_rejected("ticket_device", r"release\.gpu", "release.cta", ".cta")
        self.assert_lock_rejected("spin_watched", r"fence\.sc\.gpu", "fence.sc.cta", ".cta")
        self.assert_lock_rejected("backoff_block", r"release\.cta", "release.sys", ".sys")
        self.assert_atomic_rejected("fence_acq_rel_device", r"acq_rel\.gpu", "acq_rel.cta")
        self.assert_atomic_rejected("fence_release_system", r"\.sys", ".gpu")
        self.assert_atomic_rejected("fetch_add_u64_acq_rel_system", r"\.sys", ".gpu")
        self.assert_atomic_rejected("message_store", r"relaxed\.gpu", "relaxed.cta")

    def test_a_wrong_order(self) -> None:
        self.assert_lock_rejected("tas_device", r"acquire", "relaxed", "relaxed")
        self.assert_lock_rejected("tas_device", r"st\.release\.gpu", "st", "st.weak")
        self.assert_lock_rejected("ticket_block", r"release", "relaxed", "relaxed")
        self.assert_lock_rejected("spin_device", r"fence\.sc", "fence.acq_rel", "acq_rel")
        self.assert_atomic_rejected("exchange_u64_acq_rel_block", r"exch\.acq_rel", "exch.acquire")
        self.assert_atomic_rejected("load_u32_acquire_device", r"ld\.acquire\.gpu", "ld.volatile")
        self.assert_atomic_rejected("load_u32_relaxed_device", r"ld\.relaxed\.gpu", "ld")

    def test_a_wrong_operation_or_width(self) -> None:
        self.assert_atomic_rejected("fetch_min_s32_relaxed_device", r"\.s32", ".u32")
        self.assert_atomic_rejected("fetch_min_u64_relaxed_device", r"atom\.min", "atom.max")
        self.assert_atomic_rejected("store_u64_relaxed_block", r"st\.(.*)\.b64", r"st.\1.b32")
        message = r"ld\.relaxed\.gpu\.b128 t, (.*?); mov\.b128 \{(.*?)\}, t"
        halves = r"ld.relaxed.gpu.v2.u64 {\2}, \1"
        self.assert_atomic_rejected("message_load", message, halves)

    def test_a_missing_fence(self) -> None:
        for kernel in ("spin_device", "spin_watched", "ticket_device", "anderson_block"):
            self.assert_lock_rejected(kernel, r"^.*\bfence\..*$", "")
        self.assert_lock_rejected("spin_block", r"(fence[\s\S]*)fence\.sc\.cta;", r"\1")
        self.assert_atomic_rejected("fetch_or_u32_seq_cst_device", r"fence\.sc\.gpu;", "")
        self.assert_atomic_rejected("fence_release_block", r"fence\.acq_rel\.cta;", "")

    def test_a_fence_that_one_path_avoids(self) -> None:
        fence = r"^\s*(fence\.[^;]*;)"
        around = r"setp.gt.u32 %p99, %r1, 7;\n@%p99 bra $around;\n\1\n$around:\n"
        self.assert_lock_rejected("ticket_device", fence, around)
        self.assert_lock_rejected("anderson_block", fence, around)

    def test_an_access_outside_of_the_critical_section(self) -> None:
        store = r"(st\.global\.u32\s[^;]*;)"
        release = store + r"([^$@]*?)(st\.release[^;]*;)"
        self.assert_lock_rejected("tas_device", release, r"\2\3\n\1", "st.weak")
        fence = r"(fence[\s\S]*)" + store + r"([^$@]*?fence\.sc\.gpu;)"
        self.assert_lock_rejected("spin_device", fence, r"\1\3\n\2", "st.weak")

    def test_one_access_more(self) -> None:
        cas = r"^\s*(atom\.cas)"
        load = r"ld.global.u32 %r1, [%rd1];\n\1"
        self.assert_lock_rejected("backoff_device", cas, load, "ld.weak")
        self.assert_lock_rejected("tas_block", cas, r"nanosleep.u32 9;\n\1", "nanosleep")

    def test_local_memory_and_calls(self) -> None:
        start = r"^\{"
        for line, complaint in (
            (".local .align 4 .b8 __local_depot0[8];", "keeps variables in local memory"),
            ("st.local.u32 [%rd1], %r1;", "accesses local memory"),
            ("call.uni (retval0), helper, (param0);", "it calls"),
        ):
            self.assert_lock_rejected("ticket_device", start, "{\n" + line, complaint)

    def test_a_longer_loop(self) -> None:
        kernel, cas = "tas_device", r"^\s*(atom\.cas)"
        slack = {name: 100 for name in compare_ptx.kernel_bodies(LOCKS) if name != kernel}
        within = mutated(LOCKS, kernel, cas, instructions(compare_ptx.SLACK) + r"\1")
        longer = mutated(LOCKS, kernel, cas, instructions(compare_ptx.SLACK + 1) + r"\1")
        self.assertEqual(compare_ptx.compare(within, LOCKS_BY_HAND, slack)[1], [])
        self.assert_rejected(longer, LOCKS_BY_HAND, kernel, "instructions between", slack)
        more = {**slack, kernel: compare_ptx.SLACK + 1}
        self.assertEqual(compare_ptx.compare(longer, LOCKS_BY_HAND, more)[1], [])

    def test_a_longer_way_to_the_loop_is_free(self) -> None:
        longer = mutated(LOCKS, "tas_device", r"^\{", "{\n" + instructions(50))
        self.assertEqual(compare_ptx.compare(longer, LOCKS_BY_HAND, SLACK)[1], [])

    def test_other_registers_labels_and_loop_copies_are_alike(self) -> None:
        renamed = re.sub(r"\$L__BB(\d+)_(\d+)", r"$other_\2_of_\1", LOCKS)
        renamed = re.sub(r"%r(\d+)", r"%word\1", renamed)
        self.assertEqual(compare_ptx.compare(renamed, LOCKS_BY_HAND, SLACK)[1], [])
        peeled = mutated(
            LOCKS,
            "tas_device",
            r"(\$L__\w+):([\s\S]*?)setp\.ne\.s32\s+(%p\d+), ([^;]*);\s*@%p\d+ bra\s+\$\w+;",
            r"\2setp.eq.s32 \3, \4;\n@\3 bra $in;\n\g<0>\n$in:\n",
        )
        self.assertEqual(compare_ptx.compare(peeled, LOCKS_BY_HAND, SLACK)[1], [])

    def test_both_files_need_every_kernel(self) -> None:
        renamed = LOCKS.replace(".entry anderson_block(", ".entry anderson_cluster(")
        found = compare_ptx.compare(renamed, LOCKS_BY_HAND, SLACK)[1]
        self.assertEqual([line.split(":")[0] for line in found], ["anderson_block", "anderson_cluster"])

    def test_a_slack_for_no_kernel(self) -> None:
        found = compare_ptx.compare(LOCKS, LOCKS_BY_HAND, {**SLACK, "mcs_*": 8})[1]
        self.assertEqual(found, ["mcs_*: --slack is for no kernel"])

    def test_what_cannot_be_read(self) -> None:
        for text in ("", ".visible .entry k()\n{\n\tbra $away"):
            with self.subTest(text=text), self.assertRaises(compare_ptx.Unreadable):
                compare_ptx.compare(text, text, {})
        endless = ".visible .entry k()\n{\n$a:\n add.s32 %r1, %r1, 1;\n bra $a;\n}"
        with self.assertRaisesRegex(compare_ptx.Unreadable, "a loop without memory access"):
            compare_ptx.compare(endless, endless, {})


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    LOCKS, LOCKS_BY_HAND, ATOMICS, ATOMICS_BY_HAND = (
        Path(path).read_text() for path in sys.argv[1:]
    )
    unittest.main(argv=sys.argv[:1])
