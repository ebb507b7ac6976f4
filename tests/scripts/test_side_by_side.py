"""Two folders of results side by side: only ratios share an axis, and both runs are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import figures
import pytest
import synthetic
from conftest import ROOT
from finesync.compare.joining import join, pairs
from finesync.figures import side_by_side
from finesync.results.errors import UserError
from matplotlib.figure import Figure

LOCKS = {"spin": 10.0, "ticket": 20.0, "mcs": 30.0}


def folder(path: Path, scale: float, program: str = "mutex", **changes: Any) -> Path:
    """A folder with one results file, of three locks on two grids."""
    rows = [row for lock, time in LOCKS.items() for grid in (1, 2)
            for row in synthetic.point(lock, {"tbs_per_sm": grid},
                                       [time * scale * grid + step / 100 for step in range(3)])]
    synthetic.write(path / f"{program}_gpu.json",
                    {"context": synthetic.context(program=program, **changes), "benchmarks": rows})
    return path


def drawn(a: Path, b: Path) -> Figure:
    (both,) = pairs(a, b)[0]
    table = join([both], [], 0.01, 0.01).table
    figure = side_by_side.draw(*both, table, side_by_side.bounds(table))
    assert figure
    return figure


def words(figure: Figure) -> str:
    texts = [text.get_text() for text in [*figure.texts, *figure.axes[0].texts]]
    return " ".join(texts).replace("\n", " ")


def test_ratios_of_each_primitive_and_both_runs_are_named(tmp_path: Path) -> None:
    other = {"gpu": {**synthetic.GPU, "name": "Other GPU", "driver_version": "590.2"}}
    figure = drawn(folder(tmp_path / "a", 1), folder(tmp_path / "b", 0.5, **other))
    (axes,) = figure.axes
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert len(dots) == 3
    for line in dots:
        assert list(line.get_xdata()) == pytest.approx([0.5, 0.5], rel=0.01)
    low, high = axes.get_xlim()
    assert low * high == pytest.approx(1)
    assert low < 0.5
    said = words(figure)
    for part in ("mutex: Other GPU (B) beside Test GPU 9000 (A)", "0.5x, 2 points", "6 points.",
                 "A: Test GPU 9000, 132 SMs, 1.98 GHz, driver 580.1",
                 "B: Other GPU, 132 SMs, 1.98 GHz, driver 590.2"):
        assert part in said


@pytest.mark.parametrize(("changes", "a", "b"), [
    ({"gpu": {**synthetic.GPU, "driver_version": "590"}}, "driver 580.1", "driver 590"),
    ({"git_revision": "fedcba9876543210"}, "revision 012345678", "revision fedcba987")])
def test_runs_of_one_gpu_are_told_apart(tmp_path: Path, changes: dict[str, Any], a: str, b: str) -> None:
    figure = drawn(folder(tmp_path / "a", 1), folder(tmp_path / "b", 1, **changes))
    assert f"mutex: {b} (B) beside {a} (A)" in words(figure)


def test_runs_that_nothing_tells_apart_have_the_names_of_their_folders(tmp_path: Path) -> None:
    said = words(drawn(folder(tmp_path / "a", 1), folder(tmp_path / "b", 1)))
    assert f"{tmp_path / 'b'} (B)" in said.replace("- ", "-")


def test_what_ends_otherwise_or_lies_far_away_is_said(tmp_path: Path) -> None:
    a, b = folder(tmp_path / "a", 1), folder(tmp_path / "b", 200)
    text = (b / "mutex_gpu.json").read_text(encoding="utf-8")
    (b / "mutex_gpu.json").write_text(text.replace(
        '"status": "ok"', '"status": "wrong", "reason": "a sum"', 3), encoding="utf-8")
    figure = drawn(a, b)
    said = words(figure)
    assert "Not shown, as they end otherwise in one of the two: 1." in said
    assert "At the edge, as they are beyond 64: 5." in said
    assert figure.axes[0].get_xlim()[1] < 70


def test_the_script_draws_each_common_program_on_one_axis(
        tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []
    draw = side_by_side.draw
    monkeypatch.setattr(side_by_side, "draw", lambda *given: limits.append(given[3]) or draw(*given))
    for name, scale in (("a", 1.0), ("b", 0.5)):
        folder(tmp_path / name, scale)
        folder(tmp_path / name, 1, program="barrier")
    folder(tmp_path / "b", 1, program="ht")
    out = tmp_path / "drawn"
    assert figures.main(["--compare", str(tmp_path / "a"), str(tmp_path / "b"), "--out", str(out)]) == 0
    names = ["barrier_gpu.svg", "mutex_gpu.svg"]
    assert sorted(path.name for path in out.iterdir()) == names
    assert capsys.readouterr().out.split() == [str(out / name) for name in names]
    assert len(limits) == 2 and limits[0] == limits[1]


def test_nothing_to_compare_is_one_line(tmp_path: Path) -> None:
    host = synthetic.write(tmp_path / "h" / "ht_host.json", synthetic.host_document()).parent
    with pytest.raises(UserError, match="have no results of one program on a GPU"):
        figures.main(["--compare", str(host), str(host)])
    with pytest.raises(SystemExit):
        figures.main(["--compare", str(host), str(host), "--record"])


def test_recorded_gpus_can_be_compared(tmp_path: Path) -> None:
    (both,), _, _ = pairs(*(ROOT / "results" / name / "chain_gpu.json.gz"
                            for name in ("nvidia-h200", "nvidia-h100-80gb-hbm3")))
    table = join([both], [], 0.01, 0.01).table
    figure = side_by_side.draw(*both, table, side_by_side.bounds(table))
    assert figure and "NVIDIA H100 80GB HBM3 (B) beside NVIDIA H200 (A)" in words(figure)
