"""`maxflow`: maximum flow by push-relabel (ASPLOS'19, section 4.1)."""

from __future__ import annotations

from matplotlib.figure import Figure

from finesync.figures import over_size
from finesync.figures.speedup import SPEEDUP
from finesync.papers import contention, paper_benchmarks, published, speedups
from finesync.papers.paper_benchmarks import PaperBenchmark
from finesync.query.points import PointTable, Spread
from finesync.query.tables import (Table, cell_of, cells_by, median_cell, speedup_cell, three_digits, time_cell)
from finesync.results.loading import Results
from finesync.results.workload import Drawing, PaperBenchmarks, Question, Unit, Workload

PROGRAM = "maxflow"
FAMILIES = {"flows": "lock", "locks": "many"}
OURS = "block_queues"
BASELINE = "topological"
# As published: the kernel that looks at all nodes, and its rounds' and servers' work in tables.
PRINTED_BASELINE = "topological_printed"
_COUNTED = (BASELINE, OURS, PRINTED_BASELINE, "worklist_lock_printed", "server_flow_printed")
MESHES = ("mesh", "washington")  # of --rows and --columns
_AUTO = "auto"


def measured(results: Results) -> PointTable:
    """All points, each of one flow, with its network's name and the rows x columns of a mesh."""
    points = results.points.with_columns("input", "rows", "columns", "seconds", "global_relabels",
                                         "levels", "rounds", "phase_1_ms")
    columns = [rows if columns == _AUTO else columns for rows, columns in zip(points["rows"], points["columns"])]
    points = points.assign(columns=columns)
    is_mesh = points["input"].isin(MESHES)
    names = [f"{name} {int(rows):,} x {int(columns):,}" if mesh else name for mesh, name, rows,
             columns in zip(is_mesh, points["input"], points["rows"], points["columns"])]
    size = (points["rows"] * points["columns"]).where(is_mesh)
    return contention.with_time_per_operation(points.assign(network=names, size=size, flows=1), "flows")


def networks(points: PointTable) -> list[str]:
    """Meshes by their size, then the others."""
    return list(points.sorted_by("size", "network")["network"].unique())


def tables(results: Results) -> list[Table]:
    """Times and speed-ups by network, and the rounds of our version."""
    points = measured(results)
    names, versions = networks(points), points.by_primitive()
    times = cells_by("network", names, versions, time_cell(1e3))
    first_phase = cells_by("network", names, versions, lambda own: median_cell(own, "phase_1_ms"))
    ours = versions.get(OURS, points.none())
    speedup = {version: [speedup_cell(ours.select(network=name), own.select(network=name))
                         for name in names]
               for version, own in versions.items() if version != OURS and not ours.empty}
    work = {f"{version}: {number}": [median_cell(versions[version].select(network=name), number,
                                                 "{:,.0f}".format) for name in names]
            for version in _COUNTED if version in versions
            for number in ("global_relabels", "levels", "rounds")}
    found = {
        "times": ("ms per flow, both phases, each version at its best parameters. A lock's "
                  "name stands for the worklist with such a lock per node:", times),
        "first-phase": ("ms of the first phase, after which the flow's value is known:",
                        {version: cells for version, cells in first_phase.items() if any(cells)}),
        "speedups": (f"Speed-up of `{OURS}` over:", speedup),
        "work": ("Global relabels, levels of all their searches, and rounds in between:", work)}
    return [Table(name, title, "network", names, rows) for name, (title, rows) in found.items() if rows]


def draw(results: Results) -> Figure | None:
    """A line for each version."""
    return over_size.draw(results, measured(results), "size", "Maximum flow: run time by mesh size",
                          ("rows x columns of the mesh", "ms for the flow"),
                          "Both phases, each version at its best parameters.")


TIMES = Drawing("times", "meshes", draw)


_MEAN = "mean"
# Each with the version that it is compared with.
_VERSIONS = {
    "worklist under locks, as published": (paper_benchmarks.PRINTED, PRINTED_BASELINE),
    "servers, as published": (paper_benchmarks.PRINTED_SERVER, PRINTED_BASELINE),
    "worklist under the best lock": (("baseline_lock",), BASELINE),
    "our servers": (paper_benchmarks.SERVER, BASELINE),
    "the best of all": (paper_benchmarks.OURS, BASELINE)}


def over_topological(pair: PaperBenchmark, roles: tuple[str, ...], baseline: str) -> Spread | str:
    """Speed-up of the best primitive of some roles over a topological version. If this never
    ended, its time limit gives the least speed-up."""
    return paper_benchmarks.over(pair.of_roles(roles), pair.of_primitives(baseline), named="")


def section_4_1(results: Results) -> list[Table]:
    """The ratios of the paper's text, if one of its meshes was run."""
    own = paper_benchmarks.benchmarks_of(PROGRAM, results)
    if all(pair.plain.empty for pair in own):
        return []
    rows = {}
    for version, (roles, baseline) in _VERSIONS.items():
        found = [over_topological(pair, roles, baseline) for pair in own]
        known = [one.median for one in found if isinstance(one, Spread)]
        rows[version] = [cell_of(one, "x") for one in found]
        rows[version].append(f"{three_digits(sum(known) / len(known))}x"
                             if len(known) == len(own) else f"{len(known)} of {len(own)} meshes")
    theirs = published.at("asplos19.maxflow_worklist_baseline_over_topological")
    rows[f"worklist under locks, published for the {published.gpu()}"] = [
        f"{theirs[_mesh(pair)]}x" for pair in own] + [f"{theirs[_MEAN]}x"]
    return [Table("asplos19-section4.1", "Section 4.1: speed-up over the version that looks at all "
                  f"nodes, of published versions over `{PRINTED_BASELINE}`, of others over "
                  f"`{BASELINE}`, each at its best parameters; means are arithmetic, as the "
                  "published one:",
                  "mesh", [*map(_mesh, own), _MEAN], rows)]


def _mesh(pair: PaperBenchmark) -> str:
    return pair.name.split("-")[1]


WORKLOAD = Workload(
    program=PROGRAM,
    operation="arc",
    families=FAMILIES,
    small_run="--rows 12 --columns 9 --threads-per-block 64 --tbs-per-sm 1",
    racecheck=(),
    figures={"gpu": (TIMES, SPEEDUP)},
    tables={"gpu": lambda results: [*tables(results), *speedups.tables(results)]},
    paper_tables={"asplos19-section4.1": section_4_1},
    paper_benchmarks=PaperBenchmarks("MF", "Listing 1", measured, inputs={
        "2kx2k": {"input": "mesh", "rows": 2048}, "4kx4k": {"input": "mesh", "rows": 4096},
        "8kx4k": {"input": "mesh", "rows": 8192}}),
    question=Question(
        "a node and its neighbours", Unit("ms per flow", 1e3),
        lambda results: {"maximum flow, each at its best launch":
                         measured(results).sorted_by("size", "network")},
        "network", "network", library=("libcudacxx",)),
)
