"""Bad plans, folders and options: one clear line and exit status 2."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import synthetic
from finesync.results.errors import UserError
from finesync.results.registry import plans, workload_named
from finesync.sweep.plan import PlannedPoint, load_plan
from finesync.sweep.store import Store
from sweep_bench import Bench, one_line

PLAN = '{"schema_version": 2, "program": "x", "description": "", "machine": "gpu", "entries": []}'


@pytest.mark.parametrize(("changes", "words"), [
    ({"timeout_s": -1}, "at entries[0].timeout_s: -1 is less than"),
    ({"timeout_s": 0}, "at entries[0].timeout_s: 0 is less than or equal to the minimum"),
    ({"repetitions": 0}, "at entries[0].repetitions: 0 is less than"),
    ({"repetitions": "two"}, "at entries[0].repetitions: 'two' is not of type 'integer'"),
    ({"repetitions": True}, "True is not of type 'integer'"),
    ({"tune": "yes"}, "'yes' is not of type 'boolean'"),
    ({"tune": 1}, "1 is not of type 'boolean'"),
    ({"axes": {"primitive": "spin"}}, "entries[0].axes.primitive: 'spin' is not of type 'array'"),
    ({"axes": {"primitive": []}}, "at entries[0].axes.primitive: [] "),
    ({"axes": {"primitive": [1.5]}, "together": []}, "1.5 is not of type"),
    ({"axes": {"primitive": [True]}, "together": []}, "True is not of type"),
    ({"axes": {"primitive": ["a,b"]}, "together": []}, "'a,b' does not match"),
    ({"axes": {"a b": [1]}, "together": []}, "'a b' does not match"),
    ({"options": {"size": None}}, "at entries[0].options.size: None is not of type"),
    ({"together": ["grid"]}, "'grid' in 'together' is not one of its axes"),
    ({"colour": "red"}, "('colour' was unexpected)"),
    ({"program": "../ht"}, "at program: '../ht' does not match"),
    ({"axes": {"primitive": ["spin", "spin"]}, "together": []}, "two points are named"),
])
def test_a_bad_plan_is_one_clear_line(bench: Bench, changes: dict[str, Any], words: str) -> None:
    bench.plan(**changes)
    one_line(bench.run(code=2), words)
    assert not bench.starts()


@pytest.mark.parametrize(("text", "words"), [
    ("{", "not valid JSON (ends too early"),
    ("[]", "not a sweep plan: [] is not of type 'object'"),
    ('{"schema_version": 2}', "is a required property"),
    (PLAN.replace("2", "1"), "at schema_version: 2 was expected"),
    (PLAN.replace("gpu", "cpu"), "at machine: 'cpu' is not one of ['gpu', 'host']"),
    (PLAN, "at entries: [] "),
])
def test_a_file_that_is_no_plan_is_one_clear_line(bench: Bench, text: str, words: str) -> None:
    bench.plan_file.write_text(text, encoding="utf-8")
    one_line(bench.run(code=2), words)


def test_a_plan_is_made_from_another(bench: Bench) -> None:
    bench.plan(axes={"primitive": ["spin", "mcs"], "tbs-per-sm": [1, 2]}, together=["tbs-per-sm"])
    (entry,) = json.loads(bench.plan_file.read_text(encoding="utf-8"))["entries"]
    path = bench.plan_file.with_name("other.json")

    def made(**parts: Any) -> list[PlannedPoint]:
        synthetic.write(path, {"schema_version": 2, "program": "ht", "description": "", "machine": "gpu",
                               "from": bench.plan_file.name, **parts})
        return load_plan(path).points

    assert made() == [replace(point, program="ht") for point in load_plan(bench.plan_file).points]
    own = {"of": entry["name"], "name": "few", "axes": {"primitive": ["spin"]}, "timeout_s": 3}
    (point,) = made(entries=[own], changes={"options": {"engine": "peers"}, "timeout_s": 2, "repetitions": 7})
    assert (point.name, point.axes) == ("few", {"primitive": ["spin"], "tbs-per-sm": [1, 2]})
    assert (point.options["engine"], point.repetitions, point.timeout_s) == ("peers", 7, 3.0)
    assert made(without=[entry["name"]]) == []
    for parts, words in (({"entries": [{"of": "none"}]}, "has no entry 'none'"),
                         ({"entries": [{"name": "few"}]}, "'of' is a required property"),
                         ({"from": path.name}, "is made from another plan itself")):
        with pytest.raises(UserError, match=words):
            made(**parts)


def test_other_bad_input_is_one_clear_line(bench: Bench) -> None:
    bench.plan(program="nothere")
    one_line(bench.run(code=2), "no program 'nothere' in ")
    one_line(bench.run(code=2), "; build it with: cmake --preset host && cmake --build --preset host "
                                "--target nothere")
    listed = bench.run("--list").stdout.splitlines()
    assert len(listed) == 4 and all("\tits program is not built\tnothere " in line for line in listed)
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


@pytest.mark.parametrize("option", [("--time-budget", "soon"), ("--shard", "3/2"), ("--jobs", "0")])
def test_bad_options_are_refused(bench: Bench, option: tuple[str, str]) -> None:
    assert option[1] in bench.run(*option, code=2).stderr


@pytest.mark.parametrize("kind", ["gpu", "host", "gpu_traffic"])
def test_the_plans_of_the_tree_are_sound(kind: str) -> None:
    found = [load_plan(path) for path in plans(kind)]
    assert len(found) >= 4
    for plan in found:
        assert plan.machine == kind.split("_", maxsplit=1)[0]
        assert all(point.axes["primitive"] for point in plan.points)
        assert plan.name == f"{workload_named(plan.program).program}_{kind}"


def test_a_generator_of_another_size_is_an_option_and_rows_have_a_dash(bench: Bench) -> None:
    bench.plan(primitives=("silent",), options={"input": "road/264346"})
    bench.run(code=1)
    assert any("--input road/264346" in start for start in bench.starts())
    assert {row["axes"]["input"] for row in bench.merged()["benchmarks"]} == {"road-264346"}
    bench.plan(options={"input": "../road"})
    one_line(bench.run(code=2), "'../road' does not match")


def test_an_entry_of_a_file_that_was_not_fetched_is_left_out(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(bench.folder)
    bench.plan(options={"input": "inputs/fetched/road-ny/ny.gr"})
    assert load_plan(bench.plan_file).points == []
    file = bench.folder / "inputs" / "fetched" / "road-ny" / "ny.gr"
    file.parent.mkdir(parents=True)
    file.touch()
    assert len(load_plan(bench.plan_file).points) == 4


def test_a_merged_file_has_the_context_of_the_newest_point_and_a_record_of_each(bench: Bench) -> None:
    plan = load_plan(bench.plan_file)
    store = Store(plan, bench.out)
    days = ("2026-01-02", "2026-03-04", "2026-02-03", "")
    for number, (point, day) in enumerate(zip(plan.points, days)):
        ours = synthetic.context(date=day, host=f"node{number}", git_dirty=number == 1,
                                 gpu={**synthetic.GPU, "driver_version": f"58{number}"})
        if not day:  # an error row of a process that left nothing
            del ours["finesync"]["gpu"]
        store.save(point, {"benchmarks": synthetic.point("spin", {"of": number}, [1.0, 2.0]), "context": {
            **ours, "date": day or "2026-05-06", "executable": f"/a/{number}/ht",
            "sweep": {"command": point.command(), "elapsed_s": number}}})
    assert store.merge() == 4 and store.left_out == {}
    document = bench.merged()
    context = document["context"]
    assert [row["axes"]["of"] for row in document["benchmarks"]] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert (context["date"], context["executable"], context["finesync"]["host"],
            context["finesync"]["command_line"]) == ("2026-03-04", "ht", "node1", ["sweep.py", "ht_small"])
    assert {name: context["sweep"][name] for name in context["sweep"] if name != "runs"} == {
        "plan": "ht_small", "description": "a test", "points_planned": 4, "points_done": 4}
    run = context["sweep"]["runs"][1]
    assert run == {"point": plan.points[1].name, "command": plan.points[1].command(), "elapsed_s": 1,
                   "date": "2026-03-04", "host": "node1", "git_revision": "0123456789abcdef",
                   "git_dirty": True, "driver_version": "581", "uuid": synthetic.GPU["uuid"],
                   "rows": 2}
    assert "driver_version" not in context["sweep"]["runs"][3]
