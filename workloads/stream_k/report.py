"""`stream_k`: products whose tiles are cut, by how their sums are added up (docs/library/persistent_kernels.md)."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync.figures import by_input
from finesync.results.loading import COUNTED, Results
from finesync.query.tables import Table, counts_table, table_by, time_cell
from finesync.query.points import PointTable, Spread
from finesync.results.workload import Drawing, Question, Unit, Workload

_PRODUCT = "seconds_per_operation"
_COUNTS = dict(zip(("atomics", "fences", "polls"), COUNTED))
_US = 1e6


def measured(results: Results) -> PointTable:
    """All points, compared by a product."""
    return results.points.with_columns("tiles", "depth", "tbs_per_sm", "rounds", _PRODUCT).compared_by(_PRODUCT)


def by_depth(results: Results) -> dict[str, PointTable]:
    return {f"tiles of {depth} steps": own for depth, own in measured(results).by("depth").items()}


def gpu_tables(results: Results) -> list[Table]:
    """Microseconds per product, by the number of tiles."""
    return [table for number, (depth, own) in enumerate(by_depth(results).items(), 1)
            for table in table_by("tiles", own.by_primitive(), time_cell(_US), f"tiles-{number}",
                                  f"Microseconds per product, {depth}:", "tiles")]


def host_tables(results: Results) -> list[Table]:
    """Operations per product."""
    points = measured(results).with_columns(*_COUNTS.values())
    return counts_table(points, _COUNTS, "fix-up", lambda point: int(point["axes"]["rounds"]),
                        "Operations per product of three tiles, counted on the host executor:")


def draw(results: Results) -> Figure | None:
    """A panel for each number of tiles and depth."""
    bars: dict[str, dict[str, Spread | str]] = {}
    for depth, points in by_depth(results).items():
        for tiles, own in points.by("tiles").items():
            bars[f"{tiles} {depth}"] = {
                name: (found.scaled(_US) if (found := each.fastest_time()) else each.failure_word())
                for name, each in own.by_primitive().items()}
    names = list(dict.fromkeys(name for own in bars.values() for name in own))
    return by_input.draw(results, bars, names, "us per product", "Products whose tiles are cut: time of a product",
                         "All steps are split evenly over the blocks.")


WORKLOAD = Workload(
    program="stream_k",
    operation="product",
    families={"fixups": "fix-up"},
    small_run="--tiles 3 --depth 8 --threads-per-block 64 --rounds 2",
    figures={"gpu": (Drawing("cut-tiles", "products whose tiles are cut", draw),)},
    tables={"gpu": gpu_tables, "host": host_tables},
    question=Question("sums of a tile by several blocks", Unit("µs per product", _US), by_depth, "tiles",
                      "number of tiles", "{} tiles".format),
)
