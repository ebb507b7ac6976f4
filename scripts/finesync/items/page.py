"""The list of items: where each is shown, or why not, and how to measure it again."""

from __future__ import annotations

from collections.abc import Mapping

from ..claims import commands, ledger
from ..claims.tables import code_lines
from ..query.tables import Table
from ..results.loading import Results
from .listed import Item, items
from .tables import missing, recorded_of


def tables(loaded: list[Results], made: Mapping[str, Table]) -> list[Table]:
    """The list, if results of one GPU show any item; `made` are their tables."""
    why = {name: missing(item, loaded, made) for name, item in items().items()}
    if all(why.values()):
        return []
    recorded = recorded_of(loaded)
    rows = {}
    for name, item in items().items():
        measure = measure_of(item)
        rows[f"{ledger.titles()[item.paper]}, {item.said}: {item.title}"] = [
            f"not shown: {why[name]}" if why[name] else _shown(item),
            ", ".join(item.claims) or "none", code_lines(commands.of_plans(measure)) or "none",
            commands.minutes(measure, recorded), commands.memory(measure, recorded)]
    title = f"The papers' figures and tables on the {recorded.name}:"
    return [Table("artifact-items", title, "item",
                  ["shown by", "claims", "commands", "minutes", "GiB"], rows,
                  "not recorded")]


def measure_of(item: Item) -> commands.Measure:
    """What its claims need; without claims, the whole plans of its results."""
    of_claims = commands.of_several(ledger.claim_named(number) for number in item.claims)
    return of_claims or {file: [] for file in item.files}


def _shown(item: Item) -> str:
    return f"`figures/{item.name}.svg`" if item.is_figure else f"`tables/{item.name}.md`"
