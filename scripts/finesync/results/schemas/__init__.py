"""The JSON schemas of all files that these scripts read, with errors of one line."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator, ValidationError
from jsonschema.exceptions import best_match
from jsonschema.validators import extend

from ..errors import UserError
from ..json_files import read_json

# The version of results files that are written now, and all that are read. Version 3 has the GPU's
# driver, card and clocks.
RESULTS_VERSION = 3
READ_VERSIONS = (2, RESULTS_VERSION)
# traffic.py's suffix of the program's name.
TRAFFIC = "_traffic"
# A row's number of locks that servers lent each other, in rows of times and of traffic.
LENT = "locks_lent_per_operation"
# The column of traffic rows with the share of a reason in the stalls of warps, in percent.
STALLED = "stalled_{}_percent"
_LONGEST = 200
# Definitions of what rows repeat: each value is checked once. Of a row, the members that the definition
# names; it says nothing of others.
_REPEATED = ("#/definitions/axes", "#/definitions/effective", "#/definitions/repetition")
_OPEN = ("#/definitions/repetition",)


def check(path: Path, document: Any, schema: str) -> None:
    """Rejects a parsed file that does not match `schema` ("plan", "sources")."""
    try:
        error = best_match(_validator(schema).iter_errors(document))
    except RecursionError:
        raise UserError(f"{path}: nested too deeply") from None
    if error is not None:
        where = f" at {_place(error.absolute_path)}" if error.absolute_path else ""
        what = error.message if len(error.message) <= _LONGEST else \
            f"{error.message[:_LONGEST // 2]} ... {error.message[-_LONGEST // 2:]}"
        raise UserError(f"{path}: not {_validator(schema).schema['title']}{where}: {what}")


def check_results(path: Path, document: Any) -> None:
    """Rejects a file that is not a results file of a schema that is read; another schema has its own message."""
    version = _schema_version(document)
    if isinstance(version, int) and version not in READ_VERSIONS:
        known = " and ".join(map(str, READ_VERSIONS))
        raise UserError(f"{path}: results of schema {version}; these scripts read schemas {known}: "
                        "record them again (scripts/dev/record.sh)")
    check(path, document, "results")


def read_results(path: Path, read: Callable[[Path], Any] = read_json) -> dict[str, Any]:
    """A checked results file; every error is a UserError of one line."""
    document: dict[str, Any] = read(path)
    check_results(path, document)
    return document


def _schema_version(document: Any) -> Any:
    try:
        return document["context"]["finesync"]["schema_version"]
    except (KeyError, TypeError):
        return None


@functools.lru_cache(maxsize=None)
def _validator(schema: str) -> Any:
    text = (Path(__file__).parent / f"{schema}.schema.json").read_text(encoding="utf-8")
    document = json.loads(text)
    kind: Any = extend(Draft7Validator, {"$ref": _once(document.get("definitions", {}))})
    kind.evolve = _by_schema(kind.evolve)
    return kind(document)


def _by_schema(evolve: Any) -> Any:
    """The same, with one validator for each part of a schema. Making one for each value would take
    as long as the check."""
    made: dict[int, Any] = {}  # The parts live as long as the whole schema does.

    def evolved(self: Any, **changes: Any) -> Any:
        if changes.keys() != {"schema"}:
            return evolve(self, **changes)
        key = id(changes["schema"])
        if key not in made:
            made[key] = evolve(self, **changes)
        return made[key]
    return evolved


def _once(definitions: dict[str, Any]) -> Any:
    """The check of a reference, which remembers the valid values of what is repeated."""
    check: Any = Draft7Validator.VALIDATORS["$ref"]
    valid: set[tuple[str, str]] = set()
    named = {f"#/definitions/{name}": list(parts.get("properties", ())) for name, parts in definitions.items()}

    def checked(validator: Any, to: str, value: Any, schema: Any) -> Iterator[ValidationError]:
        if to not in _REPEATED:
            yield from check(validator, to, value, schema)
            return
        told = value
        if to in _OPEN and isinstance(value, dict):
            told = {name: value[name] for name in named[to] if name in value}
        key = (to, json.dumps(told))
        if key not in valid:
            errors = list(check(validator, to, value, schema))
            yield from errors
            if not errors:
                valid.add(key)
    return checked


def _place(steps: Iterable[str | int]) -> str:
    """A path in a document: benchmarks[3].axes."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)[1:]
