"""Results of several revisions join only where somebody said so."""

from __future__ import annotations

from pathlib import Path

import accepted
import figures
import pytest
import synthetic
import synthetic_sync
from finesync.results import revisions
from finesync.results.errors import UserError
from finesync.results.json_files import read_json
from finesync.results.loading import load_results
from tables import results_of


def of_revision(path: Path, revision: str) -> None:
    with synthetic.changed(path) as document:
        document["context"]["finesync"]["git_revision"] = revision


@pytest.fixture(name="mixed")
def fixture_mixed(tmp_path: Path) -> list[str]:
    """Two programs that table 4.2 joins, of two revisions."""
    paths = [results_of(tmp_path, program, *(
        synthetic_sync.point(program, form, 1.0 * blocks, tbs_per_sm=blocks, backoff="no")
        for blocks in (1, 2))).path
             for program, form in (("barrier", "atomic_tree_printed"), ("semaphore", "spin"))]
    of_revision(paths[1], "fedcba9876543210")
    return [*map(str, paths), "--only"]


def test_revisions_are_not_mixed_unless_told_to(mixed: list[str], tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        figures.main(mixed)
    assert "\n" not in str(refused.value)
    assert "thesis-table4.2 would join results of 2 revisions (012345678: barrier_gpu.json; " \
        "fedcba987: semaphore_gpu.json)" in str(refused.value)
    assert "--mix-revisions" in str(refused.value)
    assert figures.main([*mixed, "--mix-revisions"]) == 0
    assert (tmp_path / "tables" / "thesis-table4.2.md").exists()


def test_a_folder_may_state_which_revisions_it_mixes(mixed: list[str], tmp_path: Path) -> None:
    stated = tmp_path / revisions.STATED
    stated.write_text("0123456789 fedcba9876\nMeasured on two days.\n", encoding="utf-8")
    assert figures.main(mixed) == 0
    of_revision(Path(mixed[0]), "00000000000000")
    with pytest.raises(UserError, match="of 2 revisions"):
        figures.main(mixed)


def test_a_caption_says_what_was_mixed(mixed: list[str]) -> None:
    loaded = [load_results(Path(path)) for path in mixed[:2]]
    assert revisions.sentence(loaded) == "Mixed revisions: barrier_gpu of 012345678; semaphore_gpu of fedcba987."
    assert revisions.sentence(loaded[:1]) == ""


@pytest.mark.parametrize("folder", accepted.folders())
def test_the_recorded_folders_state_no_more_revisions_than_they_mix(folder: Path) -> None:
    if (stated := folder / revisions.STATED).exists():
        words = stated.read_text(encoding="utf-8").partition("\n")
        found = {revision for file in folder.glob("*.json.gz")
                 for revision in revisions.of_context(read_json(file)["context"])}
        assert set(words[0].split()) == found and words[2].strip()
