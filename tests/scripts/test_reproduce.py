"""Which claims some minutes decide: the choice of points, and the script that runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import synthetic
from conftest import ROOT
from finesync import reproduce
from finesync.claims import commands, ledger
from finesync.claims.ledger import Claim
from finesync.reproduce import TRAFFIC, Measurement, Paper, Point, Step
from finesync.results import recorded
from finesync.sweep.store import is_of
from scratch import ran

A, B, C, D = (Point("gpu", "ht", name) for name in "abcd")
OF_A = Point(TRAFFIC, "ht", "of a")


def paper(**needed: set[Point]) -> Paper:
    """Of points that take 10, 20, 40 and 1,000 s, and of a traffic point of 5 s."""
    return Paper({number: frozenset(points) for number, points in needed.items()},
                 {A: 10.0, B: 20.0, C: 40.0, D: 1000.0, OF_A: 5.0}, {"X9": "no rows can tell"}, {}, "test-gpu")


def order(steps: list[Step]) -> list[tuple[str, ...]]:
    return [step.claims for step in steps]


def test_the_most_verdicts_per_minute_come_first() -> None:
    steps = reproduce.chosen(paper(X1={A}, X2={B}, X3={B}, X4={A, C}, X0=set()), 1e9)
    # A decides one claim in 10 s, B two in 20 s; then X4 lacks only C.
    assert order(steps) == [("X0",), ("X1",), ("X2", "X3"), ("X4",)]
    assert [step.seconds for step in steps] == [0, 10, 20, 40]
    steps = reproduce.chosen(paper(X1={C}, X2={A, B}, X3={A, B}, X4={B}), 1e9)
    assert order(steps) == [("X2", "X3", "X4"), ("X1",)]
    assert [step.seconds for step in steps] == [30, 40]


def test_no_step_goes_beyond_the_limit_and_what_is_done_costs_nothing() -> None:
    own = paper(X1={A}, X2={B, C}, X3={D})
    assert order(reproduce.chosen(own, 69.0)) == [("X1",)]
    assert order(reproduce.chosen(own, 70.0)) == [("X1",), ("X2",)]
    assert order(reproduce.chosen(own, 10.0, frozenset({D, C}))) == [("X3",), ("X1",)]
    assert order(reproduce.chosen(own, 5.0)) == []


def test_it_says_what_will_be_decided_and_what_will_not(capsys: pytest.CaptureFixture[str]) -> None:
    own = paper(X0=set(), X1={A}, X2={B, C}, X3={A, D})
    reproduce.announce("thesis", own, reproduce.chosen(own, 70), frozenset())
    assert capsys.readouterr().out.splitlines() == [
        "thesis: 3 of 5 claims in about 1.2 min, by what the points took on the test-gpu:",
        "    0.0 min  X0 (nothing to measure)", "    0.2 min  X1", "    1.2 min  X2",
        "not in this time: X3 (16.7 min more)", "not at all: X9: no rows can tell"]


def written(folder: Path, program: str, kind: str, points: dict[str, tuple[float, synthetic.Rows]],
            **changes: object) -> None:
    """A merged file: the seconds and the rows of each point of the plan."""
    runs = [{"point": name, "elapsed_s": seconds, "rows": len(rows), "command": [program],
             "uuid": f"GPU-{place}"} for place, (name, (seconds, rows)) in enumerate(points.items())]
    document = {"context": {**synthetic.context(program=program, **changes), "sweep": {"runs": runs}},
                "benchmarks": [row for _, rows in points.values() for row in rows]}
    folder.mkdir(exist_ok=True)
    synthetic.write(folder / f"{program}_{kind}.json", document)


def atm(primitive: str, microseconds: float) -> synthetic.Rows:
    return [row for number in (256, 1024) for row in synthetic.point(
        primitive, {"collision_factor": number, "skew": "uniform", "section_work": 0, "section": "transfer"},
        microseconds, ran={"server_blocks": 9} if "server" in primitive else {})]


@pytest.fixture(name="record")
def fixture_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record in which the claim A03 is decided by the locks of one point and the printed servers."""
    monkeypatch.setattr(recorded, "FOLDER", tmp_path)
    written(tmp_path / "test-gpu", "atm", "gpu", {
        "few-accounts,primitive=spin_in_order": (60.0, atm("spin_in_order", 10.0)),
        "fewest-threads,primitive=spin_in_order": (30.0, atm("spin_in_order", 9.0)),
        "printed-servers": (20.0, atm("server_nested_printed", 3.0)),
        "nested-servers,primitive=server_nested": (500.0, atm("server_nested", 1.0)),
        "nested-servers,primitive=server_nested_in_memory": (500.0, atm("server_nested_in_memory", 1.0))})
    return tmp_path


