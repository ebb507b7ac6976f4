"""Only what is stale is drawn, recorded runs only when asked, and drawing one's own changes no file of git."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import figures
import matplotlib
import pytest
import synthetic_sync
from conftest import ROOT
from finesync import freshness
from finesync.report import folder_tables
from finesync.results import revisions
from finesync.results.errors import UserError
from forked import run_script
from scratch import ran, scratch_copy
from tables import results_of


class Own:
    """Two programs' results in a folder of one's own, and a report."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.report = folder / "report.md"
        self._capsys = capsys
        self.measure("barrier", 1.0)
        self.measure("mutex", 1.0)

    def measure(self, program: str, factor: float) -> None:
        """Other results with another factor."""
        form = "atomic_tree_printed" if program == "barrier" else "spin"
        results_of(self.folder, program, *(synthetic_sync.point(
            program, form, factor * blocks, tbs_per_sm=blocks) for blocks in (1, 2, 4)))

    def draw(self, *more: str) -> list[str]:
        """Draws them; what is printed."""
        files = [str(self.folder / f"{program}_gpu.json") for program in ("barrier", "mutex")]
        assert figures.main([*files, "--only", "--report", str(self.report), *more]) == 0
        return self._capsys.readouterr().out.splitlines()

    def written(self) -> dict[str, int]:
        """When the drawings, the tables and the report were written."""
        return {str(path.relative_to(self.folder)): path.stat().st_mtime_ns
                for path in [*self.folder.glob("*/*.*"), self.report]}

    def redrawn(self, change: Callable[[], object], *more: str) -> set[str]:
        """What is drawn after a change."""
        change()
        before = self.written()
        self.draw(*more)
        return {name for name, when in self.written().items() if before.get(name) != when
                and name.startswith("figures/") and not name.endswith(freshness.KEPT)}


@pytest.fixture(name="own")
def fixture_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Own:
    return Own(tmp_path, capsys)


def test_what_is_up_to_date_is_neither_drawn_nor_read(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    said = own.draw()
    written = own.written()
    assert len([line for line in said if line.endswith(".svg")]) == 3
    assert any("no figure" in line for line in said)
    with monkeypatch.context() as patched:
        patched.setattr(figures, "load_once", lambda path: pytest.fail(f"{path} is read"))
        assert own.draw() == said
    assert own.written() == written


def test_only_the_drawings_of_changed_results_are_drawn_again(own: Own) -> None:
    own.draw()
    drawn = own.redrawn(lambda: own.measure("mutex", 2.0))
    assert {Path(name).stem.split("-")[0] for name in drawn} == {"mutex_gpu", "fastest"}


@pytest.mark.parametrize("everything", ["matplotlib", "script"])
def test_all_is_drawn_again_by_another_matplotlib_or_script(
        own: Own, everything: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawings = {line for line in own.draw() if line.endswith("svg")}
    if everything == "matplotlib":
        monkeypatch.setattr(matplotlib, "__version__", "99.1")
    else:
        monkeypatch.setattr(freshness, "of_what_draws", lambda version: "other code")
    drawn = own.redrawn(lambda: None)
    assert {str(own.folder / name) for name in drawn} == drawings


def test_a_drawing_that_was_deleted_and_a_report_of_other_results_are_made_again(own: Own) -> None:
    own.draw()
    (lost, *_) = sorted((own.folder / "figures").glob("mutex_gpu-*.svg"))
    drawn = own.redrawn(lost.unlink)
    assert f"figures/{lost.name}" in drawn and not any("barrier_gpu-" in name for name in drawn)
    report = own.report.read_text(encoding="utf-8")
    own.report.write_text("# Of others\n", encoding="utf-8")
    own.draw()
    assert own.report.read_text(encoding="utf-8") == report


def test_results_that_change_while_they_are_drawn_are_stale(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(folder_tables, "write_all", lambda *_: own.measure("mutex", 3.0))
        own.draw()
    assert any("mutex_gpu-" in name for name in own.redrawn(lambda: None))


def test_results_that_cannot_be_drawn_still_make_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = shutil.copy(ROOT / "results" / "host-executor" / "queue_host.json.gz", tmp_path)
    with pytest.raises(UserError, match="have nothing to draw"):
        figures.main([counts, "--only"])
    report = tmp_path / "report.md"
    assert figures.main([counts, "--only", "--report", str(report)]) == 0
    assert capsys.readouterr().out.startswith("no figures: these results have nothing")
    assert "queue" in report.read_text(encoding="utf-8")


def test_options_and_stated_revisions_count(own: Own) -> None:
    own.draw()
    mark = own.report.read_text(encoding="utf-8").splitlines()[-1]
    own.draw("--mix-revisions")
    assert mark != (mixed := own.report.read_text(encoding="utf-8").splitlines()[-1])
    (own.folder / revisions.STATED).write_text("0123456789\nWhy.\n", encoding="utf-8")
    own.draw("--mix-revisions")
    assert own.report.read_text(encoding="utf-8").splitlines()[-1] != mixed


def test_broken_notes_are_as_good_as_none(own: Own) -> None:
    own.draw()
    notes = own.folder / "figures" / freshness.KEPT
    whole = notes.read_text(encoding="utf-8")
    assert own.redrawn(lambda: notes.write_text("{", encoding="utf-8"))
    assert notes.read_text(encoding="utf-8") == whole


@pytest.mark.parametrize("changed", [
    "scripts/finesync/figures/lines.py", "workloads/mutex/report.py", "src/catalogue/locks.json",
    "results/published/published_numbers.json"])
def test_what_draws_is_all_that_drawings_depend_on(changed: str, tmp_path: Path,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    tree = scratch_copy(tmp_path)
    monkeypatch.setattr(freshness, "ROOT", tree)
    freshness.of_what_draws.cache_clear()
    before = freshness.of_what_draws("3")
    assert (tree / changed).exists()
    (tree / changed).write_text("changed", encoding="utf-8")
    freshness.of_what_draws.cache_clear()
    assert freshness.of_what_draws("3") != before
    freshness.of_what_draws.cache_clear()


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


def test_drawing_changes_no_file_of_git(tmp_path: Path) -> None:
    tree = scratch_copy(tmp_path)
    for name in (".gitignore", "results/.gitignore"):
        shutil.copy(ROOT / name, tree / name)
    own = tree / "results" / "runs" / "gpu"
    for folder in (tree / "results" / "test-gpu", own):
        results_of(folder, "mutex", *(synthetic_sync.point("mutex", "spin", 1.0 * blocks, tbs_per_sm=blocks)
                                      for blocks in (1, 2, 4)))

    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
        return ran("git", *identity, *arguments, cwd=tree).stdout

    def draw(*arguments: str) -> int:
        return run_script(tree / "scripts" / "figures.py", *arguments, cwd=tree).returncode

    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "recorded")
    assert draw(str(own / "mutex_gpu.json"), "--report", "results/report.md") == 0
    assert draw() == 2, "only --record draws recorded runs"
    assert draw("--only", "results/test-gpu/mutex_gpu.json") == 2
    assert (own / "figures" / freshness.KEPT).exists()
    assert git("status", "--porcelain") == ""
    assert draw("--record") == 0
    assert git("status", "--porcelain").splitlines() == [
        "?? results/all-gpus/", "?? results/test-gpu/figures/", "?? results/test-gpu/tables/"]
    assert not (tree / "results" / "test-gpu" / "figures" / freshness.KEPT).exists()
