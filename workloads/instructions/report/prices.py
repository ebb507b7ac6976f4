"""The price list: cycles of one instruction in a chain, and operations per cycle and SM."""

from __future__ import annotations

from collections.abc import Callable

from finesync.query.points import PointRow, PointTable
from finesync.query.tables import Table, best_cell, spread_cell, table_by, three_digits
from finesync.results.catalogue import primitives
from finesync.results.loading import Results

_LATENCY = ["latency_cycles_p25", "latency_cycles_p50", "latency_cycles_p75"]
_RATE = "operations_per_cycle_and_sm"
_AXES = ("space", "scope", "order", "bits", "result", "stride", "measure", "tbs_per_sm", "sms",
         "threads_per_block")
# Words that do not disturb each other: the space, its usual scope, and the bytes from one to the next.
_SPACES = {"global": ("device memory", "device", 128), "shared": ("shared memory", "block", 8),
           "other-block": ("another block's shared memory", "cluster", 128)}
_WARP, _MANY = 32, 256


def _rate(point: PointRow) -> str | None:
    found = point.median(_RATE)
    return None if found is None else three_digits(found)


_cycles = spread_cell(*_LATENCY)
_per_cycle = best_cell(_rate, first=True)
# The columns of a price list: the measure, and what a cell says.
_COLUMNS: dict[str, tuple[str, Callable[[PointTable], str]]] = {
    "cycles of one": ("latency", _cycles), "per cycle and SM": ("throughput", _per_cycle)}


def measured(results: Results) -> PointTable:
    """The points of all instructions but fences, with a column `form`: its name, width and use."""
    points = results.points.with_columns(*_AXES, *_LATENCY, _RATE)
    points = points.where(points["measure"].notna())
    return points.assign(form=points.column_of([_form(point) for point in points]))


def _form(point: PointRow) -> str:
    label = {own["name"]: own.get("label", own["name"])
             for own in primitives(["instructions"], "instructions")}.get(point["primitive"], point["primitive"])
    more = [f"{point['bits']} bits"] * (point["axes"].get("bits") == 64)
    more += ["no result"] * (point["axes"].get("result") == "unused")
    more += [str(point["order"])] * (point["axes"].get("order", "relaxed") != "relaxed")
    return ", ".join([label, *more])


def tables(results: Results) -> list[Table]:
    """Prices by space, by order and scope, by stride, and of one atomic per warp."""
    points = measured(results)
    points = points.where((points["tbs_per_sm"] == 1) & (points["sms"] == "all"))
    if points.empty:
        return []
    warps = points.select(threads_per_block=_WARP)
    return [*_price_lists(warps), *_by_scope(warps.where(warps["measure"] == "latency")),
            *_by_stride(points.where(points["measure"] == "throughput"))]


def _price_lists(points: PointTable) -> list[Table]:
    found = []
    for space, (said, scope, stride) in _SPACES.items():
        own = points.where((points["space"] == space) & (points["scope"] == scope) & (points["stride"] == stride))
        found += _prices(own, f"prices-{space}",
                         f"Instructions on words of {said}, each thread its own, one warp per SM:")
    return found + _prices(points.where(points["space"].isna()), "prices-warp",
                           "Instructions of one warp per SM, and barriers of blocks of one warp:")


def _by_scope(points: PointTable) -> list[Table]:
    own = points.where((points["space"] == "global") & (points["bits"] == 32) & (points["stride"] == 128)
                       & (points["result"] != "unused"))
    return table_by("scope", own.by("form"), _cycles, "orders",
                    "Cycles of one in device memory, by order and scope, one warp per SM:", "scope", least=2)


def _by_stride(points: PointTable) -> list[Table]:
    points = points.where((points["bits"] == 32) & (points["order"].isna() | (points["order"] == "relaxed")))
    found = []
    for space, (said, scope, _) in _SPACES.items():
        own = points.where((points["space"] == space) & (points["scope"] == scope))
        found += table_by("stride", own.select(threads_per_block=_MANY).by("form"), _per_cycle, f"strides-{space}",
                          f"Operations per cycle and SM in {said}, {_MANY} threads per SM, by the bytes between the "
                          "words of two threads (0: one word for all):", "bytes", least=3)
    one = points.where((points["space"] == "global") & (points["stride"] == 0)).of_primitives("add", "add_by_warp")
    return found + table_by("threads_per_block", one.by("form"), _per_cycle, "one-per-warp",
                            "Additions per cycle and SM to one word for all, by each lane or by each warp:",
                            "threads per block", least=2)


def _prices(points: PointTable, name: str, title: str) -> list[Table]:
    if points.empty:
        return []
    return [Table(name, title, "instruction", list(_COLUMNS), {
        form: [cell(own.select(measure=measure)) for measure, cell in _COLUMNS.values()]
        for form, own in points.by("form").items()})]
