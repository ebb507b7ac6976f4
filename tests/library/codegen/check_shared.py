"""Checks that PTX addresses block-scope atomics on shared memory as shared memory.

usage: check_shared.py FINESYNC.ptx

Every synchronizing access of the file is block-scope and on shared memory, so each must name that
space, no test of the space may be left, and the kernels of all operations must have exactly the
orders that their source names. Tries itself on spoilt copies of the file first.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ACCESS = re.compile(r"^\s*(?:@!?%p\d+\s+)?((?:atom|red|ld|st)\.\S*\.cta\S*)", re.MULTILINE)
KERNEL = re.compile(r"\.entry (\w+)\(.*?^}", re.MULTILINE | re.DOTALL)
EVENT = re.compile(r"^\s+(?:(atom|ld|st)\.(\w+)\.cta\.shared\.(\w+)|(fence\.\w+\.cta))",
                   re.MULTILINE)
FEWEST_ACCESSES = 4 * 10 + 4 * 2  # operations of each word type, and two of each lock

# The operations of the kernel all_operations, in its order.
ALL_OPERATIONS = ["st release", "ld acquire", "exch acq_rel", "add relaxed", "and acquire",
                  "or release", "xor acq_rel", "min relaxed", "fence.sc.cta", "max acq_rel",
                  "cas acquire"]

# Of 64 bits: arithmetic says its release by a fence (shared_atomic.cuh).
ALL_OPERATIONS_64 = ["st release", "ld acquire", "exch acq_rel", "add relaxed", "and acquire",
                     "fence.acq_rel.cta", "or relaxed", "fence.acq_rel.cta", "xor acquire",
                     "min relaxed", "fence.sc.cta", "max acquire", "cas acquire"]

# Changes to the kernel of 32 bits, each of which must be noticed.
SPOILS = [("cta.shared.cas", "cta.cas"), ("cta.shared.b32", "cta.b32"),
          ("st.release.cta", "st.relaxed.cta"), ("ld.acquire.cta", "ld.relaxed.cta"),
          ("acq_rel.cta.shared.xor", "release.cta.shared.xor"),
          ("fence.sc.cta", "fence.acq_rel.cta")]


def operations(kernel: str) -> list[str]:
    """What a kernel does to shared memory, with orders."""
    return [fence or f"{operation if kind == 'atom' else kind} {order}"
            for kind, order, operation, fence in EVENT.findall(kernel)]


def complaints(ptx: str) -> list[str]:
    """What is wrong with the PTX; empty when nothing is."""
    accesses = ACCESS.findall(ptx)
    found = [f"{access} does not name shared memory" for access in accesses
             if ".shared" not in access]
    if len(accesses) < FEWEST_ACCESSES:
        found.append(f"only {len(accesses)} synchronizing accesses")
    kernels = [match for match in KERNEL.finditer(ptx) if "all_operations" in match[1]]
    if len(kernels) != 4:
        found.append(f"{len(kernels)} kernels of all operations instead of 4")
    for match in kernels:
        wanted = ALL_OPERATIONS_64 if ".cas.b64" in match[0] else ALL_OPERATIONS
        if operations(match[0]) != wanted:
            found.append(f"{match[1]}: {operations(match[0])}")
    if "isspacep" in ptx:
        found.append("the space is tested at run time")
    return found


def main() -> int:
    """Entry point."""
    ptx = Path(sys.argv[1]).read_text(encoding="utf-8")
    start = next(match.start() for match in KERNEL.finditer(ptx)
                 if "all_operations" in match[1] and ".cas.b32" in match[0])
    spoilt = [ptx[:start] + ptx[start:].replace(right, wrong, 1) for right, wrong in SPOILS]
    spoilt += [ptx + "\nisspacep.shared %p1, %rd1;\n", ACCESS.sub("", ptx)]
    if ptx in spoilt or not all(complaints(copy) for copy in spoilt):
        print("check_shared.py accepts PTX that was spoilt")
        return 1
    found = complaints(ptx)
    print("\n".join(found) or "all block-scope accesses name shared memory and their orders")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
