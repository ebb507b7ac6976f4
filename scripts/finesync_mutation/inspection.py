"""Checks of faults that need no compiler: their patterns match, and their tests exist."""

from __future__ import annotations

import re
from pathlib import Path

from finesync.results.errors import UserError

from .faults import Fault
from .matching import NoMatch
from .test_names import is_pytest, parse_name


def complaints(root: Path, faults: list[Fault]) -> list[str]:
    """A line for each problem; none if there is no problem."""
    folders = [(rules.read_text(encoding="utf-8"),
                [path.read_text(encoding="utf-8") for suffix in ("cu", "cpp")
                 for path in sorted(rules.parent.glob(f"*_test.{suffix}"))])
               for rules in (root / "tests").rglob("CMakeLists.txt")]
    found = []
    for fault in faults:
        about = f"{fault.folder}/{fault.id}: "
        file = root / fault.file
        if not file.is_file():
            found.append(f"{about}there is no {fault.file}")
            continue
        try:
            fault.applied_to(file.read_text(encoding="utf-8"))
        except NoMatch as why:
            found.append(f"{about}{fault.file}: {why}")
        found += [about + complaint for name in fault.tests
                  for complaint in _of_test(root, name, folders)]
    return found


def _of_test(root: Path, name: str, folders: list[tuple[str, list[str]]]) -> list[str]:
    if is_pytest(name):
        path, _, function = name.partition("::")
        file = root / path
        there = file.is_file() and f"def {function}(" in file.read_text(encoding="utf-8") \
            if function else file.is_file()
        return [] if there else [f"there is no test {name}"]
    try:
        parsed = parse_name(name)
    except UserError as error:
        return [str(error)]
    own = [sources for rules, sources in folders if re.search(rf"\b{parsed.program}\b", rules)]
    # Some programs' names are put together there: their tests may be anywhere.
    there = any(parsed.is_in(source) for sources in own or (sources for _, sources in folders)
                for source in sources)
    return [] if there else [f"there is no test {name}"]
