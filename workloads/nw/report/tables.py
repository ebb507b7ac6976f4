"""Times of whole matrices next to their lower bound and to ICS'15's numbers."""

from __future__ import annotations

from finesync.papers import published
from finesync.query.points import PointTable
from finesync.query.tables import (Table, cells_by, counts_table, speedup_cell, table_by, three_digits, time_cell)
from finesync.results import originals
from finesync.results.loading import Results

FAMILIES = {"alignments": "channels"}
BASELINE = "data_parallel_graph"
# The names in the paper's table 3.
PAPER = {"atomic_lock": "atomic_lock", "data_parallel": "data_parallel", "tiny_lock_shared": "tiny_lock"}
# Lower bound of all versions: every score must be written, at the highest rate measured for this memory; and the cells
# of a path are sequential, each with an instruction that waits for the previous cell.
BYTES_PER_SECOND = 4.3e12
CYCLES_PER_CELL = 4
CLUSTER_AXES = ("cluster_blocks", "strips_per_sm")
_AUTO = "auto"
WIDEST = "widest_launch_ns"
PAPERS_TILE = 32  # threads along a tile
_MILLISECONDS = time_cell(1e3)


def measured(results: Results) -> PointTable:
    """All points of the generated sequences, with their number of columns."""
    points = results.points.with_columns("input", "rows", "columns", "row_pitch", "tile_size",
                                         "similarity_source", *CLUSTER_AXES, "seconds")
    columns = [rows if columns == _AUTO else columns for rows, columns in zip(points["rows"], points["columns"])]
    points = points.assign(columns=columns)
    return points.where(points["input"].eq("rodinia") & points["rows"].ne(_AUTO))


def squares(results: Results, pitch: str = "packed") -> PointTable:
    points = measured(results).select(row_pitch=pitch)
    return points.where(points["rows"].eq(points["columns"]))


def floor(rows: int, columns: int, clock_khz: float) -> float:
    """The lower bound in seconds, from the two constants above."""
    path = (rows + columns - 1) * CYCLES_PER_CELL / (clock_khz * 1e3)
    return max(4 * rows * columns / BYTES_PER_SECOND, path)


def gpu_tables(results: Results) -> list[Table]:
    """Times and speed-ups by size, rows on lines, rectangles, tiles, clusters."""
    points = squares(results)
    return [*_times(points, results), *_speedups(points), *_lines(results),
            *_rectangles(results), *_baseline(points), *_clusters(points)]


def _times(points: PointTable, results: Results) -> list[Table]:
    sizes = points.values("rows")
    if not sizes:
        return []
    rows = cells_by("rows", sizes, points.by_primitive(), _MILLISECONDS)
    if results.gpu.get("clock_khz"):
        rows["floor"] = [three_digits(1e3 * floor(size, size, results.gpu["clock_khz"])) for size in sizes]
    return [Table("times", "ms for a matrix of n x n scores, each version with its best tile size. "
                  "Floor: the time to write the scores at "
                  f"{BYTES_PER_SECOND / 1e12:.1f} TB/s, or that of the longest path at "
                  f"{CYCLES_PER_CELL} cycles per cell:", "n", sizes, rows)]


def _speedups(points: PointTable) -> list[Table]:
    base = points.of_primitives(BASELINE)
    sizes = base.values("rows")
    rows = {name: [speedup_cell(own.select(rows=size), base.select(rows=size)) for size in sizes]
            for name, own in points.by_primitive().items() if name != BASELINE}
    return [Table("speedups", f"Speed-up over `{BASELINE}`, both with their best tile sizes:",
                  "n", sizes, rows)] if sizes and rows else []


