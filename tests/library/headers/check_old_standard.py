"""With an older standard each public header stops the compiler in its first words, which name C++20.

usage: check_old_standard.py SRC COMPILER ARGUMENT...
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MOST_LINES = 20


def complaint(header: Path, command: list[str]) -> str:
    """What is wrong with the compiler's words for a header; empty if nothing is."""
    done = subprocess.run([*command, str(header)], capture_output=True, text=True, check=False)
    lines = done.stderr.splitlines()
    first = next((line for line in lines if "error: " in line), "no error")
    if "C++20" in first and done.returncode != 0 and len(lines) <= MOST_LINES:
        return ""
    return f"{header}: {len(lines)} lines, the first error: {first}"


def main() -> int:
    source, *command = sys.argv[1:]
    headers = sorted(path for path in (Path(source) / "finesync").rglob("*")
                     if path.suffix in (".cuh", ".hpp"))
    with ThreadPoolExecutor(2) as pool:
        found = list(filter(None, pool.map(lambda header: complaint(header, command), headers)))
    print("\n".join(found) or f"{len(headers)} headers name C++20")
    return 1 if found or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
