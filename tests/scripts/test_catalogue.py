"""Styles and names of the catalogue, and what workloads declare, against plans and runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import accepted
import figures
import pytest
import synthetic
from conftest import ROOT
from finesync.figures.styles import Styles
from finesync.results.errors import UserError
from finesync.results.catalogue import primitives_of, looks, primitives
from finesync.results.registry import plans, workloads
from finesync.sweep.plan import load_plan
from finesync_catalogue.entries import documents, is_for, is_made, lacked_axes


def names_of(*families: str, program: str = "") -> list[str]:
    """The names of all that has a style, variants too."""
    return [own["name"] for entry in primitives(families, program) for own in looks(entry)]


def names_in(program: str) -> set[str]:
    """The names of all that competes in a program."""
    own = workloads()[program]
    return {entry["name"] for entry in primitives_of(program, own.families, own.without)}


def names_on_gpus(program: str) -> set[str]:
    """The names of all that it runs only on several GPUs."""
    return {entry["name"] for entry in primitives_of(program, workloads()[program].gpus_families)}


@pytest.mark.parametrize("families, program", [
    *(((path.stem,), "") for path in sorted((ROOT / "src" / "catalogue").glob("*.json"))),
    *((tuple(own.families), own.program) for own in workloads().values())])
def test_no_two_of_a_family_or_a_workload_look_alike(families: tuple[str, ...], program: str) -> None:
    names = names_of(*families, program=program)
    assert len(set(names)) == len(names)
    styles = [Styles(*families, program=program)[name] for name in names]
    for part in ("label", "colour", "marker"):
        assert len({getattr(style, part) for style in styles}) == len(styles), part


def programs_of(document: dict[str, Any]) -> list[str]:
    """The programs that a file is for; "" stands for all."""
    named = document.get("program", "")
    return named if isinstance(named, list) else [named]


def test_a_file_of_variants_is_for_one_program_for_several_or_for_all() -> None:
    assert [is_for(document, "bfs") for document in
            ({}, {"program": "bfs"}, {"program": "bf"}, {"program": ["sssp", "bfs"]},
             {"program": ["sssp"]})] == [True, True, False, True, False]


def test_without_an_entry_the_style_is_one_s_own_and_always_the_same() -> None:
    known = [Styles(document["family"], program=program)[entry["name"]]
             for document in documents() for program in programs_of(document)
             for entry in document["primitives"]]
    own = [Styles("locks")[f"new_{number}"] for number in range(20)]
    assert own == [Styles("barriers")[f"new_{number}"] for number in range(20)]
    assert len({(style.colour, style.marker, style.hatch) for style in own}) == len(own)
    assert not {style.colour for style in own} & {style.colour for style in known}
    assert not {style.marker for style in own} & {style.marker for style in known}


def test_the_documents_say_what_an_entry_holds() -> None:
    text = (ROOT / "docs" / "suite" / "extending.md").read_text(encoding="utf-8")
    said = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", text, re.MULTILINE))))
    schema = json.loads((ROOT / "scripts" / "finesync" / "results" / "schemas" /
                         "catalogue.schema.json").read_text(encoding="utf-8"))
    known = {*schema["properties"], *schema["definitions"]["primitive"]["properties"]}
    assert {key for key in said if not key.startswith("test_types")} == known


@pytest.mark.parametrize("program", workloads())
def test_the_plan_for_a_gpu_runs_every_primitive_and_no_other(program: str) -> None:
    workload = workloads()[program]
    run = {name for path in plans("gpu") for point in load_plan(path).points
           if point.program == program for name in map(str, point.axes["primitive"])}
    assert run == names_in(program)
    on_gpus = {name for path in plans("gpus") for point in load_plan(path).points
               if point.program == program for name in map(str, point.axes["primitive"])}
    of_library = {library: {entry["name"] for document in documents() for entry in document["primitives"]
                            if entry.get("needs") == library} for library in ("nccl", "nvshmem")}
    with_library = set().union(*of_library.values())
    assert on_gpus - names_in(program) == names_on_gpus(program) - with_library
    for library in ("nccl", "nvshmem"):
        by_processes = {name for path in plans(library) for point in load_plan(path).points
                        if point.program == program for name in map(str, point.axes["primitive"])}
        assert not by_processes or by_processes == names_on_gpus(program) - with_library.difference(of_library[library])
    assert run <= set(names_of(*workload.families, program=program))


def without_prose(part: Any) -> Any:
    """The same without what is for readers alone."""
    if isinstance(part, dict):
        return {key: without_prose(own) for key, own in part.items() if key not in ("description", "help")}
    return [without_prose(own) for own in part] if isinstance(part, list) else part


def test_plans_and_catalogue_are_as_accepted(accept: bool) -> None:
    """A value that goes missing in a plan would be missed only where somebody looks for its row."""
    for kind, places in (("plans", "workloads/**/plans/*.json"), ("variants", "workloads/**/variants.json"),
                         ("catalogue", "src/catalogue/*.json")):
        accepted.compare(accept, kind, {
            "/".join(path.relative_to(ROOT).with_suffix("").parts[1:]): accepted.digest(
                without_prose(json.loads(path.read_text(encoding="utf-8")))) for path in ROOT.glob(places)})


def own_axes(program: str) -> dict[str, set[str]]:
    """The axes of each primitive of a program that not all of them have: those of its entry, those that only others
    lack and, where it is made of the template, the workload's own and the choice of back-off."""
    made = re.compile(rf"finesync_primitives\({program} (\w+) TYPE (\w+)[^)]*?(?:AXES ([^A-Z)]*))?"
                      r"(?:EXCEPT ([^)]*))?\)")
    found: dict[str, set[str]] = {}
    for path in (ROOT / "workloads").glob("*/CMakeLists.txt"):
        for family, use, axes, without in made.findall(path.read_text(encoding="utf-8")):
            for entry in primitives_of(program, {family: use}, without.split()):
                types = entry.get("types", {})
                found[entry["name"]] = {
                    *entry.get("axes", ()), *set(lacked_axes(program)).difference(entry.get("lacks", ())),
                    *(axes.split() if is_made(entry, use) else ()),
                    *({"backoff"} if f"{use}_without_backoff" in types else ())}
    return found


