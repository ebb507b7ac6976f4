"""Results are written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from finesync_results.errors import UserError
from finesync_results.json_files import write_json


def test_a_failed_write_keeps_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_json(path, {"good": 1})
    with pytest.raises(ValueError):
        write_json(path, {"bad": float("nan")})
    assert json.loads(path.read_text(encoding="utf-8")) == {"good": 1}
    assert os.listdir(tmp_path) == ["results.json"]


def test_a_file_that_cannot_be_replaced_is_a_user_error(tmp_path: Path) -> None:
    target = tmp_path / "taken"
    target.mkdir()
    with pytest.raises(UserError, match="cannot write"):
        write_json(target, {})
    assert os.listdir(tmp_path) == ["taken"]
