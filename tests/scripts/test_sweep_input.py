"""Bad plans, folders and options: one clear line and exit status 2."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import ROOT
from finesync_results.plan import load_plan
from sweep_bench import Bench, one_line


@pytest.mark.parametrize(("changes", "words"), [
    ({"timeout_s": -1}, "must be positive"),
    ({"repetitions": "two"}, "'repetitions' has the wrong type"),
    ({"repetitions": True}, "'repetitions' has the wrong type"),
    ({"tune": "yes"}, "'tune' has the wrong type"),
    ({"tune": 1}, "'tune' has the wrong type"),
    ({"axes": {"primitive": "spin"}}, "axis 'primitive' needs a list"),
    ({"axes": {"primitive": []}}, "axis 'primitive' needs a list"),
    ({"axes": {"primitive": [1.5]}, "together": []}, "'primitive' has a bad name or the value 1.5"),
    ({"axes": {"primitive": ["a,b"]}, "together": []}, "the value 'a,b'"),
    ({"together": ["grid"]}, "'grid' in 'together' is not one of its axes"),
    ({"colour": "red"}, "unknown key 'colour'; known are name"),
    ({"program": "../ht"}, "program may hold only"),
    ({"axes": {"primitive": ["spin", "spin"]}, "together": []}, "two points are named"),
])
def test_a_bad_plan_is_one_clear_line(bench: Bench, changes: dict[str, Any], words: str) -> None:
    bench.plan(**changes)
    one_line(bench.run(code=2), words)
    assert not bench.starts()


@pytest.mark.parametrize(("text", "words"), [
    ("{", "not valid JSON (ends too early"),
    ("[]", "not a plan of schema version 1"),
    ('{"schema_version": 2}', "not a plan of schema version 1"),
    ('{"schema_version": 1}', "lacks 'description'"),
    ('{"schema_version": 1, "description": "", "machine": "cpu", "entries": []}', "'cpu'"),
    ('{"schema_version": 1, "description": "", "machine": "gpu", "entries": []}', "no points"),
])
def test_a_file_that_is_no_plan_is_one_clear_line(bench: Bench, text: str, words: str) -> None:
    bench.plan_file.write_text(text, encoding="utf-8")
    one_line(bench.run(code=2), words)


def test_other_bad_input_is_one_clear_line(bench: Bench) -> None:
    bench.plan(program="nothere")
    one_line(bench.run(code=2), "no program 'nothere'")
    bench.plan(machine="gpu")
    one_line(bench.run("--jobs", "2", code=2), "--jobs is for the host")
    bench.plan_file.unlink()
    one_line(bench.run(code=2), "No such file")


def test_an_unwritable_folder_is_one_clear_line(bench: Bench) -> None:
    # Under a file, since tests may run as root, who may write everywhere else.
    blocked = bench.folder / "file"
    blocked.write_text("", encoding="utf-8")
    bench.out = blocked / "out"
    one_line(bench.run(code=2), "cannot write there")
    assert not bench.starts()


@pytest.mark.parametrize(
    "option", [("--time-budget", "soon"), ("--shard", "3/2"), ("--jobs", "0")])
def test_bad_options_are_refused(bench: Bench, option: tuple[str, str]) -> None:
    assert option[1] in bench.run(*option, code=2).stderr


@pytest.mark.parametrize("name", [path.name for path in (ROOT / "scripts/plans").glob("*.json")])
def test_the_plans_of_the_tree_are_sound(name: str) -> None:
    plan = load_plan(ROOT / "scripts" / "plans" / name)
    assert plan.machine == ("gpu" if "gpu" in name else "host")
    assert all(point.axes["primitive"] for point in plan.points)
