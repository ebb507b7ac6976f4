#!/usr/bin/env python3
"""Checks that a program whose output is lost says so in one line, and fails; and that its help fits on a screen.

  check_lost_output.py PROGRAM [--results] [OPTION OF THE PROGRAM]...

--results: the program also lists its points, and writes results to a file. Only its first point
runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path


def in_shell(program: str, arguments: list[str], before: str = "",
             redirected: str = ">/dev/null") -> subprocess.CompletedProcess[str]:
    return subprocess.run(["/bin/sh", "-c", f'{before} "$@" {redirected}', "sh", program, *arguments],
                          capture_output=True, text=True)


def complaints(program: str, arguments: list[str], line: str, before: str = "",
               redirected: str = ">/dev/null") -> list[str]:
    """What is wrong with a run whose output is lost."""
    name = Path(program).name
    ended = in_shell(program, arguments, before, redirected)
    said = [each for each in ended.stderr.splitlines() if each.startswith(f"{name}: ")]
    if ended.returncode == 2 and said == [f"{name}: error: {line}"]:
        return []
    return [f"{' '.join([name, *arguments, redirected])}: exit status {ended.returncode}, {said}"]


def main() -> int:
    program, *options = sys.argv[1:]
    asked = [["--help"]]
    if options[:1] == ["--results"]:
        listing = [*options[1:], "--benchmark_list_tests"]
        points = in_shell(program, listing, redirected="").stdout.splitlines()
        run = [*options[1:], f"--benchmark_filter=^{points[0]}$"]
        asked += [listing, run]
    else:
        asked += [options]
    shown = in_shell(program, ["--help"], redirected="").stdout.splitlines()
    found = [f"--help has {len(shown)} lines, a screen has 50"] if len(shown) > 50 else []
    found += [f"--help: more than 80 columns: {line}" for line in shown if len(line) > 80]
    found += [each for arguments in asked for lost in (">/dev/full", ">&-")
             for each in complaints(program, arguments, "cannot write all output to stdout",
                                    redirected=lost)]
    if options[:1] == ["--results"]:
        found += complaints(program, [*run, "--benchmark_out=/dev/full"],
                            "cannot write results to '/dev/full': it is not a regular file")
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.realpath(Path(folder) / "results.json")
            # As on a full disk: no file may have more than 512 bytes.
            found += complaints(program, [*run, f"--benchmark_out={file}"],
                                f"could not write all of {file}.partial",
                                before="trap '' XFSZ; ulimit -f 1;")
            found += [f"{each} is left" for each in os.listdir(folder)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
