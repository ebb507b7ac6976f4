"""What a cell takes, as the host executor counts it."""

from __future__ import annotations

from finesync_results.loading import Results
from finesync_results.markdown import Table, by_name, three_digits
from finesync_results.points import median, of, primitives, select, values, with_columns

_COUNTS = {"atomics": "count_rmw_block_shared", "loads": "count_load_block_shared",
           "stores": "count_store_block_shared", "barriers": "count_block_barrier"}


def counted(results: Results) -> list[Table]:
    """Synchronizing operations in shared memory, and threads at barriers, per cell of a tile."""
    points = with_columns(results.points, "rows", *_COUNTS.values())
    most = max(values(points, "rows"), default=None)
    here = select(points, rows=most)
    if most is None or here.empty:
        return []
    rows = {}
    for name in primitives(here):
        point = of(here, name).iloc[0]
        cells = int(point["ran"]["rows"]) * int(point["ran"]["columns"])
        rows[name] = [three_digits((median(point, count) or 0.0) / cells)
                      for count in _COUNTS.values()]
    return [Table("operations", f"Synchronizing operations per cell of a tile of {most} rows, on a "
                  "schedule in which all threads take turns; loads and atomics are polls, for the "
                  "most part:", by_name("version", list(_COUNTS), rows))]
