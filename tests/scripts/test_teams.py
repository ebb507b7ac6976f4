"""What barriers of teams take, by the size of the teams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import synthetic
from finesync.figures.legibility import findings
from finesync.report.markdown_page import tables_of
from tables import results_of, rows_below, words_of
from workloads.team.report import WORKLOAD

(FIGURE,) = WORKLOAD.figures["gpu"]


def team(primitive: str, us: float, ended: str = "ok", **axes: Any) -> list[dict[str, Any]]:
    """A point of teams of 16 with nothing in between, unless told; `us` of a barrier."""
    full = {"team_size": 16, "crossing": "no", "threads_per_block": 128, "words": 0, "rounds": 1000, **axes}
    return synthetic.point(primitive, full, us, ended)


def points() -> list[list[dict[str, Any]]]:
    return [team("team_barrier", 0.8), team("cutlass_teams", 0.94),
            team("team_barrier", 0.66, team_size=2), team("cutlass_teams", 0.0, "hung", team_size=2),
            team("team_barrier", 0.9, crossing="yes", team_size=11)]


def test_teams_are_compared_by_their_size(tmp_path: Path) -> None:
    tables = tables_of(results_of(tmp_path, "team", *points()))
    apart = rows_below(tables, "Microseconds per barrier, teams apart, nothing in between")
    assert apart["team_barrier"] == ["0.66", "0.8"]
    assert apart["cutlass_teams"] == ["hung", "0.94"]
    crossing = rows_below(tables, "Microseconds per barrier, rows and columns in turn")
    assert crossing["team_barrier"] == ["0.9"]


def test_the_figure_has_a_panel_for_each_size(tmp_path: Path) -> None:
    figure = FIGURE.draw(results_of(tmp_path, "team", *points()))
    assert {"teams of 2", "teams of 16"} <= set(words_of(figure))
    assert figure is not None and findings(figure) == []
