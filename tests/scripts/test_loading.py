"""Results files that must be refused, each in one clear line; and files that are written whole."""

from __future__ import annotations

import copy
import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import report
import synthetic
from finesync.results import loading
from finesync.results.errors import UserError
from finesync.results.json_files import write_json
from finesync.results.loading import load_once, load_results
from finesync.results.partial_file import read_partial
from finesync.results.recorded import of_folder


def small() -> dict[str, Any]:
    """A good results file of one point."""
    return {"context": synthetic.context(),
            "benchmarks": synthetic.rows("spin", {"collision_factor": 256, "tbs_per_sm": 1}, 2.0)}


def set_row(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["benchmarks"][0].__setitem__(key, value)


def without(key: str) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["benchmarks"][0].pop(key)


def set_context(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["context"]["finesync"].__setitem__(key, value)


def refuse(path: Path, words: str) -> None:
    """Checks that loading ends in one line with the file's name and these words."""
    with pytest.raises(UserError) as caught:
        load_results(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_good_file_loads(tmp_path: Path) -> None:
    results = load_results(synthetic.write(tmp_path / "good.json", small()))
    assert results.on_gpu
    assert results.gpu_name == "Test GPU 9000"
    assert len(results.rows) == 3
    assert results.rows["seconds"].between(0.0015, 0.0025).all()


def test_what_rows_repeat_is_checked_whenever_it_differs(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    for again in range(2):
        for value in (1, "1", True, 1.5, None):
            document = small()
            document["benchmarks"][0]["axes"]["tbs_per_sm"] = value
            synthetic.write(path, document)
            if isinstance(value, (bool, float, type(None))):
                refuse(path, f".axes.tbs_per_sm: {value} is not of type")  # its version chooses the row
            else:
                assert len(load_results(path).rows) == 3


def test_every_member_of_a_row_that_the_schema_names_is_checked_in_each_row(tmp_path: Path) -> None:
    for name, value in (("status", "fine"), ("sm_clock_mhz", 1.5), ("throttled", {"by": []}),
                        ("timeout", {"hung": 1}), ("tuned", {})):
        document = small()
        document["benchmarks"][2][name] = value
        refuse(synthetic.write(tmp_path / "file.json", document), "at benchmarks[2]")
    document = small()
    document["benchmarks"][1] = 5
    refuse(synthetic.write(tmp_path / "file.json", document), "benchmarks[1]: 5 is not of type")


def test_a_file_is_read_once_until_it_is_written_again(tmp_path: Path) -> None:
    path = synthetic.write(tmp_path / "file.json", small())
    first = load_once(path)
    assert load_once(path) is first
    document = small()
    document["benchmarks"] *= 2
    synthetic.write(path, document)
    assert [len(load_once(path).rows), len(first.rows)] == [6, 3]
    path.unlink()
    with pytest.raises(UserError, match="No such file"):
        load_once(path)


def test_a_report_and_its_judge_read_a_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    monkeypatch.setattr(loading, "read_results", lambda path: found.append(path) or small())
    paths = [synthetic.write(tmp_path / f"{program}_gpu.json", small()) for program in ("ht", "mutex")]
    for _ in range(2):
        report.main(["--only", *map(str, paths), "--out", str(tmp_path / "page.html")])
    assert of_folder(tmp_path).find("ht", "gpu") is not None and found == paths


def test_the_host_executor_has_no_times(tmp_path: Path) -> None:
    document = small()
    document["context"] = synthetic.context("host executor")
    results = load_results(synthetic.write(tmp_path / "host.json", document))
    assert not results.on_gpu
    assert results.rows["seconds"].isna().all()


def test_counts_without_what_ran_are_refused_too(tmp_path: Path) -> None:
    document = {**small(), "context": synthetic.context("host executor")}
    without("effective")(document)
    refuse(synthetic.write(tmp_path / "host.json", document), "'effective' is a required property")


def test_what_was_not_made_needs_not_say_what_ran(tmp_path: Path) -> None:
    made = [row for word in ("ok", "hung", "skipped", "error")
            for row in synthetic.rows("spin", {"of": word}, 2.0, 1, word)]
    document = {"context": synthetic.context(), "benchmarks": made}
    points = load_results(synthetic.write(tmp_path / "some.json", document)).points
    assert list(points["effective"]) == [{"blocks": 132, "threads_per_block": 256}] * 2 + [{}, {}]
    assert list(points["ended"]) == ["ok", "hung", "skipped", "error"]


@pytest.mark.parametrize(("change", "words"), [
    (set_context("schema_version", 1), "results of schema 1; these scripts read schemas 2 and 3: record "
     "them again (scripts/dev/record.sh)"),
    (set_context("schema_version", 4), "results of schema 4; these scripts read schemas 2 and 3"),
    (set_context("gpu", {"name": "GPU"}), "context.finesync.gpu: 'sms' is a required property"),
    (set_context("machine", "toaster"), "context.finesync.machine: 'toaster' is not one of"),
    (set_row("status", "fine"), "benchmarks[0].status: 'fine' is not one of"),
    (set_row("real_time", 0), "benchmarks[0].real_time: 0 is less than or equal to the minimum"),
    (set_row("real_time", "fast"), "'fast' is not of type 'number'"),
    (set_row("time_unit", "fortnight"), "benchmarks[0].time_unit: 'fortnight' is not one of"),
    (set_row("axes", None), "benchmarks[0].axes: None is not of type 'object'"),
    (set_row("axes", {"ring_slots": None}), "benchmarks[0].axes.ring_slots: None is not of type"),
    (set_row("axes", {"ring_slots": 0.5}), "benchmarks[0].axes.ring_slots: 0.5 is not of type"),
    (without("effective"), "at benchmarks[0]: 'effective' is a required property"),
    (set_row("effective", {"blocks": 132}), "benchmarks[0].effective: 'threads_per_block' is a required"),
    (set_row("effective", {"blocks": 13.2, "threads_per_block": 64}), "blocks: 13.2 is not of type"),
    (set_row("timeout", {"block": 3}), "benchmarks[0].timeout: 'thread' is a required property"),
    (set_row("primitive", None), "benchmarks[0].primitive: None is not of type"),
    (set_row("real_time", float("nan")), "NaN is not a number"),
    (set_row("lock_transfer_ns", float("inf")), "Infinity is not a number"),
    (lambda document: document.pop("benchmarks"), "'benchmarks' is a required property"),
    (lambda document: document["context"].pop("finesync"),
     "at context: 'finesync' is a required property"),
    (lambda document: document["benchmarks"].insert(0, 7),
     "benchmarks[0]: 7 is not of type 'object'"),
])
def test_a_bad_file_is_refused(tmp_path: Path, change: Callable[[dict[str, Any]], None], words: str) -> None:
    document = copy.deepcopy(small())
    change(document)
    refuse(synthetic.write(tmp_path / "bad.json", document), words)


def test_a_number_out_of_range_is_refused(tmp_path: Path) -> None:
    path = synthetic.write(tmp_path / "bad.json", small())
    path.write_text(path.read_text(encoding="utf-8").replace('"sms": 132', '"sms": 1e999'), encoding="utf-8")
    refuse(path, "1e999 is out of range")


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    text = json.dumps(small())
    path = tmp_path / "half.json"
    for length in (0, 1, len(text) // 2, len(text) - 1):
        path.write_text(text[:length], encoding="utf-8")
        refuse(path, "not valid JSON")


def test_a_missing_or_binary_file_is_refused(tmp_path: Path) -> None:
    refuse(tmp_path / "none.json", "No such file")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    refuse(tmp_path / "binary.json", "not a text file")


def test_a_compressed_file_reads_like_a_plain_one(tmp_path: Path) -> None:
    plain, packed = synthetic.write(tmp_path / "ht_gpu.json", small()), tmp_path / "ht_gpu.json.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert load_results(packed).rows.equals(load_results(plain).rows)
    assert load_results(packed).name == "ht_gpu"
    packed.write_bytes(packed.read_bytes()[:-20])
    refuse(packed, "not a whole gzip file")


def test_a_failed_write_keeps_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_json(path, {"good": 1})
    with pytest.raises(ValueError):
        write_json(path, {"bad": float("nan")})
    assert json.loads(path.read_text(encoding="utf-8")) == {"good": 1}
    (tmp_path / "taken").mkdir()
    with pytest.raises(UserError, match="cannot write"):
        write_json(tmp_path / "taken", {})
    assert sorted(os.listdir(tmp_path)) == ["results.json", "taken"]


# FILE.partial of a program that was killed inside a write.
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
