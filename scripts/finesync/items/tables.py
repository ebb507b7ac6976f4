"""Which items some results of one GPU show, the tables among them, and the list of all: where each is
shown, or why not, and how to measure it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..claims import commands, ledger
from ..claims.tables import code_lines
from ..papers import asplos19, published
from ..query.numbers import Missing
from ..query.points import PointTable
from ..query.tables import Table, cell_of
from ..results import originals, revisions
from ..results.loading import Results
from ..results.recorded import Recorded, of_results
from ..results.registry import workload_of
from ..results.schemas import TRAFFIC
from . import series
from .listed import BARS, CONTENTION, FIGURES, GPUS, LINES, NAMES, STALLS, Item, items

# What is said of a GPU: its key in results and in published_numbers.json, its words, its unit.
_FACTS = (("compute_capability", "compute capability", 0), ("sms", "SMs", 1),
          ("clock_khz", "clock, MHz", 1e3), ("max_threads_per_sm", "threads per SM", 1),
          ("max_blocks_per_sm", "thread blocks per SM", 1),
          ("shared_bytes_per_sm", "shared memory per SM, KiB", 1024),
          ("shared_bytes_per_block", "shared memory per thread block, KiB", 1024),
          ("l2_bytes", "L2, MiB", 2 ** 20), ("memory_bytes", "memory, GiB", 2 ** 30))

# What a figure shows; Missing says why it cannot.
_NUMBERS = {LINES: series.lines, BARS: series.bars, CONTENTION: series.by_contention, STALLS: series.profiles}


def recorded_of(loaded: list[Results]) -> Recorded:
    """The results of one GPU, with those of the papers' own programs on it."""
    gpu = next((own for own in loaded if own.on_gpu), None)
    return of_results(gpu.gpu_name if gpu else "", loaded, originals.beside(gpu.path.parent) if gpu else None)


def joined(item: Item, loaded: list[Results]) -> list[Results]:
    """Those of the results that an item joins."""
    return [results for results in loaded if f"{results.program.removesuffix(TRAFFIC)}/{results.kind}" in item.files]


def tables(loaded: list[Results], mix_revisions: bool = False) -> dict[str, Table]:
    """The tables of all items that have one, by the items' names; of the results of one GPU."""
    for item in items().values():
        revisions.check(joined(item, loaded), item.name, mix_revisions)
    made = {table.id: table for table in asplos19.tables(loaded)}
    for results in loaded:
        workload = workload_of(results)
        if workload and results.kind == "gpu":
            for make in workload.paper_tables.values():
                made |= {table.id: table for table in make(results)}
    recorded = recorded_of(loaded)
    for item in items().values():
        table = _gpus(item, recorded) if item.way == GPUS else _names(item, recorded) if item.way == NAMES else None
        made |= {item.name: table} if table else {}
    return {name: made[name] for name in items() if name in made}


def missing(item: Item, loaded: list[Results], made: Mapping[str, Table]) -> str:
    """Why these results do not show an item, given the tables that they make; "" if they do."""
    if not item.way:
        return item.untold
    if item.way in FIGURES:
        try:
            _NUMBERS[item.way](item, recorded_of(loaded))
        except Missing as reason:
            return str(reason)
        return ""
    if item.name in made:
        return ""
    recorded = recorded_of(loaded)
    absent = [file for file in item.files if recorded.find(*file.split("/")) is None]
    if absent:
        return f"no results of {', '.join(absent)}"
    return "the rows that it needs are not recorded"


def _table(item: Item, heading: str, columns: list[str], cells: dict[str, list[str]]) -> Table:
    return Table(item.name, f"{item.said.capitalize()}, {item.title}:", heading, columns, cells)


def _gpus(item: Item, recorded: Recorded) -> Table | None:
    results = recorded.find(*item.spec["file"].split("/"))
    if results is None:
        return None
    theirs = published.at(item.spec["published"])
    cells = {words: [_fact(gpu.get(key), unit) for gpu in (*theirs.values(), results.gpu)]
             for key, words, unit in _FACTS if any(key in gpu for gpu in theirs.values())}
    return _table(item, "fact", [*(f"{name}, published" for name in theirs), results.gpu_name], cells)


def _fact(value: Any, unit: float) -> str:
    if value is None:
        return "not reported"
    return f"{value / unit:,.4g}" if unit and value / unit < 1000 else f"{value / unit:,.0f}" if unit else str(value)


def _names(item: Item, recorded: Recorded) -> Table | None:
    """The microseconds of each name at the fewest and the most TBs/SM."""
    cells = {}
    for name, own in item.spec.items():
        here = [[f"`{own[role]}`", _span(item, recorded, own, own[role])] for role in ("printed", "ours")]
        cells[name] = [cell for both in here for cell in both]
    if not any(" us" in cell[1] for cell in cells.values()):
        return None
    return _table(item, "the paper's name", ["as printed here", "us by thread blocks per SM", "ours",
                                             "us by thread blocks per SM"], cells)


def _span(item: Item, recorded: Recorded, named: Mapping[str, Any], form: str) -> str:
    """The times of one form at the fewest and the most TBs/SM, and where it has none."""
    try:
        by_blocks = _by_blocks(item, recorded, named, form)
    except Missing as reason:
        return str(reason)
    line = series.Series.of(form, {blocks: points.best_time(1e6) for blocks, points in by_blocks.items()})
    failed = {word: [str(blocks) for blocks, one in line.failed.items() if one == word]
              for word in line.failed.values()}
    ends = sorted(line.values)[:1] + sorted(line.values)[1:][-1:]
    return "; ".join([*(f"{cell_of(line.values[blocks])} us at {blocks}" for blocks in ends),
                      *(f"{word} at {', '.join(at)}" for word, at in failed.items())]) \
        or "not recorded"


def _by_blocks(item: Item, recorded: Recorded, named: Mapping[str, Any], form: str) -> dict[int, PointTable]:
    """The points of a form by thread blocks per SM; those of an application at its levels."""
    program, group = item.program_of(named), {"where": named.get("where", {})}
    if "pair" not in named:
        return series.points_of(item, recorded, program, group, form, {"ldst": 10}).by("tbs_per_sm")
    levels = ledger.application(item.paper, named["pair"]).levels
    found = {int(level): series.points_of(item, recorded, program, group, form, axes) for level, axes in levels.items()}
    return {level: points for level, points in found.items() if not points.empty}


def listed(loaded: list[Results], made: Mapping[str, Table]) -> list[Table]:
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
