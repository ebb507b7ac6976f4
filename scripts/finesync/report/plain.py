"""What the page shows without its script: the answers, claims and runs as plain tables."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from ..claims import tables as claims
from ..query.tables import Table
from . import runs
from .markdown_page import answers
from .places import Place


def parts(all_places: Sequence[Place]) -> dict[str, str]:
    """HTML for each section of the page, by its name."""
    gpus = [place for place in all_places if place.on_gpu]
    judged = claims.side_by_side({place.name: place.judged for place in gpus},
                                 {place.name: place.claimed for place in gpus}) if gpus else None
    listed = {run["file"]: [run.get(fact, "") for fact in ("gpu", "driver", "date", "revision", "points")]
              for place in all_places for run in runs.of_place(place)}
    return {"ANSWERS": "".join(f"<h2>{html.escape(place.name)}</h2>{_table(answers(place))}" for place in gpus)
            or _text(runs.NO_GPU),
            "CLAIMS": _table(judged) if judged else "",
            "RUNS": _table(Table("runs", "", "file", ["GPU", "driver", "date", "revision", "points"], listed))}


def _table(table: Table) -> str:
    rows = [[table.heading, *map(str, table.columns)], *([name, *cells] for name, cells in table.rows.items())]
    head, *body = ("".join(f"<{tag}>{_text(cell)}</{tag}>" for cell in row)
                   for tag, row in zip(["th", *["td"] * len(table.rows)], rows))
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in body)}</table>"


def _text(text: str) -> str:
    """Text with names between backticks."""
    return re.sub("`([^`]*)`", r"<b>\1</b>", html.escape(text))
