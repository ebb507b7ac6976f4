"""Files with odd contents: whatever is wrong with them, one line says so."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import synthetic
from conftest import ROOT
from finesync.results.errors import UserError
from finesync.results.loading import load_results
from finesync.sweep.completeness import missing_primitives
from finesync.sweep.plan import load_plan
from finesync.sweep.runner import summary
from finesync.sweep.store import Store
from finesync_inputs.sources import load_sources
from sweep_bench import Bench, one_line

ODD = (None, True, 7, -1, 2.5, "x", "", "x" * 300, [], [1], {}, {"a": 1}, 10**30)


def places(document: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all that a document holds, itself first."""
    yield before
    members = document.items() if isinstance(document, dict) else \
        enumerate(document) if isinstance(document, list) else ()
    for key, value in members:
        yield from places(value, (*before, key))


def refused(document: Any, use: Callable[[Any], Any], values: tuple[Any, ...] = ODD) -> int:
    """How many documents with one odd value in them are refused; no other error comes of any."""
    count = 0
    for place, value in itertools.product(places(document), values):
        whole = {"": copy.deepcopy(document)}
        inner: Any = whole
        for key in ("", *place)[:-1]:
            inner = inner[key]
        inner[("", *place)[-1]] = value
        try:
            use(whole[""])
        except UserError:
            count += 1
        except Exception as error:
            raise AssertionError(f"{value!r} at {place}") from error
    return count


def results() -> dict[str, Any]:
    rows = [*synthetic.rows("spin", {"tbs_per_sm": 1}, 2.0, 1)[:1],
            *synthetic.rows("tas", {"tbs_per_sm": 1}, 2.0, 1, "hung")]
    rows[0] |= {"tuned": {"axes": {"tbs_per_sm": 4}, "candidates_tried": 3}, "count_poll_global": 2,
                "inputs": {"seed": 7}, "items_per_second": 3.0}
    run = {"point": "a,b=1", "command": ["ht", "--tbs-per-sm", "1"], "program_sha256": "x", "elapsed_s": 1.0}
    return {"context": {**synthetic.context(), "executable": "ht",
                        "sweep": {"plan": "ht_gpu", "description": "", "points_planned": 1,
                                  "points_done": 1, "runs": [run]}}, "benchmarks": rows}


@pytest.mark.parametrize("values", [ODD[::2], pytest.param(ODD[1::2], marks=pytest.mark.long)],
                         ids=["half", "other half"])
def test_any_odd_value_in_results_is_taken_or_refused(values: tuple[Any, ...], tmp_path: Path) -> None:
    assert refused(results(), lambda document: missing_primitives(
        load_results(synthetic.write(tmp_path / "ht_gpu.json", document))), values) > 250


@pytest.mark.parametrize("axis", ["primitive", "status", "ended", "ok", "reason", "tuned", "axes",
                                  "effective", "seconds", "rate_low", "x y", ""])
def test_an_axis_is_no_field_of_a_row(tmp_path: Path, axis: str) -> None:
    document = results()
    document["benchmarks"][0]["axes"][axis] = 1
    with pytest.raises(UserError, match=r"not a finesync results file at benchmarks\[0\].axes"):
        load_results(synthetic.write(tmp_path / "ht_gpu.json", document))


@pytest.mark.parametrize("name", ["ended", "ok", "seconds", "seconds_low", "excluded"])
def test_a_number_cannot_take_the_place_of_a_column(tmp_path: Path, name: str) -> None:
    document, plain = results(), results()
    document["benchmarks"][0][name] = 3.5
    loaded, same = (load_results(synthetic.write(tmp_path / "ht_gpu.json", each)) for each in (document, plain))
    assert loaded.rows.equals(same.rows)


def test_any_odd_value_in_a_plan_is_taken_or_refused(bench: Bench) -> None:
    def use(document: Any) -> None:
        plan = load_plan(synthetic.write(bench.plan_file, document))
        for point in plan.points:
            Store(plan, bench.out).program_output(point).exists()
    assert refused(json.loads(bench.plan_file.read_text(encoding="utf-8")), use) > 0


def test_any_odd_value_in_kept_results_is_taken_or_left_out(bench: Bench) -> None:
    bench.plan(("spin",), axes={"primitive": ["spin"], "tbs-per-sm": [2]}, repetitions=1)
    bench.run()
    store = Store(load_plan(bench.plan_file), bench.out)
    kept = store.file(store.plan.points[0])
    few = (None, "x", {"a": 1})  # a file is written and synchronized for each

    def use(document: Any) -> None:
        synthetic.write(kept, document)
        if store.merge():
            summary(store)
            load_results(store.merged)
    refused(json.loads(kept.read_text(encoding="utf-8")), use, few)


def test_any_odd_value_in_a_list_of_inputs_is_taken_or_refused(tmp_path: Path) -> None:
    good = json.loads((ROOT / "inputs" / "sources.json").read_text(encoding="utf-8"))
    assert refused({"sources": good["sources"][:1]}, lambda document: [
        source.file_name for source in load_sources(synthetic.write(tmp_path / "s.json", document)).values()]) > 0


def test_a_long_name_is_refused(bench: Bench) -> None:
    bench.plan(name="x" * 300)
    one_line(bench.run("--list", code=2), "has more than 230 letters")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "1" * 5000], ids=["arrays", "objects", "digits"])
def test_a_document_without_bounds_is_refused(bench: Bench, text: str) -> None:
    bench.plan_file.write_text(text, encoding="utf-8")
    words = "nested too deeply" if text[0] in "[{" else "is out of range"
    one_line(bench.run(code=2), words)
    with pytest.raises(UserError, match=words):
        load_results(bench.plan_file)
