"""Recorded runs are drawn only when that is asked for."""

from __future__ import annotations

from pathlib import Path

import figures
import pytest
from conftest import ROOT
from finesync.results import recorded as recorded_runs
from finesync.results.errors import UserError
from tables import results_of
from test_items import chains


def test_recorded_runs_are_drawn_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError, match="use --record to draw the recorded runs"):
        figures.main([])
    recorded = ROOT / "results" / "nvidia-h200" / "chain_gpu.json.gz"
    with pytest.raises(UserError, match="belongs to the recorded runs: --record draws its folder again"):
        figures.main([str(recorded)])
    assert capsys.readouterr().out == ""
    folder = figures.chosen([recorded], record=True)
    assert recorded in folder and len(folder) > 10
    assert {path.parent for path in folder} == {recorded.parent}


def test_drawing_one_s_own_run_leaves_the_recorded_runs_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_runs, "FOLDER", tmp_path / "results")
    monkeypatch.setattr(recorded_runs, "gpu_folders", lambda: [])
    recorded = results_of(tmp_path / "results" / "gpu", "chain", chains()).path
    own = results_of(tmp_path / "results" / "runs" / "gpu", "chain", chains()).path
    before = set(recorded.parent.iterdir())
    report = tmp_path / "report.md"
    assert figures.main([str(own), "--report", str(report)]) == 0
    assert set(recorded.parent.iterdir()) == before
    assert (own.parent / "figures" / "ics15-figure4.svg").exists()
    assert report.read_text(encoding="utf-8").count("chain_gpu.json") > 1
    assert figures.main(["--record"]) == 0
    assert (recorded.parent / "figures" / "ics15-figure4.svg").exists()
    assert (recorded.parent / "tables" / "ics15-table1.md").exists()
