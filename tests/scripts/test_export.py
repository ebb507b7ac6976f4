"""Results as one table for other programs, and for pandas."""

from __future__ import annotations

import csv
import io
import os
import re
import sys
from pathlib import Path

import export
import pytest
import synthetic
from conftest import ROOT
from scratch import ran
from tables import results_of


def exported(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, str]]:
    assert export.main([*arguments]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def two_files(folder: Path) -> list[str]:
    """A program with four repetitions at two points, one of which failed; and another one."""
    axes = {"tbs_per_sm": 1, "collision_factor": 256}
    hung = synthetic.rows("tas", axes, None, 4, "hung")
    for row in hung:
        del row["effective"]
    return [str(results_of(folder, "ht", synthetic.rows("spin", axes, 8.0, 4), hung).path),
            str(results_of(folder, "mutex", synthetic.rows("ticket", {"rounds": 2}, 1.0, 4)).path)]


def test_a_line_is_a_point_with_its_quartiles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spin, tas, ticket = exported(capsys, *two_files(tmp_path))
    assert (spin["program"], spin["primitive"], spin["collision_factor"]) == ("ht", "spin", "256")
    assert (spin["gpu"], spin["tuned"], spin["ended"]) == (synthetic.context()["finesync"]["gpu"][
        "name"], "False", "ok")
    assert float(spin["seconds_low"]) < float(spin["seconds"]) < float(spin["seconds_high"])
    assert spin["effective.blocks"] and not tas["effective.blocks"]
    assert (tas["ended"], tas["seconds"]) == ("hung", "")
    assert (ticket["program"], ticket["rounds"], ticket["collision_factor"]) == ("mutex", "2", "")
    assert (spin["planned"], spin["cards"]) == ("", synthetic.GPU["uuid"])
    assert not any("{" in cell or "(" in cell for cell in spin.values())
    assert not {"axes", "family_index", "cpu_time_low", "repetition_index_high"} & set(spin)


def test_a_line_may_be_a_repetition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = exported(capsys, *two_files(tmp_path), "--repetitions")
    runs = [row for row in rows if row["primitive"] == "spin"]
    assert [float(row["repetition_index"]) for row in runs] == [0, 1, 2, 3]
    assert len({row["seconds"] for row in runs}) == 4 and "seconds_low" not in runs[0]


def test_the_example_for_pandas_runs_as_documented() -> None:
    document = (ROOT / "docs" / "suite" / "results.md").read_text(encoding="utf-8")
    (code,) = (code for code in re.findall(r"```python\n(.*?)```", document, re.S) if "load_results" in code)
    done = ran(sys.executable, "-c", code, cwd=ROOT, env={**os.environ, "PYTHONPATH": "scripts"})
    assert done.stderr == "" and "mcs" in done.stdout
