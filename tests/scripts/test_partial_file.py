"""FILE.partial of a program that was killed inside a write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import synthetic
from finesync.results.errors import UserError
from finesync.results.partial_file import read_partial

WRITES = [[{"name": f"{point} \u2028", "run_type": kind, "is_last": row == 2} for row in range(3)]
          for point in "abc" for kind in ("iteration", "aggregate")]
END = "\n  ]\n}\n"


def rows_of(writes: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [row for write in writes for row in write]


@pytest.mark.parametrize("ended", [1, 2, 5])
def test_a_torn_write_costs_its_own_rows_only(ended: int, tmp_path: Path) -> None:
    """The file before the write `ended`, with that write's first bytes over it."""
    partial = tmp_path / "r.json.partial"
    context = synthetic.context()
    before = synthetic.as_written(context, WRITES[:ended]).encode()
    after = synthetic.as_written(context, WRITES[:ended + 1]).encode()
    begin = len(before) - len(END)
    for bytes_written in range(len(after) - begin):
        torn = after[:begin + bytes_written]
        blanks = before[len(torn):] + b" " * (len(after) - max(len(before), len(torn)))
        for end in (blanks, b""):  # as the program leaves it; as a file system may
            partial.write_bytes(torn + end)
            found = read_partial(partial)
            assert found["context"] == context
            assert found["benchmarks"] in (rows_of(WRITES[:ended]), rows_of(WRITES[:ended + 1]))
    partial.write_bytes(after)
    assert read_partial(partial) == {"context": context, "benchmarks": rows_of(WRITES[:ended + 1])}


def test_a_torn_first_write_leaves_no_results(tmp_path: Path) -> None:
    partial = tmp_path / "r.json.partial"
    whole = synthetic.as_written(synthetic.context(), [[]]).encode()
    for torn in (b"", whole[:20], b" " * len(whole), whole[:20] + b" " * 80):
        partial.write_bytes(torn)
        with pytest.raises(UserError, match="not valid JSON"):
            read_partial(partial)


def test_what_is_no_results_file_is_refused(tmp_path: Path) -> None:
    partial = tmp_path / "r.json.partial"
    for text in ('{"context": {}', '{"context": {,\n"benchmarks": [\n'):
        partial.write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match="not valid JSON"):
            read_partial(partial)
    with pytest.raises(UserError, match="No such file"):
        read_partial(tmp_path / "nothing")
    partial.write_text(json.dumps({"context": {}, "benchmarks": []}), encoding="utf-8")
    assert read_partial(partial) == {"context": {}, "benchmarks": []}