def table_3(results: Results) -> list[Table]:
    """The paper's versions and, below them, ours."""
    points = squares(results)
    theirs = published.at("ics15.table3_needleman_wunsch_us")
    sizes = [size for size in theirs["grid"] if size in points.values("rows")]
    names = [name for name in points.primitives() if name not in PAPER]
    if not sizes or not set(PAPER) <= set(points.primitives()):
        return []
    rows = {}
    for name, their_name in PAPER.items():
        own = points.of_primitives(name)
        rows |= cells_by("rows", sizes, {name: own}, time_cell(1e6))
        if WIDEST in own and own[WIDEST].notna().any():
            rows |= cells_by("rows", sizes, {f"{name}, widest launch": own}, _widest_cell)
        rows[f"{their_name}, {published.gpu('ics15')}"] = [
            f"{theirs[their_name][theirs['grid'].index(size)]:,}" for size in sizes]
    rows |= cells_by("rows", sizes, {f"ours: {name}": points.of_primitives(name) for name in names}, time_cell(1e6))
    theirs = originals.beside(results.path.parent)
    alone = theirs.results(results.program) if theirs else None
    if alone is not None and set(sizes) & set(alone.points.values("rows")):
        rows |= {f"the original program: {name}": [
            "not measured" if (here := own.select(rows=size)).empty else time_cell(1e6)(here)
            for size in sizes] for name, own in alone.points.by_primitive().items()}
    return [Table("ics15-table3", f"Table 3, microseconds for a matrix, here ({results.gpu_name}) "
                  "and as published, each version with its best tile size:", "n", sizes, rows)]


def _widest_cell(points: PointTable) -> str:
    """Microseconds of the widest launch, in the paper's tiles."""
    own = points.where(points["tile_size"].isin([_AUTO, PAPERS_TILE]) & points[WIDEST].notna())
    best = own.fastest_point()
    return points.failure_word() if best is None else three_digits((best.median(WIDEST) or 0.0) * 1e-3)


def _lines(results: Results) -> list[Table]:
    packed, lines = squares(results), squares(results, "lines")
    sizes = lines.values("rows")
    if not sizes:
        return []
    for axis in ("tile_size", "similarity_source", *CLUSTER_AXES):  # packed rows were run with more values
        packed = packed.where(packed[axis].isin(lines[axis]))
    title = "Speed-up of rows on separate cache lines over packed rows:"
    return [Table("lines", title, "n", sizes, {
        name: [speedup_cell(own.select(rows=size), packed.of_primitives(name).select(rows=size))
               for size in sizes] for name, own in lines.by_primitive().items()})]


def _rectangles(results: Results) -> list[Table]:
    points = measured(results).select(row_pitch="packed")
    points = points.where(points["rows"].ne(points["columns"]))
    shapes = sorted({(int(rows), int(columns)) for rows, columns in zip(points["rows"], points["columns"])})
    return [Table("rectangles", "ms for matrices that are not square:", "rows x columns",
                  [f"{rows:,} x {columns:,}" for rows, columns in shapes], {
                      name: [_MILLISECONDS(own.select(rows=rows, columns=columns))
                             for rows, columns in shapes]
                      for name, own in points.by_primitive().items()})] if shapes else []


def _baseline(points: PointTable) -> list[Table]:
    own = points.of_primitives(BASELINE)
    own = own.where(own["tile_size"].notna() & own["tile_size"].ne(_AUTO))
    return table_by("rows", _by_both(own, "tile_size", "similarity_source"), _MILLISECONDS,
                    "baseline", f"ms of `{BASELINE}` by tile size and similarity source:",
                    "n") if len(own.values("tile_size")) > 1 else []


def _by_both(points: PointTable, first: str, second: str) -> dict[str, PointTable]:
    """The points of each combination of two axes' values."""
    return {f"{one}, {other}": points.select(**{first: one, second: other})
            for one in points.values(first) for other in points.values(second)}


def _clusters(points: PointTable) -> list[Table]:
    own = points.of_primitives("strips")
    own = own.where(own["cluster_blocks"].ne(_AUTO) & own["strips_per_sm"].ne(_AUTO)
                    & own["cluster_blocks"].notna() & own["strips_per_sm"].notna())
    return table_by("rows", _by_both(own, *CLUSTER_AXES), _MILLISECONDS, "clusters",
                    "ms of `strips` by blocks per cluster and strips per SM:", "n")


_COUNTS = {"atomics": "count_rmw_block_shared", "loads": "count_load_block_shared",
           "stores": "count_store_block_shared", "barriers": "count_block_barrier"}


def operation_tables(results: Results) -> list[Table]:
    """Synchronizing operations in shared memory, and threads at barriers, per cell of a tile."""
    points = results.points.with_columns("rows", *_COUNTS.values())
    most = max(points.values("rows"), default=None)
    return counts_table(
        points.select(rows=most), _COUNTS, "version",
        lambda point: int(point["effective"]["rows"]) * int(point["effective"]["columns"]),
        f"Synchronizing operations per cell of a tile of {most} rows, on the round-robin schedule; "
        "most loads and atomics are polls:") if most else []
