"""What tests on the host executor counted, by claim and case: counts/claims.json of a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ..query.numbers import Spread, exactly
from . import schemas
from .json_files import once, read_json

FILE = Path("counts") / "claims.json"

Counts = Mapping[str, Mapping[str, Spread]]


def in_first(folders: Iterable[Path]) -> Counts:
    """The counts of the first folder that has some."""
    path = next((path for folder in folders if (path := folder / FILE).exists()), None)
    return {} if path is None else _read(path)


@once
def _read(path: Path) -> Counts:
    document = read_json(path)
    schemas.check(path, document, "counts")
    return {claim: {case: exactly(number["value"], number["runs"]) for case, number in own["cases"].items()}
            for claim, own in document["counts"].items()}
