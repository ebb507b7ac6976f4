"""Two builds in turns: which process runs when, what is kept, and how the pairs are compared."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import synthetic
from finesync.compare.significance import p_values_of_pairs
from finesync.results.loading import load_results
from scratch import executable
from sweep_bench import FAKE, Bench, one_line, wait_until
from test_compare import compared


class Two(Bench):
    """A bench with two builds of the fake program, on a GPU."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.noted = folder / "turns"
        self.noted.touch()
        for build in "AB":
            programs = folder / build / "bin"
            (programs / "fake").mkdir(parents=True)
            (programs / "fake" / "ht").symlink_to(FAKE)
            (programs / "fake" / "hold").symlink_to(self.hold)
            (programs / "fake" / "gpu").touch()
            executable(programs / "ht", f"#!/bin/bash\necho -n {build} >>{self.noted}\n"
                                        f'exec {programs}/fake/ht "$@"\n')
        self.plan(machine="gpu", repetitions=3)

    def command(self, *options: str) -> list[str]:
        words = super().command(*options)
        place = words.index("--bin-dir")
        return [*words[:place], *words[place + 2:], "--interleave", str(self.folder / "A"), str(self.folder / "B")]

    def turns(self) -> str:
        return self.noted.read_text(encoding="utf-8")

    def side(self, name: str) -> list[dict[str, Any]]:
        """The merged rows of a build."""
        text = (self.out / name / "ht_small.json").read_text(encoding="utf-8")
        rows: list[dict[str, Any]] = json.loads(text)["benchmarks"]
        return rows


@pytest.fixture(name="two")
def fixture_two(tmp_path: Path) -> Two:
    return Two(tmp_path)


def test_each_repetition_runs_both_and_the_order_alternates(two: Two) -> None:
    done = two.run()
    assert two.turns() == "ABBAAB" + "BAABBA" + "ABBAAB" + "BAABBA"
    assert "compare them: scripts/compare.py " in done.stdout
    for name in "ab":
        results = load_results(two.out / name / "ht_small.json")
        assert len(results.rows) == 4 * 2 * 3
        assert (results.points["repetition_index"] == 1).all()
        assert {row["repetitions"] for row in two.side(name)} == {3}
    pairs = [[(row["interleaved"], row["repetition_index"]) for row in two.side(name)] for name in "ab"]
    assert pairs[0] == pairs[1]
    assert len(set(pairs[0])) == 4 * 3


def test_finished_points_are_kept_for_both_or_none(two: Two) -> None:
    two.run()
    assert "4 of 4 points are done and kept" in two.run().stdout
    assert len(two.turns()) == 24
    kept = sorted((two.out / "b" / "points" / "ht_small").glob("*.json"))
    kept[0].unlink()
    two.run()
    assert len(two.turns()) == 30
    with synthetic.changed(kept[1]) as document:
        for row in document["benchmarks"]:
            row["interleaved"] = "another run"
    assert "1 points run again: kept results of the two builds are not of one run" in two.run().stdout
    assert len(two.turns()) == 36


