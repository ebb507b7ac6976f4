"""What results tell of the GPU's driver, card and clocks, and of samples that were throttled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import synthetic
from finesync.compare import circumstances
from finesync.figures.layout import provenance
from finesync.results.errors import UserError
from finesync.results.json_files import read_json
from finesync.results.loading import Results, load_results
from sweep_bench import Bench

Document = dict[str, Any]
THROTTLED = {"by": ["power brake"], "samples": 6, "kept": True}


def small(**gpu: Any) -> Document:
    """A results file of one point with three repetitions; None takes a fact of the GPU away."""
    known = {key: value for key, value in {**synthetic.GPU, **gpu}.items() if value is not None}
    return {"context": synthetic.context(program="mutex", gpu=known),
            "benchmarks": synthetic.point("spin", {"tbs_per_sm": 1}, [10.0, 10.1, 10.2])}


def of_schema_2(document: Document) -> Document:
    """As sweeps wrote it, by nvidia-smi."""
    document["context"]["finesync"]["schema_version"] = 2
    document["context"]["sweep"] = {"runs": [{
        "point": "p", "sm_clock_mhz": {"min": 345, "median": 1700, "max": 1980},
        "clock_samples": 9, "slowed_by": ["power cap"]}]}
    return document


def loaded(path: Path, document: Document) -> Results:
    return load_results(synthetic.write(path, document))


def refused(path: Path, document: Document) -> str:
    with pytest.raises(UserError) as caught:
        loaded(path, document)
    return str(caught.value)


def test_a_gpu_is_known_or_it_is_said_why_not(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    for fact in ("driver_version", "uuid"):
        assert "at context.finesync.gpu" in refused(path, small(**{fact: None}))
    why = {"driver_version": None, "uuid": None, "unmonitored": "no libnvidia-ml.so.1"}
    assert loaded(path, small(**why)).told("uuid") == []
    imitated = small()
    imitated["context"] = synthetic.context("host executor")
    assert not loaded(path, imitated).on_gpu


def test_files_of_schema_2_load(tmp_path: Path) -> None:
    results = loaded(tmp_path / "r.json", of_schema_2(small(driver_version=None, uuid=None)))
    assert results.told("driver_version") == []
    assert len(results.rows) == 3
    assert not results.rows["throttled"].any()


@pytest.mark.parametrize(("fact", "value", "said"), [
    ("throttled", {"by": ["power brake"]}, "benchmarks[0].throttled: 'samples' is a required"),
    ("throttled", {**THROTTLED, "samples": 0}, "benchmarks[0].throttled.samples: 0 is less than"),
    ("sm_clock_mhz", "fast", "benchmarks[0].sm_clock_mhz: 'fast' is not of type"),
    ("power_capped", 1, "benchmarks[0].power_capped: 1 is not of type")])
def test_odd_facts_of_samples_are_refused(tmp_path: Path, fact: str, value: Any, said: str) -> None:
    document = small()
    document["benchmarks"][0][fact] = value
    assert said in refused(tmp_path / "r.json", document)


def test_frames_have_the_clocks_and_what_kept_them_low(tmp_path: Path) -> None:
    document = small()
    for number, row in enumerate(document["benchmarks"]):
        row |= {"sm_clock_mhz": 1900 + number, "memory_clock_mhz": 2600}
    document["benchmarks"][0]["throttled"] = THROTTLED
    document["benchmarks"][1] |= {"throttled": {**THROTTLED, "kept": False}, "power_capped": True}
    results = loaded(tmp_path / "r.json", document)
    assert list(results.rows["throttled"]) == ["power brake", "", ""]
    assert list(results.rows["power_capped"]) == [False, True, False]
    assert list(results.points["sm_clock_mhz"]) == [1901]
    assert "1 of 3 samples throttled" in provenance(results)


def test_captions_name_the_driver_where_it_is_known(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    assert "1.98 GHz, driver 580.1, CUDA 13.0, " in provenance(loaded(path, small()))
    former = provenance(loaded(path, of_schema_2(small(driver_version=None, uuid=None))))
    assert "CUDA driver API 13.0, CUDA 13.0, " in former and "throttled" not in former
    several = small()
    several["context"]["sweep"] = {"runs": [{"driver_version": "580.1"}, {"driver_version": "590"}]}
    assert "driver 580.1 and 590, " in provenance(loaded(path, several))


def test_a_comparison_reads_the_clocks_of_schema_2(tmp_path: Path) -> None:
    now, before = loaded(tmp_path / "a.json", small()), loaded(tmp_path / "b.json", of_schema_2(small()))
    assert circumstances.differences([now], [before]) == [
        "median SM clock (MHz) unknown | 1700", "slowed by nothing | power cap"]


def test_a_sweep_keeps_the_driver_and_the_card_of_each_point(bench: Bench) -> None:
    bench.has_gpu()
    bench.plan(machine="gpu")
    done = bench.run()
    assert {(run["driver_version"], run["uuid"])
            for run in bench.merged()["context"]["sweep"]["runs"]} == {
        ("580.1", "GPU-00010203-0405")}
    assert "throttled" not in done.stdout and "will lack" not in done.stdout


def test_a_sweep_says_what_its_results_lack(bench: Bench) -> None:
    bench.has_gpu()
    bench.plan(("throttled", "unmonitored"), machine="gpu")
    done = bench.run()
    assert "4 rows were measured while the GPU was throttled (docs/suite/results.md)\n" in done.stdout
    assert "the results will lack driver, UUID and clocks: no library\n" in done.stdout


def test_points_of_schema_2_are_kept_and_merged(bench: Bench) -> None:
    bench.has_gpu()
    bench.plan(machine="gpu")
    bench.run()
    victim = next(bench.kept.glob("*.json"))
    document = of_schema_2(read_json(victim))
    document["context"]["sweep"] |= read_json(victim)["context"]["sweep"]
    for fact in ("driver_version", "uuid"):
        del document["context"]["finesync"]["gpu"][fact]
    synthetic.write(victim, document)
    assert "4 of 4 points are done and kept" in bench.run().stdout
    runs = bench.merged()["context"]["sweep"]["runs"]
    assert sorted("uuid" in run for run in runs) == [False, True, True, True]
