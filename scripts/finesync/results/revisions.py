"""The revisions of the code that results are of, and who may join results of several.

A folder of recorded runs may state in mixed_revisions.txt that its files are of several: these
revisions in the first line, and why below it. A line of it may mark rows that say less than they seem to:

    doubted: PROGRAM PRIMITIVE,... of REVISION,...: why
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import UserError
from .loading import Results

STATED = "mixed_revisions.txt"
_DIGITS = 9
DOUBTED = re.compile(r"doubted: (?P<program>\S+) (?P<primitives>\S+) of (?P<revisions>[^:]+): (?P<why>.+)")


def of(results: Results) -> list[str]:
    """The revisions of all runs of a results file, abbreviated."""
    return of_context(results.context)


def of_context(context: Mapping[str, Any]) -> list[str]:
    """The same from the file's context."""
    runs = context.get("sweep", {}).get("runs", [context["finesync"]])
    return sorted({str(run.get("git_revision", "unknown"))[:_DIGITS]
                   + " with changes" * bool(run.get("git_dirty")) for run in runs})


def check(joined: Sequence[Results], what: str, mix: bool) -> None:
    """Refuses to join results of several revisions, unless told to by `mix` or by the statement of their folder."""
    found = sorted({revision for results in joined for revision in of(results)})
    if mix or len(found) < 2 or set(found) <= _stated(joined[0].path.parent):
        return
    files = "; ".join(f"{', '.join(of(results))}: {results.path.name}" for results in joined)
    raise UserError(f"{joined[0].path.parent}: {what} would join results of {len(found)} revisions "
                    f"({files}); measure them at one, or use --mix-revisions")


def sentence(joined: Sequence[Results]) -> str:
    """For a caption: which files are of which revision; "" if all are of one."""
    by_revision: dict[str, list[str]] = {}
    for results in joined:
        by_revision.setdefault(" and ".join(of(results)), []).append(results.name)
    if len(by_revision) < 2:
        return ""
    return "Mixed revisions: " + "; ".join(
        f"{', '.join(names)} of {revision}" for revision, names in by_revision.items()) + "."


def doubts(results: Results, primitive: str) -> list[str]:
    """Why the rows of a primitive say less than they seem to, as their folder states."""
    names = {name for planned in results.points.of_primitives(primitive)["planned"] for name in planned}
    found = {str(run.get("git_revision", ""))[:_DIGITS] for run in results.context.get("sweep", {}).get("runs", ())
             if run["point"] in names}
    return [stated["why"] for stated in map(DOUBTED.match, _lines(results.path.parent))
            if stated and stated["program"] == results.program and primitive in stated["primitives"].split(",")
            and found & set(stated["revisions"].split(","))]


def _stated(folder: Path) -> set[str]:
    return {word[:_DIGITS] for line in _lines(folder)[:1] for word in line.split()}


def _lines(folder: Path) -> list[str]:
    path = folder / STATED
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot read ({error})") from None
