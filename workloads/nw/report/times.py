"""Times of whole matrices beside their floor and what ICS'15 printed: points and tables."""

from __future__ import annotations

from finesync_results import published
from finesync_results.loading import Results
from finesync_results.markdown import Table, by_factor, by_name, three_digits
from finesync_results.points import (Points, Spread, failure_word, fastest, of, primitives, select,
                                     spread, values, with_columns)

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


def measured(results: Results) -> Points:
    """All points of the generated sequences, with columns as many as there are."""
    points = with_columns(results.points, "input", "rows", "columns", "pitch", "tile",
                          "similarities", *CLUSTER_AXES, "seconds")
    columns = [rows if columns == _AUTO else columns
               for rows, columns in zip(points["rows"], points["columns"])]
    points = points.assign(columns=columns)
    return points[points["input"].eq("rodinia") & points["rows"].ne(_AUTO)]


def squares(results: Results, pitch: str = "packed") -> Points:
    """Those with as many columns as rows."""
    points = select(measured(results), pitch=pitch)
    return points[points["rows"].eq(points["columns"])]


def seconds(points: Points) -> Spread | None:
    """Of the best tile and the best way to similarities."""
    point = fastest(points)
    return None if point is None else spread(point, "seconds")


def floor(rows: int, columns: int, clock_khz: float) -> float:
    """Seconds below which no version can be, by the two parameters above."""
    path = (rows + columns - 1) * CYCLES_PER_CELL / (clock_khz * 1e3)
    return max(4 * rows * columns / BYTES_PER_SECOND, path)


def tables(results: Results) -> list[Table]:
    """Times and speed-ups by size, table 3, rows on lines, rectangles, tiles, clusters."""
    points = squares(results)
    return [*_times(points, results), *_speedups(points), *_table_3(points), *_lines(results),
            *_rectangles(results), *_baseline(points), *_clusters(points)]


def _times(points: Points, results: Results) -> list[Table]:
    sizes = values(points, "rows")
    if not sizes:
        return []
    rows = {name: [_cell(select(of(points, name), rows=size), 1e3) for size in sizes]
            for name in primitives(points)}
    if results.gpu.get("clock_khz"):
        rows["floor"] = [three_digits(1e3 * floor(size, size, results.gpu["clock_khz"]))
                         for size in sizes]
    return [Table("times", "ms for a matrix of n x n scores, each with the tile that is best for "
                  "it; the floor is the time to write them at "
                  f"{BYTES_PER_SECOND / 1e12:.1f} TB/s, or that of the longest path at "
                  f"{CYCLES_PER_CELL} cycles a cell:", by_factor("n", sizes, rows))]


def _speedups(points: Points) -> list[Table]:
    sizes = values(of(points, BASELINE), "rows")
    others = [name for name in primitives(points) if name != BASELINE]
    if not sizes or not others:
        return []
    return [Table("speedups", f"How many times as fast as `{BASELINE}`, both with their best "
                  "tiles:", by_factor("n", sizes, {
                      name: [_over(select(of(points, name), rows=size),
                                   select(of(points, BASELINE), rows=size)) for size in sizes]
                      for name in others}))]


def _table_3(points: Points) -> list[Table]:
    paper = published.ics15()
    theirs = paper["table3_needleman_wunsch_us"]
    sizes = [size for size in theirs["grid"] if size in values(points, "rows")]
    if not sizes:
        return []
    places = [theirs["grid"].index(size) for size in sizes]
    gpu = paper["gpu"].split(" (")[0]
    rows = {}
    for name, their_name in PAPER.items():
        rows[name] = [_cell(select(of(points, name), rows=size), 1e6) for size in sizes]
        rows[f"{their_name}, {gpu}"] = [f"{theirs[their_name][place]:,}" for place in places]
    return [Table("table-3", "ICS'15, table 3: microseconds here, and as published:",
                  by_factor("n", sizes, rows))]


def _lines(results: Results) -> list[Table]:
    packed, lines = squares(results), squares(results, "lines")
    sizes = values(lines, "rows")
    if not sizes:
        return []
    for axis in ("tile", "similarities", *CLUSTER_AXES):  # more of them were tried with packed rows
        packed = packed[packed[axis].isin(lines[axis])]
    return [Table("lines", "How many times as fast with each row on lines of its own as with "
                  "packed rows:", by_factor("n", sizes, {
                      name: [_over(select(of(lines, name), rows=size),
                                   select(of(packed, name), rows=size)) for size in sizes]
                      for name in primitives(lines)}))]


def _rectangles(results: Results) -> list[Table]:
    points = select(measured(results), pitch="packed")
    points = points[points["rows"].ne(points["columns"])]
    shapes = sorted({(int(rows), int(columns))
                     for rows, columns in zip(points["rows"], points["columns"])})
    if not shapes:
        return []
    return [Table("rectangles", "ms for matrices that are no squares:",
                  by_name("rows x columns", [f"{rows:,} x {columns:,}" for rows, columns in shapes],
                          {name: [_cell(select(of(points, name), rows=rows, columns=columns), 1e3)
                                  for rows, columns in shapes] for name in primitives(points)}))]


def _baseline(points: Points) -> list[Table]:
    own = of(points, BASELINE)
    tiles = [tile for tile in values(own, "tile") if tile != _AUTO]
    sizes = values(of(own, BASELINE)[own["tile"].isin(tiles)], "rows")
    if len(tiles) < 2:
        return []
    return [Table("baseline", f"ms of `{BASELINE}` by the rows of its tiles and where it has "
                  "similarities from:", by_factor("n", sizes, {
                      f"{tile}, {source}": [
                          _cell(select(own, rows=size, tile=tile, similarities=source), 1e3)
                          for size in sizes]
                      for tile in tiles for source in values(own, "similarities")}))]


def _clusters(points: Points) -> list[Table]:
    own = of(points, "strips")
    own = own[own["cluster_blocks"].ne(_AUTO) & own["strips_per_sm"].ne(_AUTO)].dropna(
        subset=list(CLUSTER_AXES))
    sizes = values(own, "rows")
    if not sizes:
        return []
    return [Table("clusters", "ms of `strips` by the blocks of its clusters and its strips on an SM:",
                  by_factor("n", sizes, {
                      f"{blocks}, {strips}": [
                          _cell(select(own, **{"rows": size, "cluster_blocks": blocks,
                                               "strips_per_sm": strips}), 1e3)
                          for size in sizes]
                      for blocks in values(own, "cluster_blocks")
                      for strips in values(own, "strips_per_sm")}))]


def _cell(points: Points, factor: float) -> str:
    found = seconds(points)
    return three_digits(found.median * factor) if found else failure_word(points)


def _over(points: Points, base: Points) -> str:
    mine, theirs = seconds(points), seconds(base)
    return f"{three_digits(theirs.median / mine.median)}x" if mine and theirs else "-"