def test_a_claim_needs_the_fewest_points_that_decide_it(record: Path) -> None:
    own = reproduce.paper_of([ledger.claim_named("A03")])
    assert own.hopeless == {}
    assert {point.name for point in own.needed["A03"]} == {
        "fewest-threads,primitive=spin_in_order", "printed-servers"}
    assert own.cost(own.needed["A03"]) == 50.0
    assert own.gpu == "test-gpu"


def test_without_a_record_of_its_points_a_claim_needs_them_all(record: Path) -> None:
    a03 = {point.name for _, points in commands.points(ledger.claim_named("A03").measure) for point in points}
    with synthetic.changed(record / "test-gpu" / "atm_gpu.json") as document:
        document["context"]["sweep"]["runs"][-2]["point"] = "former"
    own = reproduce.paper_of([ledger.claim_named("A03")])
    assert {point.name for point in own.needed["A03"]} == a03
    (former,) = (point for point in own.needed["A03"] if point.name == "nested-servers,primitive=server_nested")
    assert own.seconds[former] == pytest.approx((60 + 30 + 20 + 500) / 4)


def test_a_claim_whose_rows_are_not_recorded_needs_all_its_points(record: Path) -> None:
    path = record / "test-gpu" / "atm_gpu.json"
    path.write_text(path.read_text(encoding="utf-8").replace("server_nested_printed", "server_other"), encoding="utf-8")
    own = reproduce.paper_of([ledger.claim_named("A03")])
    assert own.hopeless == {} and own.needed["A03"] == frozenset(own.planned)


def test_a_claim_that_no_rows_decide_is_named(record: Path) -> None:
    assert record.is_dir()
    own = reproduce.paper_of([ledger.claim_named("T25")])
    assert list(own.hopeless) == ["T25"] and own.needed == {}


def test_points_of_earlier_runs_are_done(record: Path) -> None:
    own = reproduce.paper_of([ledger.claim_named("A03")])
    assert reproduce.done_in(record / "elsewhere", own) == frozenset()
    (point,) = (point for point in own.planned if point.name == "printed-servers")
    written(record / "here", "atm", "gpu", {"printed-servers": (1.0, atm("server_nested_printed", 3.0))})
    assert reproduce.done_in(record / "here", own) == frozenset()
    with synthetic.changed(record / "here" / "atm_gpu.json") as document:
        document["context"]["sweep"]["runs"][0]["command"] = own.planned[point].command()
    assert reproduce.done_in(record / "here", own) == {point}


@pytest.mark.parametrize("claim", ledger.claims().values(), ids=lambda claim: claim.id)
def test_commands_time_what_launches_of_traffic_are_chosen_by(claim: Claim) -> None:
    planned = [point for _, points in commands.points(claim.measure) for point in points]
    for traffic in planned:
        assert traffic.fastest_launch is None or any(
            other.fastest_launch is None and reproduce.times_of(traffic, other) for other in planned), traffic.name


