"""Rows of earlier revisions get the axes that they lack, and so never stand for another load."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import synthetic_sync
from conftest import ROOT
from finesync.results import sync_sweeps
from finesync.results.loading import Results
from finesync.results.recorded import of_folder
from tables import results_of


def barriers(folder: Path, **load: Any) -> Results:
    rows = [row for blocks in (1, 2) for ldst in (0, 10)
            for row in synthetic_sync.point("barrier", "sense_reversing", 2.0, tbs_per_sm=blocks, ldst=ldst)]
    for row in rows:
        del row["axes"]["load"]
        row["axes"] |= load
    return results_of(folder, "barrier", rows)


def test_barriers_stored_early_before_their_load_had_a_name(tmp_path: Path) -> None:
    points = barriers(tmp_path).points
    assert set(points.select(ldst=10)["load"]) == {"early"}
    assert set(points.select(ldst=0)["load"]) == {"lines"}


def test_the_order_of_stores_is_part_of_the_setting(tmp_path: Path) -> None:
    words = {load: sync_sweeps.words(sync_sweeps.measured(barriers(tmp_path / load, load=load)).select(
        ldst=10).first()["setting"]) for load in ("lines", "late", "early")}
    assert words == {"lines": "64 threads, 10 loads and stores", "late": "64 threads, 10 loads and late stores",
                     "early": "64 threads, 10 loads and early stores"}


def test_what_the_program_of_fences_has_measured_is_read_as_of_instructions(tmp_path: Path) -> None:
    assert of_folder(tmp_path).find("instructions", "gpu") is None
    shutil.copy(ROOT / "results" / "nvidia-h100-80gb-hbm3" / "fence_gpu.json.gz", tmp_path)
    found = of_folder(tmp_path).find("instructions", "gpu")
    assert found and found.program == "instructions" and "release_cluster" in found.points.primitives()
    results_of(tmp_path, "instructions", [])
    newer = of_folder(tmp_path).find("instructions", "gpu")
    assert newer and newer.points.empty
