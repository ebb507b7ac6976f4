"""Outcomes of faults: a file of JSON lines that can be appended to, and a table."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

from .faults import Fault
from .experiment import BROKEN, EQUIVALENT, KILLED, NO_TEST, STALE, SURVIVED, Result

_COLUMNS = (KILLED, SURVIVED, EQUIVALENT, STALE, BROKEN, NO_TEST)


class ResultsFile:
    """One line per experiment, written in one step; the last line of a fault counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def add(self, result: Result) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result.to_json()) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> dict[str, Result]:
        """The results by fault; a truncated last line is ignored."""
        results = {}
        if self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                try:
                    result = Result(**json.loads(line))
                except (ValueError, TypeError):
                    continue
                results[result.id] = result
        return results


def equivalent(fault: Fault) -> Result:
    """The result of a fault that need not be tried."""
    return Result(fault.folder, fault.id, fault.what, EQUIVALENT, fault.equivalent)


def table(results: list[Result]) -> str:
    """Faults by folder and outcome; columns that are empty are left out."""
    by_folder: dict[str, Counter[str]] = {}
    for result in results:
        by_folder.setdefault(result.folder, Counter())[result.outcome] += 1
    total: Counter[str] = sum(by_folder.values(), Counter())
    columns = [outcome for outcome in _COLUMNS if total[outcome]]
    lines = ["| folder | planted | " + " | ".join(columns) + " |", "|---|---|" + "---|" * len(columns)]
    for folder, counts in [*sorted(by_folder.items()), ("all", total)]:
        lines.append(f"| {folder} | {sum(counts.values())} | " + " | ".join(str(counts[each]) for each in columns) + " |")
    return "\n".join(lines)


def conclusion(faults: list[Fault], results: dict[str, Result]) -> tuple[str, bool]:
    """Table and remarks, and whether all faults ended as declared."""
    told = [results[fault.id] for fault in faults if fault.id in results]
    lines = [table(told)]
    good = True
    for fault in faults:
        result = results.get(fault.id)
        if result is None or result.outcome == EQUIVALENT:
            continue
        about = f"{fault.folder}/{fault.id} ({fault.what})"
        if result.outcome == KILLED:
            if fault.survives:
                lines.append(f"{about}: is said to survive, and was caught by {result.by}")
        elif result.outcome == SURVIVED and fault.survives:
            lines.append(f"{about}: survives, as known: {fault.survives}")
        else:
            good = False
            lines.append(f"{about}: {result.outcome.upper()} {result.by}".rstrip())
    return "\n".join(lines), good
