"""Times of whole matrices next to their floor and what ICS'15 published: tables and claims."""

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
# What table 3 of the paper calls them.
PAPER = {"atomic_lock": "atomic_lock", "data_parallel": "data_parallel",
         "tiny_lock_shared": "tiny_lock"}
# What no version can be faster than: all scores have to be written, at the most that this memory
# was seen to take in a row; and of a path through the matrix one cell comes after the other, each
# an instruction that waits for the one before.
BYTES_PER_SECOND = 4.3e12
CYCLES_PER_CELL = 4
CLUSTER_AXES = ("cluster_blocks", "strips_per_sm")
_AUTO = "auto"


def measured(results: Results) -> PointTable:
    """All points of the generated sequences, with columns as many as there are."""
    points = results.points.with_columns("input", "rows", "columns", "row_pitch", "tile_size",
                                         "similarity_source", *CLUSTER_AXES, "seconds")
    columns = [rows if columns == _AUTO else columns
               for rows, columns in zip(points["rows"], points["columns"])]
    points = points.assign(columns=columns)
    return points.where(points["input"].eq("rodinia") & points["rows"].ne(_AUTO))


def squares(results: Results, pitch: str = "packed") -> PointTable:
    """Those with as many columns as rows."""
    points = measured(results).select(row_pitch=pitch)
    return points.where(points["rows"].eq(points["columns"]))


def seconds(points: PointTable) -> Spread | None:
    """Of the best tile and the best way to similarities."""
    return points.fastest_time()


def floor(rows: int, columns: int, clock_khz: float) -> float:
    """Seconds below which no version can be, by the two parameters above."""
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
    return [Table("times", "ms for a matrix of n x n scores, each with the tile that is best for "
                  "it; the floor is the time to write them at "
                  f"{BYTES_PER_SECOND / 1e12:.1f} TB/s, or that of the longest path at "
                  f"{CYCLES_PER_CELL} cycles a cell:", by_number("n", sizes, rows))]


def _speedups(points: PointTable) -> list[Table]:
    sizes = points.of_primitives(BASELINE).values("rows")
    others = [name for name in points.primitives() if name != BASELINE]
    if not sizes or not others:
        return []
    return [Table("speedups", f"How many times as fast as `{BASELINE}`, both with their best "
                  "tiles:", by_number("n", sizes, {
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
    for axis in ("tile_size", "similarity_source", *CLUSTER_AXES):  # more of them were tried with packed rows
        packed = packed.where(packed[axis].isin(lines[axis]))
    return [Table("lines", "How many times as fast with each row on lines of its own as with "
                  "packed rows:", by_number("n", sizes, {
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
    return [Table("rectangles", "ms for matrices that are no squares:",
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
    return [Table("baseline", f"ms of `{BASELINE}` by the rows of its tiles and where it has "
                  "similarities from:", by_number("n", sizes, {
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
                  "ms of `strips` by the blocks of its clusters and its strips on an SM:",
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
    return [Table("operations", f"Synchronizing operations per cell of a tile of {most} rows, on a "
                  "schedule in which all threads take turns; loads and atomics are polls, for the "
                  "most part:", by_name("version", list(_COUNTS), rows))]


_TINY_LOCK, _PRIVATE = "tiny_lock_shared", "tiny_lock_private"
_SPIN, _LAUNCHES = "atomic_lock", "data_parallel"
# Up to here the paper's version on lock bits beats launches, from the next size on it loses.
_LAST_AHEAD = 248


def claims_of(recorded: Mapping[str, Results]) -> list[Claim]:
    """The claims of its section 6."""
    results = recorded.get("nw_gpu")
    if results is None:
        return []
    points = squares(results)
    return [
        Claim("cells that wait by tiny-lock are faster than by spin locks, the more the larger",
              _published(_SPIN, (31, 1984)), _over_spin(points)),
        Claim("tiny-lock is faster than launches up to a size, and slower beyond",
              _published(_LAUNCHES, (31, 248, 496, 1984)), _over_launches(points)),
        Claim("private channels are faster than shared ones, which need a third of the locks",
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
