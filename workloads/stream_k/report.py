"""`stream_k`: products whose tiles are cut, by how their sums are added up (docs/library/persistent_kernels.md)."""

from __future__ import annotations

from finesync.figures import by_input
from finesync.query.points import PointTable
from finesync.query.tables import counts_per_round, tables_by, time_cell
from finesync.results.loading import Results
from finesync.results.workload import Question, Unit, Workload

_PRODUCT = "seconds_per_operation"
_US = 1e6


def measured(results: Results) -> PointTable:
    """All points, compared by a product."""
    return results.points.with_columns("tiles", "depth", "tbs_per_sm", _PRODUCT).compared_by(_PRODUCT)


def by_depth(results: Results) -> dict[str, PointTable]:
    return {f"tiles of {depth} steps": own for depth, own in measured(results).by("depth").items()}


WORKLOAD = Workload(
    program="stream_k",
    operation="product",
    families={"fixups": "fix-up"},
    small_run="--tiles 3 --depth 8 --threads-per-block 64 --rounds 2",
    figures={"gpu": (by_input.of_points(
        "cut-tiles", "products whose tiles are cut",
        lambda results: {f"{tiles} {depth}": own for depth, points in by_depth(results).items()
                         for tiles, own in points.by("tiles").items()},
        lambda own: own.best_time(_US), "us per product", "Products whose tiles are cut: time of a product",
        "All steps are split evenly over the blocks."),)},
    tables={"gpu": lambda results: tables_by(by_depth(results), "tiles", time_cell(_US), "tiles-{number}",
                                             "Microseconds per product, {group}:", "tiles"),
            "host": lambda results: counts_per_round(
                measured(results), "fix-up",
                "Operations per product of three tiles, counted on the host executor:")},
    question=Question("sums of a tile by several blocks", Unit("µs per product", _US), by_depth, "tiles",
                      "number of tiles", "{} tiles".format),
)
