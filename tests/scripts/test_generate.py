"""The sources that are generated from a small catalogue, line by line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from finesync_catalogue import entries, generate

ENTRIES: list[dict[str, Any]] = [
    {"name": "alpha", "help": 'the "first"', "axes": ["ring"],
     "defaults": {"ring": 4, "slots": 8}, "headers": ["finesync/locks/a.cuh", "finesync/b.cuh"],
     "types": {"one": "a<x>", "one_without_backoff": "a<y>"}, "server_owns_data": True,
     "test_types": {"alpha": "a<1>", "alpha_small": "a<2>"}, "test_types_in_block": {"alpha": "a<3>"}},
    {"name": "beta", "cuda_only": True, "types": {"one": "b"}, "headers": ["finesync/c.cuh"]},
    {"name": "gamma", "needs": "nccl", "types": {"one": "c"}},
    {"name": "other_use", "types": {"many": "d"}},
    {"name": "left_out", "passes_value": True, "types": {"one": "e"}},
    {"name": "omega", "types": {"one": "o", "many": "p"}, "server_partitions_freely": True}]
FILES: dict[str, Any] = {
    "src/catalogue/locks.json": {"family": "locks", "primitives": ENTRIES},
    "src/catalogue/barriers.json": {"family": "barriers", "primitives": [{"name": "b", "types": {"one": "b"}}]},
    "workloads/prog/variants.json": {
        "program": "prog", "family": "locks", "after": "beta", "own_sources": ["gamma"],
        "axes": {"beta": ["pace"]}, "primitives": [
            {"name": "variant", "lacks": ["size"], "template": "special.cu.in", "may_be_wrong": "no order"},
            {"name": "by_hand", "lacks": ["size"]},
            {"name": "own", "lacks": ["size"], "experiment": "of<@ONE@>", "experiment_header": "prog/own.cuh", "types": {"one": "w"}}]},
    "workloads/prog/deep/variants.json": {
        "program": ["prog", "prog2"], "family": "flows", "roles": {"omega": "other"}, "primitives": [{"name": "flow", "lacks": ["depth"]}]},
    "workloads/prog2/variants.json": {
        "program": "prog2", "family": "locks", "axes": {"omega": ["no"]}, "primitives": [
            {"name": "no", "lacks": ["no"], "types": {"one": "n"}}]},
    "workloads/common/primitive.cu.in": "@NAME@|@NAMESPACE@|@INCLUDES@|@EXPERIMENT@",
    "workloads/prog/special.cu.in": "special @NAME@|@TYPE@|"}
ALPHA = ('{"alpha", "the \\"first\\"", make_alpha, {"ring", "depth", "size", "backoff", "block"}, '
         '{{"ring", 4}, {"slots", 8}}, "", false}')
VARIANT = '{"variant", "", make_variant, {"depth", "block"}, {}, "no order", false}'
BY_HAND = '{"by_hand", "", make_by_hand, {"depth"}, {}, "", false}'
OWN = '{"own", "", make_own, {"depth", "block"}, {}, "", false}'
OMEGA = '{"omega", "", make_omega, {"depth", "size", "block"}, {}, "", false}'


@pytest.fixture(name="tree")
def a_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small tree in place of the repository."""
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    for module in (entries, generate):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(entries, "documents", entries.documents.__wrapped__)  # reads anew
    return tmp_path


def generated(tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
              *options: str) -> list[str]:
    """What it prints, as paths below the folder of generated files."""
    monkeypatch.setattr(sys, "argv", ["generate.py", *options, "--family", "locks", "--into", str(tree / "made")])
    generate.main()
    said = capsys.readouterr().out
    return [str(Path(path).relative_to(tree / "made")) for path in said.split(";") if path]


PROGRAM = ("primitives", "--program", "prog", "--folder", "prog", "--namespace", "ours", "--use", "one",
           "--headers", "prog/x.cuh", "--experiment", "@TYPE@|@WITHOUT_BACKOFF@|@OWNS_DATA@|@PARTITIONS_FREELY@|@ONE@",
           "--axes", "block", "--without", "passes_value", "never")


@pytest.mark.parametrize("options, beta, gamma", [
    ((), "workload::needs_a_gpu<run_config>", "make_gamma"),
    (("--cuda", "--lacks", "nvshmem"), "make_beta", "make_gamma"),
    (("--cuda", "--lacks", "nvshmem", "nccl"), "make_beta", "workload::needs_nccl<run_config>")])