def test_traffic_needs_the_times_that_choose_its_launch() -> None:
    planned = reproduce._planned(ledger.claim_named("A09"))
    (counted,) = (point for point in planned if point.program == "maxflow" and point.kind == TRAFFIC
                  and point.name == "flows,rows=2048,primitive=server_flow_printed")
    more = reproduce.with_times(frozenset({counted}), planned) - {counted}
    assert {(point.kind, point.name) for point in more} == {("gpu", "printed-servers,rows=2048")}
    # Its command in a results file has the launch, too.
    own = planned[counted].command()
    assert is_of([*own[:3], "--tbs-per-sm", "2", *own[3:]], planned[counted])
    assert not is_of([word.replace("2048", "4096") for word in own], planned[counted])
    (timed,) = more
    own = planned[timed].command()
    assert is_of(own, planned[timed]) and not is_of([*own[:3], "--more", "2", *own[3:]], planned[timed])


SCRIPT = """import pathlib, sys, time
pathlib.Path("calls").open("a").write(" ".join([pathlib.Path(sys.argv[0]).name, *sys.argv[1:]]) + "\\n")
here = pathlib.Path(sys.argv[0] + ".ends")
sys.exit(int(here.read_text()) if here.exists() else 0)
"""


@pytest.fixture(name="tree")
def fixture_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree whose scripts only say that they were called, or end as the file beside them says."""
    (tmp_path / "scripts").mkdir()
    for name in ("sweep", "traffic", "claims"):
        (tmp_path / "scripts" / f"{name}.py").write_text(SCRIPT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def calls() -> list[str]:
    return Path("calls").read_text(encoding="utf-8").splitlines() if Path("calls").exists() else []


def test_times_are_measured_before_traffic(tree: Path) -> None:
    assert Measurement(Path("out"), 100.4).measure(frozenset({OF_A, A, B}))
    assert calls() == [
        "sweep.py workloads/ht/plans/gpu.json --out out --only a --only b --time-budget 100s",
        "traffic.py workloads/ht/plans/gpu_traffic.json --out out --only of a"]


def test_without_ncu_the_rest_goes_on(tree: Path) -> None:
    (tree / "scripts" / "traffic.py.ends").write_text("2", encoding="utf-8")
    measurement = Measurement(Path("out"), 100)
    assert all(measurement.measure(frozenset(points)) for points in ({OF_A}, {A}, {OF_A}))
    assert [call.split(" ")[0] for call in calls()] == ["traffic.py", "sweep.py"]


@pytest.mark.parametrize(("ends", "in_time", "failed"), [(0, True, False), (1, True, True), (3, False, False)])
def test_failed_rows_and_the_end_of_the_time_are_noticed(tree: Path, ends: int, in_time: bool, failed: bool) -> None:
    (tree / "scripts" / "sweep.py.ends").write_text(str(ends), encoding="utf-8")
    measurement = Measurement(Path("out"), 100)
    assert (measurement.measure(frozenset({A})), measurement.failed) == (in_time, failed)


def test_a_signal_ends_what_runs_and_nothing_else_starts(tree: Path) -> None:
    (tree / "scripts" / "sweep.py").write_text(SCRIPT.replace("sys.exit", "time.sleep(60) #"), encoding="utf-8")
    code = ("from pathlib import Path; from finesync.reproduce import Measurement, Point\n"
            "own = Measurement(Path('out'), 100)\n"
            "own.end_on_signals()\n"
            "for name in 'ab': own.measure(frozenset({Point('gpu', 'ht', name)}))")
    running = subprocess.Popen([sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT / "scripts")})
    while not calls():
        assert running.poll() is None
    running.terminate()
    assert running.wait(30) == 143
    assert len(calls()) == 1


def test_the_script_says_what_it_would_do(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "reproduce.sh"
    done = ran(script, "ics15", "--minutes", "30", "--results", "out", "--list", cwd=tmp_path)
    assert done.stdout.startswith("ics15: 16 of 16 claims in about ") and done.stderr == ""
    assert not list(tmp_path.iterdir())
    for wrong, said in ((["ics15"], "say for how long: --minutes N"), (["ics"], "there is no paper 'ics'"),
                        (["ics15", "--minutes", "ten"], "'ten' is not a number of minutes"), ([], "name a paper")):
        refused = ran(script, *wrong, code=2)
        assert said in refused.stderr and refused.stderr.count("\n") == 1
