"""`queue`: one bounded queue that blocks push to and pop from (docs/library/queues.md)."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from finesync.figures import layout, lines
from finesync.figures.styles import styles_of
from finesync.query.points import PointRow, PointTable, Spread
from finesync.query.tables import COUNTS, Table, best_cell, counts_table, table_by, three_digits, time_cell
from finesync.results.catalogue import primitives
from finesync.results.loading import Results
from finesync.results.workload import Axes, Chart, Drawing, Question, Unit, Workload

_FAMILIES = {"queues": "between_blocks"}
_TRAFFIC = {"both": "all blocks push and pop", "halves": "half of the blocks push, half pop",
            "fan-in": "all blocks but one push, one pops", "fan-out": "one block pushes, the others pop",
            "pair": "one block pushes, another pops"}
_PINGS = {"ping": "place taken when the item is there", "ping-ahead": "place taken ahead"}
_DRAWN = ("both", "halves")
# Lines that the tables alone have: with more a figure cannot be read.
_NOT_DRAWN = ("slot_x4",)
_TIME = "seconds_per_operation"


def _variant(primitive: str, axes: Axes) -> str:
    return (primitive + "_block" * (axes.get("tickets") == "block")
            + f"_x{axes['items']}" * (axes.get("items", 1) != 1))


def _labels() -> dict[str, str]:
    return {own["name"]: own.get("label", own["name"])
            for entry in primitives(list(_FAMILIES), "queue")
            for own in (entry, *entry.get("variants", ()))}


def _measured(results: Results) -> PointTable:
    points = results.points.compared_by(_TIME).with_columns(
        "traffic", "threads_per_block", "capacity", "items", "item_bytes", _TIME)
    return points.assign(variant=points.column_of([_variant(point["primitive"], point["axes"]) for point in points]))


def _usual(points: PointTable) -> PointTable:
    """Without the points that vary the capacity or the size of the items."""
    return points.select(capacity="auto", item_bytes=8, tbs_per_sm=1)


def _billions(point: PointRow) -> Spread:
    return point.time.inverse().scaled(1e-9)


_rate_cell = best_cell(lambda point: three_digits(_billions(point).median))


def _rows(points: PointTable) -> dict[str, PointTable]:
    labels = _labels()
    return {labels.get(name, name): own for name, own in points.by_variant().items()}


def tables(results: Results) -> list[Table]:
    """Rates by threads, by capacity and by size, and the latency of one item."""
    points = _measured(results)
    found: list[Table] = []
    for traffic, said in _TRAFFIC.items():
        own = _usual(points.where(points["traffic"] == traffic))
        found += table_by("threads_per_block", _rows(own), _rate_cell, f"rates-{traffic}",
                          f"Billions of items of 8 bytes per second, {said}:", "threads per block")
    pings = points.where(points["traffic"].isin(list(_PINGS)))
    named = pings.assign(traffic=pings["traffic"].map(_PINGS))
    found += table_by("traffic", _rows(named.select(item_bytes=8)), time_cell(1e6), "latency",
                      "Microseconds of one item of 8 bytes through an empty queue:", "the pusher's")
    rates = points.where(~points["traffic"].isin(list(_PINGS)))
    sized = rates.where(rates.above("capacity"))
    found += table_by("capacity", _rows(sized), _rate_cell, "capacities",
                      "Billions of items per second by the capacity, 1,024 threads:", "capacity")
    found += table_by("item_bytes", _rows(rates.select(capacity="auto", tbs_per_sm=1,
                                                       traffic="halves", threads_per_block=1024)),
                      _rate_cell, "sizes", "Billions of items per second by the bytes of an item, "
                      "half of the blocks push, half pop, 1,024 threads:", "bytes", least=2)
    return found


def by_traffic(results: Results) -> dict[str, PointTable]:
    """The points by how blocks share in the queue, and by the items of a thread's call, one first."""
    points = _usual(_measured(results))
    points = points.assign(variant=points["variant"].str.replace(r"_x\d+$", "", regex=True))
    return {_TRAFFIC[traffic] + (f", {items} items a thread" if items > 1 else ""):
            points.where((points["traffic"] == traffic) & (points["items"] == items))
            for items in points.values("items") for traffic in _DRAWN}


def counts(results: Results) -> list[Table]:
    """What an item takes, counted."""
    return counts_table(results.points, COUNTS, "queue", _items_of, "Atomics, fences and polls per item:")


def _items_of(point: PointRow) -> int:
    """The items of a run; none if it was not run."""
    ran, axes = point["effective"], point["axes"]
    return (ran.get("pushing_blocks", 0) * ran.get("threads_per_block", 0) * int(axes["items"]) * int(axes["rounds"]))


def draw(results: Results) -> Figure | None:
    """A panel per traffic, a line per form of queue over the threads of a block."""
    points = _usual(_measured(results))
    panels = {traffic: own for traffic in _DRAWN
              for own in [points.where(points["traffic"] == traffic)] if not own.ok().empty}
    if not panels:
        return None
    threads = sorted({own for panel in panels.values() for own in panel.values("threads_per_block")})
    figure, axes = plt.subplots(1, len(panels), squeeze=False, sharey=True, figsize=(layout.WIDTH_IN, 4.2))
    styles, known = styles_of(results), set(_labels()) - set(_NOT_DRAWN)
    failed = False
    for panel, (traffic, own) in zip(axes[0], panels.items()):
        drawn = lines.draw_panel(panel, own, [name for name in own.variants() if name in known],
                                 "threads_per_block", threads, _billions, styles)
        drawn.on_log_axis()
        failed |= drawn.failed
        panel.set_title(_TRAFFIC[traffic])
    axes[0][0].set_ylabel("billions of items per second")
    caption = ("Items of 8 bytes; room for twice the items on their way. Medians of the "
               "repetitions; whiskers are quartiles." + layout.FAILURES * failed)
    return layout.finish(figure, f"Queues between blocks: items per second ({results.gpu_name})",
                         caption, results, layout.legend_of(axes.flat), "threads per block")


WORKLOAD = Workload(
    program="queue",
    operation="item",
    families=_FAMILIES,
    small_run="--traffic both --threads-per-block 64 --tickets warp,block --items 1,4 --rounds 4",
    figures={"gpu": (Drawing("rates", "rates of blocks that all push and pop", draw),)},
    tables={"gpu": tables, "host": counts},
    chart=Chart("Which queue?", has_library=lambda axes: False),
    question=Question("a queue between blocks", Unit("billion items per second", 1e-9, rate=True), by_traffic,
                      "threads_per_block", "block size", "{:,} threads per block".format,
                      less={"array": "its two ends are two kernels"}, group="Events and queues"),
)