def test_a_program_has_its_primitives(tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
                                      options: tuple[str, ...], beta: str, gamma: str) -> None:
    printed = generated(tree, monkeypatch, capsys, *PROGRAM, *options)
    own = ["alpha", *["beta"] * (beta == "make_beta"), "variant", "own", "omega"]
    assert printed == ["workloads/prog/locks.cpp", *(f"workloads/prog/make_{name}.cu" for name in own)]
    made = tree / "made/workloads/prog"
    assert {path.name for path in made.iterdir()} == {Path(path).name for path in printed} | {
        "locks.hpp", "locks_makers.hpp"}
    lines = [line.strip().rstrip(",") for line in (made / "locks.cpp").read_text(encoding="utf-8").splitlines()]
    assert [line for line in lines if line.startswith('{"')] == [
        ALPHA, f'{{"beta", "", {beta}, {{"pace", "depth", "size", "block"}}, {{}}, "", false}}', VARIANT, BY_HAND, OWN,
        f'{{"gamma", "", {gamma}, {{"depth", "size"}}, {{}}, "", false}}', OMEGA]
    makers = [f"make_{name}" for name in [*own[:-2], "by_hand", "own", *["gamma"] * (gamma == "make_gamma"), "omega"]]
    assert f"make_experiment<run_config> {', '.join(makers)};" in (
        made / "locks_makers.hpp").read_text(encoding="utf-8")
    assert (made / "make_alpha.cu").read_text(encoding="utf-8") == (
        "alpha|ours|#include <finesync/locks/a.cuh>\n#include <finesync/b.cuh>\n#include <workloads/prog/x.cuh>|a<x>|a<y>|true|false|a<x>")
    assert (made / "make_omega.cu").read_text(encoding="utf-8") == "omega|ours|#include <workloads/prog/x.cuh>|o|void|false|true|o"
    assert (made / "make_own.cu").read_text(encoding="utf-8") == "own|ours|#include <workloads/prog/own.cuh>|of<w>"
    assert (made / "make_variant.cu").read_text(encoding="utf-8") == "special variant||"
    assert "namespace finesync::ours {" in (made / "locks.hpp").read_text(encoding="utf-8")


def test_tests_have_types_by_key_and_by_name(tree: Path, monkeypatch: pytest.MonkeyPatch,
                                             capsys: pytest.CaptureFixture[str]) -> None:
    extra = tree / "tests/library/locks/test_types.hpp"
    for number, found in enumerate((False, True)):
        assert not generated(tree, monkeypatch, capsys, "tested")
        text = (tree / "made/tests/catalogue/locks.hpp").read_text(encoding="utf-8")
        includes = ["finesync/locks/a.cuh", "finesync/b.cuh", *["tests/library/locks/test_types.hpp"] * found]
        assert text.count("#include <") == len(includes) + 1, number
        assert "\n".join(f"#include <{header}>" for header in includes) in text
        for key, names, types in (("test_types", '"alpha", "alpha_small", ', "a<1>,\n                 a<2>"),
                                  ("test_types_in_block", '"alpha", ', "a<3>"),
                                  ("types_by_name", '"alpha", ', "alpha_lock<scope::device>")):
            assert f"struct {key}_locks_names" in text
            assert f"{{{names}}};" in text
            assert f"tested_types<{key}_locks_names,\n                 {types}>;" in text
        extra.parent.mkdir(parents=True, exist_ok=True)
        extra.touch()


@pytest.mark.usefixtures("tree")
def test_roles_are_of_a_program() -> None:
    assert [entry.get("role") for program in ("prog", "prog2", "prog3")
            for entry in entries.family("locks", program) if entry["name"] == "omega"] == ["other", "other", None]


def test_a_file_that_stays_the_same_is_not_written(tree: Path) -> None:
    path = tree / "deep" / "file"
    generate.write(path, "one")
    path.chmod(0o400)
    before = path.stat().st_mtime_ns
    generate.write(path, "one")
    assert path.stat().st_mtime_ns == before
    path.chmod(0o600)
    generate.write(path, "two")
    assert path.read_text(encoding="utf-8") == "two"


def test_a_name_that_an_entry_lacks_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "workloads/prog/special.cu.in").write_text("@RING@", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"special.cu.in: variant: nothing is called @RING@; there are @NAME@, "):
        generated(tree, monkeypatch, capsys, *PROGRAM)
