"""A folder of test programs with faults, to run on a machine with more processors.

    FOLDER/run.json            what to run
    FOLDER/bin/FAULT/PROGRAM   a test program with one fault
    FOLDER/lib/                the shared libraries of them all, the loader among them
    FOLDER/results.jsonl       their outcomes
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from finesync.results import schemas
from finesync.results.json_files import read_json

from .faults import Fault
from .matching import NoMatch
from .mutant_tree import DoesNotCompile, MutantTree, targets_of
from .test_names import is_pytest
from .experiment import BROKEN, STALE, SURVIVED, Result, run_gtest

_LOADER = re.compile(r"ld-linux[\w-]*\.so\.\d+")


def is_portable(fault: Fault) -> bool:
    """Whether a fault can run elsewhere: no test of scripts, no program started by path."""
    return not (fault.programs or fault.equivalent or any(map(is_pytest, fault.tests)))


def prepare(fault: Fault, mutant: MutantTree, folder: Path) -> dict[str, Any]:
    """Puts a fault's programs into the folder. \\returns its entry of run.json."""
    entry: dict[str, Any] = {"folder": fault.folder, "id": fault.id, "what": fault.what,
                             "digest": mutant.digest(fault), "runs": [], "survives": fault.survives}
    try:
        with mutant.applied(fault):
            for target in targets_of(fault):
                made = mutant.make(fault, target)
                kept = folder / "bin" / fault.id / target.program
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(made, kept)
                _gather_libraries(kept, folder / "lib")
                entry["runs"].append([str(kept.relative_to(folder)), target.filter])
    except (NoMatch, DoesNotCompile) as why:
        entry["failed"] = [STALE if isinstance(why, NoMatch) else BROKEN, str(why)]
    return entry


def read_list(folder: Path) -> list[dict[str, Any]]:
    """The entries of run.json."""
    path = folder / "run.json"
    entries: list[dict[str, Any]] = read_json(path)
    schemas.check(path, entries, "prepared")
    return entries


def fault_of(entry: dict[str, Any]) -> Fault:
    """The data that the report needs."""
    return Fault(folder=entry["folder"], id=entry["id"], what=entry["what"], file="", find="",
                 survives=entry["survives"])


def try_prepared(entry: dict[str, Any], folder: Path, seconds: float) -> Result:
    """Runs an entry's programs until one test catches the fault."""
    outcome, by = entry.get("failed", [SURVIVED, ""])
    loader = next(path for path in (folder / "lib").iterdir() if _LOADER.fullmatch(path.name))
    began = time.monotonic()
    for program, tests in entry["runs"]:
        executable = [str(loader), "--library-path", str(folder / "lib"), str(folder / program)]
        outcome, by = run_gtest(executable, tests, folder, seconds)
        if outcome != SURVIVED:
            break
    return Result(**{**asdict(Result(entry["folder"], entry["id"], entry["what"], outcome, by)),
                     "test_s": round(time.monotonic() - began, 1), "digest": entry["digest"]})


def _gather_libraries(program: Path, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    listed = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True)
    for path in re.findall(r"(/\S+)", listed.stdout):
        if not (folder / Path(path).name).exists():
            shutil.copy(path, folder)
