"""Times of whole matrices next to their lower bound and to ICS'15's numbers: tables and claims."""

from __future__ import annotations

from collections.abc import Mapping

from finesync.papers import published
from finesync.papers.claims import verdict
from finesync.results.loading import Results
from finesync.results.markdown import Table, by_name, by_number, three_digits
from finesync.results.point_table import PointTable, Spread
from finesync.results.workload import Claim

FAMILIES = {"alignments": "channels"}
BASELINE = "data_parallel_graph"
# The names in the paper's table 3.
PAPER = {"atomic_lock": "atomic_lock", "data_parallel": "data_parallel",
         "tiny_lock_shared": "tiny_lock"}
# Lower bound of all versions: every score must be written, at the highest rate measured for this
# memory; and the cells of a path are sequential, each with an instruction that waits for the
# previous cell.
BYTES_PER_SECOND = 4.3e12
CYCLES_PER_CELL = 4
CLUSTER_AXES = ("cluster_blocks", "strips_per_sm")
_AUTO = "auto"


def measured(results: Results) -> PointTable:
    """All points of the generated sequences, with their number of columns."""
    points = results.points.with_columns("input", "rows", "columns", "row_pitch", "tile_size",
                                         "similarity_source", *CLUSTER_AXES, "seconds")
    columns = [rows if columns == _AUTO else columns
               for rows, columns in zip(points["rows"], points["columns"])]
    points = points.assign(columns=columns)
    return points.where(points["input"].eq("rodinia") & points["rows"].ne(_AUTO))


def squares(results: Results, pitch: str = "packed") -> PointTable:
    """The points of square matrices."""
    points = measured(results).select(row_pitch=pitch)
    return points.where(points["rows"].eq(points["columns"]))


def seconds(points: PointTable) -> Spread | None:
    """The time with the best tile size and similarity source."""
    return points.fastest_time()


def floor(rows: int, columns: int, clock_khz: float) -> float:
    """The lower bound in seconds, from the two constants above."""
    path = (rows + columns - 1) * CYCLES_PER_CELL / (clock_khz * 1e3)
    return max(4 * rows * columns / BYTES_PER_SECOND, path)


def gpu_tables(results: Results) -> list[Table]:
    """Times and speed-ups by size, table 3, rows on lines, rectangles, tiles, clusters."""
    points = squares(results)
    return [*_times(points, results), *_speedups(points), *_table_3(points), *_lines(results),
            *_rectangles(results), *_baseline(points), *_clusters(points)]


def _times(points: PointTable, results: Results) -> list[Table]:
    sizes = points.values("rows")
    if not sizes:
        return []
    rows = {name: [_cell(points.of_primitives(name).select(rows=size), 1e3) for size in sizes]
            for name in points.primitives()}
    if results.gpu.get("clock_khz"):
        rows["floor"] = [three_digits(1e3 * floor(size, size, results.gpu["clock_khz"]))
                         for size in sizes]
    return [Table("times", "ms for a matrix of n x n scores, each version with its best tile size. "
                  "Floor: the time to write the scores at "
                  f"{BYTES_PER_SECOND / 1e12:.1f} TB/s, or that of the longest path at "
                  f"{CYCLES_PER_CELL} cycles per cell:", by_number("n", sizes, rows))]


def _speedups(points: PointTable) -> list[Table]:
    sizes = points.of_primitives(BASELINE).values("rows")
    others = [name for name in points.primitives() if name != BASELINE]
    if not sizes or not others:
        return []
    return [Table("speedups", f"Speed-up over `{BASELINE}`, both with their best tile sizes:",
                  by_number("n", sizes, {
                      name: [_over(points.of_primitives(name).select(rows=size),
                                   points.of_primitives(BASELINE).select(rows=size))
                             for size in sizes]
                      for name in others}))]


def _table_3(points: PointTable) -> list[Table]:
    paper = published.ics15()
    theirs = paper["table3_needleman_wunsch_us"]
    sizes = [size for size in theirs["grid"] if size in points.values("rows")]
    if not sizes:
        return []
    places = [theirs["grid"].index(size) for size in sizes]
    gpu = paper["gpu"].split(" (")[0]
    rows = {}
    for name, their_name in PAPER.items():
        rows[name] = [_cell(points.of_primitives(name).select(rows=size), 1e6) for size in sizes]
        rows[f"{their_name}, {gpu}"] = [f"{theirs[their_name][place]:,}" for place in places]
    return [Table("table-3", "ICS'15, table 3: microseconds here, and as published:",
                  by_number("n", sizes, rows))]


def _lines(results: Results) -> list[Table]:
    packed, lines = squares(results), squares(results, "lines")
    sizes = lines.values("rows")
    if not sizes:
        return []
    for axis in ("tile_size", "similarity_source", *CLUSTER_AXES):  # packed rows were run with more values
        packed = packed.where(packed[axis].isin(lines[axis]))
    return [Table("lines", "Speed-up of rows on separate cache lines over packed rows:",
                  by_number("n", sizes, {
                      name: [_over(lines.of_primitives(name).select(rows=size),
                                   packed.of_primitives(name).select(rows=size)) for size in sizes]
                      for name in lines.primitives()}))]


def _rectangles(results: Results) -> list[Table]:
    points = measured(results).select(row_pitch="packed")
    points = points.where(points["rows"].ne(points["columns"]))
    shapes = sorted({(int(rows), int(columns))
                     for rows, columns in zip(points["rows"], points["columns"])})
    if not shapes:
        return []
    return [Table("rectangles", "ms for matrices that are not square:",
                  by_name("rows x columns", [f"{rows:,} x {columns:,}" for rows, columns in shapes],
                          {name: [_cell(points.of_primitives(name).select(rows=rows,
                                                                          columns=columns), 1e3)
                                  for rows, columns in shapes] for name in points.primitives()}))]


