"""`event`: payloads that blocks hand to other blocks (docs/library/events.md)."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync.figures import by_input
from finesync.results.loading import COUNTED, Results
from finesync.query.tables import Table, counts_table, table_by, three_digits
from finesync.query.points import PointRow, PointTable, Spread
from finesync.results.workload import Axes, Drawing, Question, Unit, Workload

_HOP = "seconds_per_operation"
_WAITED = "last_waiter_ns"
_COUNTS = dict(zip(("atomics", "fences", "polls"), COUNTED))
# The crowds of the figure, one beside the other: producers, consumers.
_CROWDS = ((16, "all"), ("all", "all"))


def _variant(primitive: str, axes: Axes) -> str:
    return f"{primitive}_of_block" if axes.get("whole_block") == "yes" else primitive


def measured(results: Results) -> PointTable:
    """All points, each with its variant and its crowd in words."""
    points = results.points.with_columns("producers", "consumers", "payload_bytes", "threads_per_block",
                                         "rounds", _HOP, _WAITED)
    return points.assign(
        variant=[_variant(*point) for point in zip(points["primitive"], points["axes"])],
        crowd=[f"{producers} to {consumers}"
               for producers, consumers in zip(points["producers"], points["consumers"])])


def pairs(results: Results) -> PointTable:
    """The hand-offs from one block to one and back, compared by their time."""
    return measured(results).select(producers=1, consumers=1).compared_by(_HOP)


def by_threads(results: Results) -> dict[str, PointTable]:
    """The pairs by the size of their blocks."""
    points = pairs(results)
    return {f"{threads:,} threads per block": points.select(threads_per_block=threads)
            for threads in points.values("threads_per_block")}


def hand_off(points: PointTable) -> Spread | None:
    """Nanoseconds of a hand-off, of the first ok point."""
    best = points.ok()
    return None if best.empty else nanoseconds(best.first())


def nanoseconds(point: PointRow) -> Spread | None:
    """Of a pair half a round trip; of others the time from the last arrival to the last waiter."""
    if point["crowd"] == "1 to 1":
        found = point.spread(_HOP)
        return found.scaled(1e9) if found else None
    return point.spread(_WAITED)


def _cell(points: PointTable) -> str:
    found = hand_off(points)
    return three_digits(found.median) if found else points.failure_word()


def _of_variants(points: PointTable) -> dict[str, PointTable]:
    return {name: points.of_variants(name) for name in points.variants()}


def gpu_tables(results: Results) -> list[Table]:
    """Nanoseconds of hand-offs, by payload, and by who hands to whom."""
    tables: list[Table] = []
    for threads, own in by_threads(results).items():
        tables += table_by("payload_bytes", _of_variants(own), _cell, f"pairs-{threads.split()[0]}",
                           "Nanoseconds per hand-off from one block to one other, half a round "
                           f"trip, by bytes of payload, {threads}:", "bytes")
    points = measured(results)
    crowds = points.where(points["crowd"] != "1 to 1")
    for payload, own in crowds.by("payload_bytes").items():
        tables += table_by("crowd", _of_variants(own), _cell, f"crowds-{payload}",
                           "Nanoseconds from the last arrival to the last waiter, by producers "
                           f"and consumers, {payload} bytes each:", "producers to consumers")
    return tables


def host_tables(results: Results) -> list[Table]:
    """Operations per round of the first crowd."""
    points = measured(results).with_columns(*_COUNTS.values())
    return [table for crowd in points.values("crowd")[:1]
            for table in counts_table(
                points.where(points["crowd"] == crowd), _COUNTS, "event",
                lambda point: int(point["axes"]["rounds"]),
                f"Operations per round, {crowd}, counted on the host executor:")]


def draw(results: Results) -> Figure | None:
    """A panel for each payload of a pair, and one for each crowd."""
    panels: dict[str, PointTable] = {}
    of_pairs = next(iter(by_threads(results).values()), None)
    if of_pairs is not None:
        panels |= {f"1 to 1, {payload:,} bytes": own for payload, own in of_pairs.by("payload_bytes").items()}
    points = measured(results)
    for producers, consumers in _CROWDS:
        own = points.select(producers=producers, consumers=consumers)
        if not own.empty:
            panels[f"{producers} to {consumers}, {own.values('payload_bytes')[0]:,} bytes"] = own
    bars = {title: {name: hand_off(own) or own.failure_word()
                    for name, own in _of_variants(of_panel).items()}
            for title, of_panel in panels.items()}
    names = list(dict.fromkeys(name for own in bars.values() for name in own))
    return by_input.draw(
        results, bars, names, "ns per hand-off", "Events: time of a hand-off between blocks",
        "1 to 1: half a round trip; others: from the last arrival to the last waiter.")


WORKLOAD = Workload(
    program="event",
    operation="hand-off",
    families={"events": "hand_off"},
    small_run="--producers 1,2 --consumers 1 --payload-bytes 100 --threads-per-block 64 --rounds 4",
    variant=_variant,
    figures={"gpu": (Drawing("hand-offs", "hand-offs from one block to one", draw),)},
    tables={"gpu": gpu_tables, "host": host_tables},
    question=Question(
        "a payload from block to block", Unit("ns per hand-off", 1e9), by_threads,
        "payload_bytes", "size of the payload", "{:,} bytes".format),
)
