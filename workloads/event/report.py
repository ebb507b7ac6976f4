"""`event`: payloads that blocks hand to other blocks (docs/library/events.md)."""

from __future__ import annotations

from finesync.figures import by_input
from finesync.query.points import PointRow, PointTable, Spread
from finesync.query.tables import Table, cell_of, counts_per_round, tables_by
from finesync.results.loading import Results
from finesync.results.workload import Axes, Chart, Question, Unit, Workload

_HOP = "seconds_per_operation"
_WAITED = "last_waiter_ns"
# The crowds of the figure, one beside the other: producers, consumers.
_CROWDS = ((16, "all"), ("all", "all"))


def _variant(primitive: str, axes: Axes) -> str:
    return f"{primitive}_of_block" if axes.get("whole_block") == "yes" else primitive


def measured(results: Results) -> PointTable:
    """All points, each with its variant and its crowd in words."""
    points = results.points.with_columns("producers", "consumers", "payload_bytes", "threads_per_block", _HOP, _WAITED)
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


def hand_off(points: PointTable) -> Spread | str:
    """Nanoseconds of a hand-off, of the first ok point that has them."""
    return points.best(nanoseconds, first=True)


def nanoseconds(point: PointRow) -> Spread | None:
    """Of a pair half a round trip; of others the time from the last arrival to the last waiter."""
    if point["crowd"] == "1 to 1":
        found = point.spread(_HOP)
        return found.scaled(1e9) if found else None
    return point.spread(_WAITED)


def _cell(points: PointTable) -> str:
    return cell_of(hand_off(points))


def gpu_tables(results: Results) -> list[Table]:
    """Nanoseconds of hand-offs, by payload, and by who hands to whom."""
    points = measured(results)
    crowds = points.where(points["crowd"] != "1 to 1")
    return [*(table for threads, own in by_threads(results).items() for table in tables_by(
                {threads: own}, "payload_bytes", _cell, f"pairs-{threads.split()[0]}",
                "Nanoseconds per hand-off from one block to one other, half a round trip, by bytes of "
                "payload, {group}:", "bytes")),
            *tables_by(crowds.by("payload_bytes"), "crowd", _cell, "crowds-{group}",
                       "Nanoseconds from the last arrival to the last waiter, by producers and consumers, "
                       "{group} bytes each:", "producers to consumers")]


def host_tables(results: Results) -> list[Table]:
    """Operations per round of the first crowd."""
    points = measured(results)
    return [table for crowd in points.values("crowd")[:1]
            for table in counts_per_round(points.where(points["crowd"] == crowd), "event",
                                          f"Operations per round, {crowd}, counted on the host executor:")]


def _panels(results: Results) -> dict[str, PointTable]:
    """The pairs of each payload, and each crowd."""
    of_pairs = next(iter(by_threads(results).values()), None)
    panels = {} if of_pairs is None else {
        f"1 to 1, {payload:,} bytes": own for payload, own in of_pairs.by("payload_bytes").items()}
    points = measured(results)
    for producers, consumers in _CROWDS:
        own = points.select(producers=producers, consumers=consumers)
        if not own.empty:
            panels[f"{producers} to {consumers}, {own.values('payload_bytes')[0]:,} bytes"] = own
    return panels


WORKLOAD = Workload(
    program="event",
    operation="hand-off",
    families={"events": "hand_off"},
    small_run="--producers 1,2 --consumers 1 --payload-bytes 100 --threads-per-block 64 --rounds 4",
    variant=_variant,
    figures={"gpu": (by_input.of_points(
        "hand-offs", "hand-offs from one block to one", _panels, hand_off, "ns per hand-off",
        "Events: time of a hand-off between blocks",
        "1 to 1: half a round trip; others: from the last arrival to the last waiter."),)},
    tables={"gpu": gpu_tables, "host": host_tables},
    chart=Chart("Which event?", has_library=lambda axes: False),
    question=Question(
        "a payload from block to block", Unit("ns per hand-off", 1e9), by_threads,
        "payload_bytes", "size of the payload", "{:,} bytes".format, group="Events and queues"),
)
