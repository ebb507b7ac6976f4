"""Many generated faults in one build: each is chosen by its number, in the environment's FINESYNC_FAULT.

In a copy of the tree (build/mutation/schemata/tree) a statement with two faults is written as

    if (finesync_fault::is(1)) weaker(); else if (finesync_fault::is(2)) {} else statement();

and an expression as `(is(1) ? (a <= b) : (a < b))`. Lines keep their numbers. What the compiler evaluates
has no fault (is() is then false). Faults that do not compile are found by the places of the errors, are
taken out, and the rest is built again.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from finesync.results.errors import UserError

from .generated import Generated
from .operators import Change
from .units import CONDITION, EXPRESSION, code_tokens

FAULT = "FINESYNC_FAULT"
_HEADER = """#pragma once
#include <cstdlib>
#include <type_traits>
namespace finesync_fault {
struct choice {
  int number;
  choice() {
    const char* const given = std::getenv("FINESYNC_FAULT");
    number = given ? std::atoi(given) : 0;
  }
};
[[gnu::init_priority(101)]] inline const choice chosen;  // before other globals
constexpr bool is(int number) { return !std::is_constant_evaluated() && chosen.number == number; }
}  // namespace finesync_fault
"""
_LEFT_OUT = {"build", ".git", "results"}  # of the root
_OPTIONS = ("-DFINESYNC_FILES_PER_SOURCE=4", "-DCMAKE_CXX_FLAGS=-w -fmax-errors=0",
            "-DCMAKE_CXX_FLAGS_RELEASE=-O1")
_ERROR = re.compile(r"^(?=/\S+: (?:fatal )?error: )", re.MULTILINE)
_PLACE = re.compile(r"^(/[^\s:]+):(\d+):(\d+): *(.*)", re.MULTILINE)
_CHOICE = re.compile(r"finesync_fault::is\((\d+)\)")
_MOST_ROUNDS = 12


def with_faults(text: str, numbered: Iterable[tuple[int, Change]], header: str) -> str:
    """A C++ file with faults to choose from."""
    by_unit: dict[tuple[int, int], list[tuple[int, Change]]] = {}
    for number, change in numbered:
        by_unit.setdefault((change.unit.begin, -change.unit.end), []).append((number, change))
    begins: dict[int, str] = {}  # what is written there
    ends: dict[int, str] = {}
    for (begin, end), faults in sorted(by_unit.items()):  # an outer unit before an inner one
        before, after = _choices(text, faults)
        begins[begin] = begins.get(begin, "") + before
        ends[-end] = after + ends.get(-end, "")
    written, last = "", 0
    for at in sorted({*begins, *ends}):
        written += text[last:at] + ends.get(at, "") + begins.get(at, "")
        last = at
    return f'#include "{header}"\n#line 1\n{written}{text[last:]}'


def _choices(text: str, faults: list[tuple[int, Change]]) -> tuple[str, str]:
    """What precedes a unit, and what follows it."""
    unit = faults[0][1].unit
    is_value = unit.kind in (EXPRESSION, CONDITION)
    cast = "static_cast<bool>" if unit.kind == CONDITION else ""
    before = ""
    for number, change in faults:
        changed = _on_one_line(text[unit.begin:change.begin] + change.put + text[change.end:unit.end])
        chosen = f"::finesync_fault::is({number})"
        before += f"{chosen} ? {cast}({changed}) : " if is_value else f"if ({chosen}) {{ {changed}; }} else "
    return (f"({before}{cast}(", "))") if is_value else (before, "")


def _on_one_line(code: str) -> str:
    """Code without comments and line ends."""
    line, last = "", 0
    for token in code_tokens(code):
        line += (" " if token.begin > last else "") + token.text
        last = token.end
    return line.strip()


class Schemata:
    """A copy of the tree with all of some faults, and its build."""

    def __init__(self, root: Path, folder: Path, numbers: dict[int, Generated], jobs: int) -> None:
        self.root, self.tree, self.jobs = root, folder / "tree", jobs
        self.build = self.tree / "build" / "host"
        self.bin = self.build / "bin"
        self.numbers = numbers
        self.dropped: dict[int, str] = {}  # with the compiler's reason
        self._header = folder / "finesync_fault.hpp"

    def make(self, programs: list[str]) -> list[str]:
        """Builds test programs with all faults that compile. \\returns those that could be built."""
        self._copy()
        self._done(["cmake", "--preset", "host", "-B", str(self.build), *_OPTIONS], self.tree)
        known = self._ninja("-t", "targets", "all").stdout
        programs = [program for program in programs if f"\n{program}: phony" in known]
        if not programs:
            return []
        for _ in range(_MOST_ROUNDS):
            print(f"builds {len(programs)} programs with {len(self.numbers) - len(self.dropped)} faults",
                  flush=True)
            made = self._ninja("-k", "0", "-j", str(self.jobs), *programs)
            found = self._rejected(made.stdout)
            if made.returncode == 0 or not found:
                break
            self.dropped |= found
            self._write({self.numbers[number].file for number in found}, keep_time=True)
        if made.returncode == 0:
            return programs
        print(f"not all programs can be built: {made.stdout[-2000:]}", flush=True)
        return [program for program in programs if self._ninja(program).returncode == 0]

    def _copy(self) -> None:
        """Brings the copy up to date."""
        _write_if_new(self._header, _HEADER.encode())
        at_fault = {fault.file for fault in self.numbers.values()}
        files = {str(file.relative_to(self.root)): file for top in self.root.iterdir()
                 if top.name not in _LEFT_OUT for file in (top.rglob("*") if top.is_dir() else [top])
                 if file.is_file() and "__pycache__" not in file.parts}
        for name, file in files.items():
            if name not in at_fault:
                _write_if_new(self.tree / name, file.read_bytes(), file.stat().st_mode)
        for folder in {Path(name).parts[0] for name in files}:
            for file in (self.tree / folder).rglob("*"):
                if file.is_file() and str(file.relative_to(self.tree)) not in files:
                    file.unlink()
        self._write(at_fault, keep_time=False)

    def _write(self, names: Iterable[str], keep_time: bool) -> None:
        """Writes files with their faults. With the old time, what compiled is not compiled again."""
        for name in names:
            text = (self.root / name).read_text(encoding="utf-8")
            there = self.tree / name
            before = there.stat().st_mtime_ns if keep_time else 0
            faults = [(number, fault.change(text)) for number, fault in self.numbers.items()
                      if fault.file == name and number not in self.dropped]
            _write_if_new(there, with_faults(text, faults, str(self._header)).encode())
            if keep_time:
                os.utime(there, ns=(before, before))

    def _rejected(self, output: str) -> dict[int, str]:
        """The faults at which errors are, or else the notes on them."""
        found: dict[int, str] = {}
        for error in _ERROR.split(output)[1:]:
            places = _PLACE.findall(error)
            for file, line, column, said in places:
                if numbers := self._faults_at(Path(file), int(line), int(column)):
                    found |= {number: said for number in numbers}
                    break
        return found

    def _faults_at(self, file: Path, line: int, column: int) -> list[int]:
        """Those in the choice before a place, on its line."""
        if not file.resolve().is_relative_to(self.tree):
            return []
        lines = file.read_text(encoding="utf-8").split("\n")[2:]  # as #line counts
        written = lines[line - 1] if line <= len(lines) else ""
        before = _CHOICE.findall(written[:column])
        return [int(before[-1])] if before else list(map(int, _CHOICE.findall(written)))

    def _ninja(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["ninja", "-C", str(self.build), *arguments], capture_output=True, text=True,
                              check=False)

    def _done(self, command: list[str], folder: Path) -> None:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise UserError(f"{' '.join(command)}: {(done.stdout + done.stderr)[-2000:]}")


def _write_if_new(file: Path, content: bytes, mode: int = 0o644) -> None:
    if not file.is_file() or file.read_bytes() != content:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(mode)
