"""A build folder of CMake and Ninja: its commands, and the files of each object.

The only change to the folder is that requested objects are built.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from functools import cached_property
from pathlib import Path
from threading import Lock

from finesync.results.errors import UserError


class BuildTree:
    """The build in `folder` of the sources in `root`."""

    def __init__(self, root: Path, folder: Path) -> None:
        if not (folder / "build.ninja").is_file():
            raise UserError(f"{folder} is not configured: cmake --preset host -B {folder} "
                            "-DFINESYNC_FILES_PER_SOURCE=1")
        self.root = root
        self.folder = folder
        self._files: dict[str, frozenset[Path]] = {}
        self._built: set[str] = set()
        self._one_ninja = Lock()

    def command(self, output: str) -> list[str]:
        """The command that compiles an object or links a program. Raises UserError."""
        if output not in self._commands:
            raise UserError(f"{self.folder} does not build {output}")
        return self._commands[output]

    def inputs(self, program: str) -> list[str]:
        """The objects and libraries of a program that are built here."""
        words = self.command(f"bin/{program}")
        return [word for word in words if word in self._commands and word != f"bin/{program}"]

    def objects_of(self, library: str) -> list[str]:
        """The objects of a static library; none for an object."""
        if not library.endswith(".a"):
            return []
        return [word for word in self._commands[library] if word.endswith(".o")]

    def source(self, compiled: str) -> Path:
        words = self.command(compiled)
        return Path(words[words.index("-c") + 1])

    def files(self, compiled: str) -> frozenset[Path]:
        """All project files on which an object depends, whether it has been built or not."""
        if compiled not in self._files:
            words = self.command(compiled)
            done = subprocess.run([*words[:words.index("-MD")], "-MM", str(self.source(compiled))],
                                  cwd=self.folder, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise UserError(f"{self.source(compiled)}: {done.stderr.strip()[-600:]}")
            paths = (Path(word).resolve() for word in
                     done.stdout.replace("\\\n", " ").partition(":")[2].split())
            self._files[compiled] = frozenset(path for path in paths
                                              if path.is_relative_to(self.root))
        return self._files[compiled]

    def build(self, outputs: set[str]) -> None:
        with self._one_ninja:
            if missing := sorted(outputs - self._built):
                self._ninja(*missing)
                self._built |= outputs

    @cached_property
    def _commands(self) -> dict[str, list[str]]:
        """The last step of each rule that makes an object, a library or a program."""
        # CMake's own rule; Ninja otherwise runs it only when it builds a target.
        subprocess.run(["ninja", "build.ninja"], cwd=self.folder, capture_output=True, check=False)
        commands = {}
        for entry in json.loads(self._ninja("-t", "compdb")):
            for step in map(shlex.split, entry["command"].split(" && ")):
                if step[1:2] == ["qc"] or "-o" in step:
                    commands[entry["output"]] = step
        return commands

    def _ninja(self, *arguments: str) -> str:
        done = subprocess.run(["ninja", *arguments], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise UserError(f"ninja {' '.join(arguments)}: {done.stdout[-600:]}")
        return done.stdout