def _baseline(points: PointTable) -> list[Table]:
    own = points.of_primitives(BASELINE)
    tiles = [tile for tile in own.values("tile_size") if tile != _AUTO]
    sizes = own.of_primitives(BASELINE).where(own["tile_size"].isin(tiles)).values("rows")
    if len(tiles) < 2:
        return []
    return [Table("baseline", f"ms of `{BASELINE}` by tile size and similarity source:", by_number("n", sizes, {
                      f"{tile}, {source}": [
                          _cell(own.select(rows=size, tile_size=tile, similarity_source=source), 1e3)
                          for size in sizes]
                      for tile in tiles for source in own.values("similarity_source")}))]


def _clusters(points: PointTable) -> list[Table]:
    own = points.of_primitives("strips")
    own = own.where(own["cluster_blocks"].ne(_AUTO) & own["strips_per_sm"].ne(_AUTO)
                    & own["cluster_blocks"].notna() & own["strips_per_sm"].notna())
    sizes = own.values("rows")
    if not sizes:
        return []
    return [Table("clusters",
                  "ms of `strips` by blocks per cluster and strips per SM:",
                  by_number("n", sizes, {
                      f"{blocks}, {strips}": [
                          _cell(own.select(**{"rows": size, "cluster_blocks": blocks,
                                              "strips_per_sm": strips}), 1e3)
                          for size in sizes]
                      for blocks in own.values("cluster_blocks")
                      for strips in own.values("strips_per_sm")}))]


def _cell(points: PointTable, factor: float) -> str:
    found = seconds(points)
    return three_digits(found.median * factor) if found else points.failure_word()


def _over(points: PointTable, base: PointTable) -> str:
    mine, theirs = seconds(points), seconds(base)
    return f"{three_digits(theirs.median / mine.median)}x" if mine and theirs else "-"


_COUNTS = {"atomics": "count_rmw_block_shared", "loads": "count_load_block_shared",
           "stores": "count_store_block_shared", "barriers": "count_block_barrier"}


def operation_tables(results: Results) -> list[Table]:
    """Synchronizing operations in shared memory, and threads at barriers, per cell of a tile."""
    points = results.points.with_columns("rows", *_COUNTS.values())
    most = max(points.values("rows"), default=None)
    here = points.select(rows=most)
    if most is None or here.empty:
        return []
    rows = {}
    for name in here.primitives():
        point = here.of_primitives(name).first()
        cells = int(point["effective"]["rows"]) * int(point["effective"]["columns"])
        rows[name] = [three_digits((point.median(count) or 0.0) / cells)
                      for count in _COUNTS.values()]
    return [Table("operations", f"Synchronizing operations per cell of a tile of {most} rows, on the "
                  "round-robin schedule; most loads and atomics are polls:",
                  by_name("version", list(_COUNTS), rows))]


_TINY_LOCK, _PRIVATE = "tiny_lock_shared", "tiny_lock_private"
_SPIN, _LAUNCHES = "atomic_lock", "data_parallel"
# The largest size at which the paper's version on lock bits is faster than launches.
_LAST_AHEAD = 248


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """The claims of its section 6."""
    results = recorded.get("nw_gpu")
    if results is None:
        return []
    points = squares(results)
    return [
        Claim("tiny-lock is faster than spin locks, and gains more with larger matrices",
              _published(_SPIN, (31, 1984)), _over_spin(points)),
        Claim("tiny-lock is faster than launches up to a size, and slower above it",
              _published(_LAUNCHES, (31, 248, 496, 1984)), _over_launches(points)),
        Claim("private channels are faster than shared ones, though these need a third of the locks",
              "no number", _private(points)),
    ]


def _sizes(points: PointTable, *names: str) -> dict[int, float]:
    """Seconds of the first over those of the second, by the sizes of table 3 that both have."""
    found = {}
    for size in published.ics15()["table3_needleman_wunsch_us"]["grid"]:
        own, other = (seconds(points.of_primitives(name).select(rows=size)) for name in names)
        if own and other:
            found[size] = own.median / other.median
    return found


def _said(ratios: Mapping[int, float]) -> str:
    return ", ".join(f"{three_digits(ratio)}x ({size:,})" for size, ratio in ratios.items())


def _published(other: str, sizes: tuple[int, ...]) -> str:
    table = published.ics15()["table3_needleman_wunsch_us"]
    places = {size: table["grid"].index(size) for size in sizes}
    return ", ".join(
        f"{table[PAPER[other]][place] / table[PAPER[_TINY_LOCK]][place]:.3g}x ({size:,})"
        for size, place in places.items())


def _over_spin(points: PointTable) -> str:
    ratios = _sizes(points, _SPIN, _TINY_LOCK)
    if len(ratios) < 2:
        return verdict([], "")
    least, most = ratios[min(ratios)], ratios[max(ratios)]
    return verdict([least > 1, most > least], _said(ratios))


def _over_launches(points: PointTable) -> str:
    ratios = _sizes(points, _LAUNCHES, _TINY_LOCK)
    return verdict([(ratio > 1) == (size <= _LAST_AHEAD) for size, ratio in ratios.items()],
                   _said(ratios))


def _private(points: PointTable) -> str:
    ratios = _sizes(points, _TINY_LOCK, _PRIVATE)
    return verdict([ratio > 1 for ratio in ratios.values()], _said(ratios))
