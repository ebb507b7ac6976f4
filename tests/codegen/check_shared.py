"""Checks that PTX addresses block-scope atomics on shared memory as shared memory.

usage: check_shared.py FINESYNC.ptx

Every synchronizing access of the file is block-scope and on shared memory, so each must name that
space, and no test of the space may be left. Tries itself on spoilt copies of the file first.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ACCESS = re.compile(r"^\s*(?:@!?%p\d+\s+)?((?:atom|red|ld|st)\.\S*\.cta\S*)", re.MULTILINE)
FEWEST_ACCESSES = 4 * 9 + 4 * 2  # operations of each word type, and two of each lock


def complaints(ptx: str) -> list[str]:
    """What is wrong with the PTX; empty when nothing is."""
    accesses = ACCESS.findall(ptx)
    found = [f"{access} does not name shared memory" for access in accesses
             if ".shared" not in access]
    if len(accesses) < FEWEST_ACCESSES:
        found.append(f"only {len(accesses)} synchronizing accesses")
    if "isspacep" in ptx:
        found.append("the space is tested at run time")
    return found


def main() -> int:
    """Entry point."""
    ptx = Path(sys.argv[1]).read_text(encoding="utf-8")
    spoilt = [ptx.replace("cta.shared.cas", "cta.cas", 1), ptx.replace("cta.shared.b32", "cta.b32", 1),
              ptx + "\nisspacep.shared %p1, %rd1;\n", ACCESS.sub("", ptx)]
    if ptx in spoilt or not all(complaints(copy) for copy in spoilt):
        print("check_shared.py accepts PTX that was spoilt")
        return 1
    found = complaints(ptx)
    print("\n".join(found) or "all block-scope accesses name shared memory")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
