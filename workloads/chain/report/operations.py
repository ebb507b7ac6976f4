"""What a hand-over takes, as the host executor counts it."""

from __future__ import annotations

from finesync_results.loading import Results
from finesync_results.markdown import Table, by_name, three_digits
from finesync_results.points import median, of, primitives, select, values, with_columns

# Of a whole warp's hand-over, in the order in which one reads them.
_COUNTS = {"atomics": "count_rmw_block_shared", "loads": "count_load_block_shared",
           "stores": "count_store_block_shared", "arrivals and waits": "count_named_barrier",
           "votes and waits of the warp": "count_warp_collective"}


def counted(results: Results) -> list[Table]:
    """Operations per hand-over, opening the channels included."""
    points = with_columns(results.points, "warps", "rounds", *_COUNTS.values())
    warps = max(values(points, "warps"), default=None)
    here = select(points, warps=warps)
    if warps is None or here.empty:
        return []
    rows = {}
    for name in primitives(here):
        point = of(here, name).iloc[0]
        links = point["ran"].get("links", 0) * int(point["axes"]["rounds"])
        rows[name] = ["-" if not links else three_digits((median(point, count) or 0.0) / links)
                      for count in _COUNTS.values()]
    return [Table("operations", f"Operations per hand-over of a warp, of {warps} warps, on a "
                  "schedule in which all threads take turns; loads and atomics are polls, for the "
                  "most part:", by_name("scheme", list(_COUNTS), rows))]