@pytest.mark.parametrize(
    "path", [path for kind in ("gpu", "gpus", "host", "gpu_traffic") for path in plans(kind)],
    ids=lambda path: "/".join(path.parts[-3::2]))
def test_no_process_of_a_plan_is_given_an_axis_that_none_of_its_primitives_has(path: Path) -> None:
    plan = load_plan(path)
    own = own_axes(plan.program)
    assert set(own) == names_in(plan.program) | names_on_gpus(plan.program)
    for point in plan.points:
        given = {*point.axes, *point.options} & set().union(*own.values())
        assert given <= set().union(*(own[name] for name in point.axes["primitive"])), point.name


def whole_run(program: str, without: str) -> dict[str, Any]:
    """The results of a whole plan, a row for each primitive but one."""
    (plan,) = (plan for plan in map(load_plan, plans("gpu")) if plan.program == program)
    rows = [row for name in names_in(program) - {without}
            for row in synthetic.rows(name, {"tbs_per_sm": 1, "collision_factor": 256}, 1.0, 1)]
    runs = [{"point": point.name, "command": point.command()} for point in plan.points]
    return {"context": {**synthetic.context(program=program), "sweep": {"runs": runs}}, "benchmarks": rows}


def test_a_primitive_that_a_whole_run_lacks_is_an_error_of_one_line(tmp_path: Path) -> None:
    document = whole_run("ht", without="mcs")
    path = synthetic.write(tmp_path / "ht_gpu.json", document)
    with pytest.raises(UserError, match=f"^{path} has no rows of mcs, which are declared for ht "
                                        "but not run by its plan$"):
        figures.main([str(path), "--only"])
    document["context"]["sweep"]["runs"].pop()  # a plan that was changed since, or is not finished
    path.write_text(json.dumps(document), encoding="utf-8")
    assert figures.main([str(path), "--only"]) == 0