def test_a_new_build_of_one_side_runs_both_again(two: Two) -> None:
    two.run()
    program = two.folder / "B" / "bin" / "ht"
    program.write_text(program.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    assert "4 points run again: kept results were made by another build of ht" in two.run().stdout
    assert len(two.turns()) == 48


def test_a_signal_keeps_whole_points(two: Two) -> None:
    two.plan(("spin", "held"), machine="gpu", repetitions=3)
    two.hold.touch()
    running = subprocess.Popen(two.command(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: len(two.turns()) == 7)
    running.send_signal(signal.SIGTERM)
    _, errors = running.communicate(timeout=15)
    assert running.returncode == 143
    assert errors.splitlines() == ["stopped by SIGTERM: 1 of 4 points are finished and kept; run it "
                                   "again to go on"]
    for name in "ab":
        assert len(list((two.out / name / "points" / "ht_small").iterdir())) == 1
    two.hold.unlink()
    two.run()
    assert len(two.turns()) == 7 + 18


def test_a_budget_ends_it_and_shards_and_merges_are_as_ever(two: Two) -> None:
    assert "4 of 4 points left" in two.run("--time-budget", "0s", code=3).stdout
    assert len(two.run("--list").stdout.splitlines()) == 4
    two.run("--shard", "1/2")
    assert two.run("--merge-only", code=3).stdout.endswith("2 of 4 points merged\n" * 2)
    two.run("--shard", "2/2")
    two.run("--merge-only")


def test_where_a_side_has_no_good_row_nothing_is_repeated(two: Two) -> None:
    two.plan(("silent", "spin"), machine="gpu", repetitions=3)
    two.run(code=1)
    assert two.turns() == "AB" + "BAABBA" + "AB" + "BAABBA"
    assert [row["reason"] for row in two.side("a") if row["primitive"] == "silent"] == [
        "no row in its results (exit status 2: fake: out of luck)"] * 4
    # Also if it is only one side.
    program = two.folder / "B" / "bin" / "ht"
    program.write_text(program.read_text(encoding="utf-8").replace(
        "exec", "[[ $* == *spin* ]] || exit 3\nexec"), encoding="utf-8")
    two.plan(("ticket", "spin"), machine="gpu", repetitions=3)
    two.noted.write_text("")
    two.run(code=1)
    assert two.turns() == "AB" + "BAABBA" + "AB" + "BAABBA"
    assert {row["status"] for row in two.side("b") if row["primitive"] == "ticket"} == {"error"}


def test_what_cannot_be_is_one_line(two: Two) -> None:
    one_line(two.run("--bin-dir", "x", code=2), "not allowed with argument")
    two.plan()
    one_line(two.run("--jobs", "2", code=2), "--jobs: builds run in turns only if one process runs")
    (two.folder / "B" / "bin" / "ht").unlink()
    one_line(two.run(code=2), f"no program 'ht' in {two.folder / 'B' / 'bin'}")


def runs(drift: float, scale: float) -> list[dict[str, Any]]:
    """Two runs of 100 points with the same drift, which is far larger than their difference."""
    random = np.random.default_rng(1)
    documents: list[dict[str, Any]] = [
        {"context": synthetic.context(program="mutex"), "benchmarks": []} for _ in range(2)]
    for point in range(100):
        common = 10 * (1 + random.uniform(0, drift, 7))
        for document, factor in zip(documents, (1, scale)):
            noisy = common * factor * (1 + random.normal(0, 0.002, 7))
            made = synthetic.point(f"lock_{point}", {"tbs_per_sm": 1}, noisy.tolist())
            document["benchmarks"] += [{**row, "interleaved": f"p{point}"} for row in made]
    return documents


def test_pairs_show_what_drift_hides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = runs(drift=0.3, scale=0.97)
    status, table = compared(tmp_path, *documents)
    assert (status, table["paired"].all()) == (1, True)
    assert (table["verdict"] == "faster").mean() > 0.95
    assert table["ratio"].between(0.96, 0.98).all()
    assert "100 points measured in turns, compared in pairs" in capsys.readouterr().out
    for row in documents[0]["benchmarks"]:
        row["interleaved"] = "another run"
    status, table = compared(tmp_path, *documents)
    assert (status, table["paired"].any()) == (0, False)


def test_chance_in_pairs_is_as_frequent_as_it_should_be() -> None:
    random = np.random.default_rng(3)
    for number in (3, 5, 10):
        common = random.normal(100, 20, (1000, number)).clip(20)
        a, b = (common * (1 + random.normal(0, 0.01, common.shape)) for _ in range(2))
        p = p_values_of_pairs(a, b, 0.01)
        assert 0.4 < p.mean() < 0.6
        assert 0.002 < (p <= 0.01).mean() < 0.03
