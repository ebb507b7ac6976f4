"""A primitive of one's own is in the figures and on the page, fast or slow, with nothing but its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import draw, results_of
from test_items import barriers

OWN = "dissemination"
FORMS = ("autotuned", "sm_counters", "flat_counters", "gather_broadcast", "cooperative_groups", "sense_reversing",
         "atomic_tree", "lock_free_tree", "cutlass_counter", "atomic_tree_printed", "sense_reversing_printed")
FIGURES = {"barrier_gpu-time", "barrier_gpu-section_length", "barrier_gpu-overhead",
           "thesis-figure5.4", "thesis-figure5.5", "thesis-figure5.13"}


def shown_in(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("figures/*.svg") if f">{OWN}<" in path.read_text(encoding="utf-8")}


@pytest.mark.parametrize("forms", [(OWN, *FORMS), (*FORMS, OWN)], ids=["fastest", "slowest"])
def test_a_barrier_of_ones_own_is_drawn_and_on_the_page(forms: tuple[str, ...], tmp_path: Path) -> None:
    results = str(results_of(tmp_path, "barrier", barriers(*forms)).path)
    draw(results)
    assert shown_in(tmp_path) == ({"barrier_gpu-time", "barrier_gpu-section_length", "fastest"}
                                  if forms[0] == OWN else set())
    draw(results, "--with", OWN, "--report", str(tmp_path / "report.md"))
    assert shown_in(tmp_path) >= FIGURES
    assert OWN in (tmp_path / "report.html").read_text(encoding="utf-8")
    # The page in Markdown has the answers alone.
    assert (OWN in (tmp_path / "report.md").read_text(encoding="utf-8")) == (forms[0] == OWN)
    draw(results)
    assert not FIGURES <= shown_in(tmp_path)


def test_a_name_without_rows_and_recorded_runs_are_refused(tmp_path: Path) -> None:
    results = str(results_of(tmp_path, "barrier", barriers(*FORMS)).path)
    said = draw(results, "--with", "disemination", code=2).stderr
    assert "the results have no rows of 'disemination'; they have autotuned, sm_counters" in said
    assert "of your own" in draw("--record", "--with", OWN, code=2).stderr
