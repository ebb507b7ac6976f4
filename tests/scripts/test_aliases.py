"""Names of the version before are read as today's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import synthetic
from finesync.results import aliases
from finesync.results.aliases import Aliases, aliases_of, read_plan, read_results
from finesync.results.catalogue import all_in
from finesync.results.json_files import read_json
from finesync.results.registry import workloads
from finesync_catalogue.entries import ALIASES
from sweep_bench import Bench

KNOWN: dict[str, Any] = read_json(ALIASES)
# A made-up history: nothing of it is a name of today.
HISTORY = Aliases(primitives={"old_lock": "spin"}, axes={"old-axis": "tbs-per-sm"},
                  values={"tbs-per-sm": {"few": "auto"}},
                  fields={"old": "effective", "old.count": "effective.blocks",
                          "context.finesync.card": "context.finesync.gpu"})


@pytest.fixture(name="history")
def fixture_history(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aliases, "aliases_of", lambda program: HISTORY)


@pytest.mark.usefixtures("history")
def test_an_old_row_is_read_as_new(tmp_path: Path) -> None:
    today = {"context": synthetic.context(),
             "benchmarks": synthetic.rows("spin", {"tbs_per_sm": "auto"}, 2.0, 1)}
    today["benchmarks"][0]["effective"]["tbs_per_sm"] = "auto"
    document = json.loads(json.dumps(today))
    ours = document["context"]["finesync"]
    ours["card"] = ours.pop("gpu")
    for row in document["benchmarks"]:
        row["primitive"] = "old_lock"
        del row["axes"]["tbs_per_sm"]
        row["axes"]["old_axis"] = "few"
        effective = row.pop("effective")
        row["old"] = {"count": effective.pop("blocks"), **effective, "tbs_per_sm": "few"}
    path = synthetic.write(tmp_path / "old.json", document)
    assert read_results(path)["context"] == today["context"]
    read = read_results(path)["benchmarks"][0]
    assert read == {**today["benchmarks"][0], "name": read["name"], "run_name": read["run_name"]}
    assert json.loads(path.read_text(encoding="utf-8")) == document


def test_names_of_points_rows_and_commands_follow() -> None:
    assert HISTORY.point("few,primitive=old_lock,old-axis=few") == \
        "few,primitive=spin,tbs-per-sm=auto"
    assert HISTORY.row_name("ht/primitive:old_lock/old_axis:few/n:2") == \
        "ht/primitive:spin/tbs_per_sm:auto/n:2"
    assert HISTORY.command(["ht", "--primitive", "mcs,old_lock", "--tune", "--old-axis", "few,2",
                            "--benchmark_repetitions=2"]) == \
        ["ht", "--primitive", "mcs,spin", "--tune", "--tbs-per-sm", "auto,2",
         "--benchmark_repetitions=2"]


@pytest.mark.usefixtures("history")
def test_a_plan_with_old_names_is_told_the_new(tmp_path: Path,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    entry = {"name": "few", "description": "", "figure": "", "together": ["old-axis"],
             "axes": {"primitive": ["old_lock", "mcs"], "old-axis": ["few", 2]},
             "repetitions": 1, "timeout_s": 1}
    path = synthetic.write(tmp_path / "plan.json", {
        "schema_version": 2, "program": "ht", "description": "", "machine": "host",
        "entries": [entry]})
    assert read_plan(path)["entries"] == [
        {**entry, "axes": {"primitive": ["spin", "mcs"], "tbs-per-sm": ["auto", 2]},
         "together": ["tbs-per-sm"]}]
    assert capsys.readouterr().err.splitlines() == [
        f"{path}: {line}" for line in ("old-axis is now tbs-per-sm", "old_lock is now spin",
                                       "few is now auto")]


def test_a_sweep_goes_on_from_points_with_old_names(bench: Bench) -> None:
    axis = "section-work"
    former = next(old for old, new in aliases_of("ht").axes.items() if new == axis)
    bench.plan(axes={"primitive": ["spin"], axis: [0, 1]}, together=[])
    bench.run()
    merged = bench.merged()
    for path in list(bench.kept.glob("*.json")):
        text = path.read_text(encoding="utf-8").replace(axis, former)
        path.unlink()
        path.with_name(path.name.replace(axis, former)).write_text(
            text.replace(axis.replace("-", "_"), former.replace("-", "_")), encoding="utf-8")
    assert len(list(bench.kept.glob(f"*{former}*"))) == 2
    bench.run()
    assert len(bench.starts()) == 2
    assert bench.merged() == merged


def test_no_name_is_old_and_new() -> None:
    """So a file with names of today is read as it is."""
    assert set(KNOWN) <= {*workloads(), "*"}
    for program in workloads():
        known = aliases_of(program)
        for names in (known.primitives, known.axes, known.fields, *known.values.values()):
            assert not set(names) & set(names.values()), program
        assert not set(known.primitives) & {entry["name"] for entry in all_in(program)}, program
