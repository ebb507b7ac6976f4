"""Builds test programs with one fault, from as few objects as possible.

Only the sources of a test program that have the tests in question are compiled, against a copy of
the tree with the fault. They are linked with objects that do not depend on the faulty file. Typed
tests are narrowed to the types concerned (tests/tested_types.hpp). Warnings are off and
optimization is low, as a mutant runs for a minute.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from finesync.results.errors import UserError

from .build_tree import BuildTree
from .faults import Fault
from .processes import run
from .test_names import CaseName, has_tests, is_pytest, parse_name

_LEFT_OUT = ("build", ".git", "__pycache__", ".pytest_cache")
_COMPILE_SECONDS = 900


class DoesNotCompile(Exception):
    """The compiler rejects the fault; the text is its message."""


@dataclass(frozen=True)
class Target:
    """A test program and the tests to run."""

    program: str
    names: tuple[CaseName, ...]

    @property
    def filter(self) -> str:
        """For --gtest_filter."""
        return ":".join(name.pattern for name in self.names)

    @property
    def types(self) -> str:
        """The types to which typed tests are narrowed; empty for all types."""
        types = sorted({name.type for name in self.names})
        return "" if "*" in types else " ".join(types)


def targets_of(fault: Fault) -> list[Target]:
    """The GoogleTest programs that a fault needs."""
    by_program: dict[str, list[CaseName]] = {}
    for name in fault.tests:
        if not is_pytest(name):
            parsed = parse_name(name)
            by_program.setdefault(parsed.program, []).append(parsed)
    return [Target(program, tuple(names)) for program, names in by_program.items()]


def reason(output: str) -> str:
    """The line of a compiler's or linker's output that says what is wrong."""
    # ld's own lines have no "error"; collect2 only says that there were some. A line that ends with
    # a colon gives the place of the next one.
    lines = [line for line in output.splitlines()
             if not line.startswith("collect2: ") and not line.endswith(":")]
    errors = [line for line in lines if "error" in line]
    return (errors or lines or ["no reason given"])[0]


class MutantTree:
    """A copy of the tree in which faults are inserted, one at a time."""

    def __init__(self, build: BuildTree, folder: Path) -> None:
        self.build = build
        self.tree = folder / "tree"
        self.bin = folder / "bin"
        self._objects = folder / "objects"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(build.root, self.tree, ignore=shutil.ignore_patterns(*_LEFT_OUT))

    @contextmanager
    def applied(self, fault: Fault) -> Iterator[None]:
        """Keeps the fault in the copy while the context lasts. Raises NoMatch."""
        file = self.tree / fault.file
        right = file.read_text(encoding="utf-8")
        file.write_text(fault.applied_to(right), encoding="utf-8")
        for folder in (self.bin, self._objects):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        try:
            yield
        finally:
            file.write_text(right, encoding="utf-8")

    def make(self, fault: Fault, target: Target) -> Path:
        """A test program with the fault. Raises DoesNotCompile."""
        return self._link(fault, target.program, self._kept(target), target.types)

    def make_program(self, fault: Fault, program: str) -> Path:
        """A program, started by tests, with the fault. Raises DoesNotCompile."""
        objects = [each for each in self.build.inputs(program) if not self.build.objects_of(each)]
        return self._link(fault, program, objects, "")

    def digest(self, fault: Fault) -> str:
        """A digest of the fault and of all sources of its tests."""
        files = {self.build.root / fault.file}
        for target in targets_of(fault):
            libraries = [each for input_ in self.build.inputs(target.program)
                         for each in self.build.objects_of(input_)]
            for each in [*self._kept(target), *libraries]:
                files |= self.build.files(each)
        for name in fault.tests:
            if is_pytest(name):
                files.add(self.build.root / name.partition("::")[0])
        total = hashlib.sha256(repr(fault).encode())
        for file in sorted(files):
            total.update(file.read_bytes())
        return total.hexdigest()[:16]

    def _kept(self, target: Target) -> list[str]:
        """The objects of a test program that have the tests, or no test at all. Raises
        UserError."""
        kept = []
        found: set[CaseName] = set()
        for each in self.build.inputs(target.program):
            if self.build.objects_of(each):
                continue
            text = self.build.source(each).read_text(encoding="utf-8")
            here = {name for name in target.names if name.is_in(text)}
            found |= here
            if here or not has_tests(text):
                kept.append(each)
        for name in target.names:
            if name not in found:
                raise UserError(f"{target.program} has no test {name.pattern}")
        return kept

    def _link(self, fault: Fault, program: str, objects: list[str], types: str) -> Path:
        at_fault = (self.build.root / fault.file).resolve()
        made: dict[str, str] = {}
        # A library that another library needs is there twice.
        members = list(dict.fromkeys(member for library in self.build.inputs(program)
                                     for member in self.build.objects_of(library)))
        for each in [*objects, *members]:
            if at_fault in self.build.files(each) or self._starts(fault, each):
                made[each] = str(self._compile(each, types if each in objects else ""))
        inputs = self.build.inputs(program)
        self.build.build({each for each in inputs if each not in made
                          and (each in objects or self.build.objects_of(each))})
        executable = self.bin / program
        command: list[str] = []
        for word in self.build.command(f"bin/{program}"):
            if word == f"bin/{program}":
                # The objects of libraries come first, so that the libraries' own are not taken.
                command += [str(executable), *(made[each] for each in members if each in made)]
            elif word in objects or word not in inputs or self.build.objects_of(word):
                command.append(made.get(word, word))
        self._run([*command, "-s"])
        return executable

    def _starts(self, fault: Fault, compiled: str) -> bool:
        """Whether an object has the path of one of the fault's programs."""
        return any(f"{self.build.folder}/bin/{program}" in word
                   for word in self.build.command(compiled) for program in fault.programs)

    def _compile(self, compiled: str, types: str) -> Path:
        words = iter(self.build.command(compiled))
        made = self._objects / compiled.replace("/", "_")
        command: list[str] = []
        for word in words:
            if word in ("-MT", "-MF", "-o"):
                next(words)
            elif not (word == "-MD" or word.startswith(("-W", "-O"))):
                command.append(self._moved(word))
        narrowed = [f'-DFINESYNC_TESTED_TYPES="{types}"'] if types else []
        optimized = "-O0" if "-O0" in self.build.command(compiled) else "-O1"
        self._run([*command, *narrowed, "-w", optimized, "-o", str(made)])
        return made

    def _moved(self, word: str) -> str:
        """A word of a command, with paths of the copy and of our programs."""
        kept = "\0"
        word = word.replace(str(self.build.folder), kept).replace(str(self.build.root),
                                                                  str(self.tree))
        # What the set-up installed there is not copied.
        word = word.replace(f"{self.tree}/build/", f"{self.build.root}/build/")
        if f"{kept}/bin/" in word:
            program = word.partition(f"{kept}/bin/")[2].rstrip('"')
            if (self.bin / program).exists():
                word = word.replace(f"{kept}/bin/", f"{self.bin}/")
        return word.replace(kept, str(self.build.folder))

    def _run(self, command: list[str]) -> None:
        done = run(command, self.build.folder, _COMPILE_SECONDS)
        if done.status != 0:
            raise DoesNotCompile(reason(done.output))
