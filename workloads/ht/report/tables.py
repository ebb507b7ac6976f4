"""The hash table's primitives and baselines; tables of throughput, lock transfers and traffic."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from finesync.papers import contention, paper_benchmarks, sync_traffic
from finesync.query.points import PointRow, PointTable
from finesync.query.tables import Table, best_cell, cell_of, cells_by, three_digits
from finesync.results.catalogue import primitives_of, of_kind, with_roles
from finesync.results.loading import Results
from finesync.results.workload import Axes, PaperBenchmarks

FAMILIES = {"locks": "many", "servers": "channel"}
GPUS_FAMILIES = {"gpus_servers": "gpus"}
SERVERS = of_kind("ht", FAMILIES, "server")
GPUS_SERVERS = of_kind("ht", GPUS_FAMILIES, "server")
# An atomic operation per insert, on any GPU.
GPUS_LOCK_FREE = of_kind("ht", GPUS_FAMILIES, "lock_free")
# What sections do, by the axis.
SECTIONS = {"push": "inserts", "count": "counts", "empty": "empty sections"}
LOCKS = with_roles("ht", FAMILIES, *paper_benchmarks.LOCKS)
# Value-passing locks protect only one word; other locks protect any data.
VALUE_PASSING = tuple(entry["name"] for entry in primitives_of("ht", FAMILIES) if entry.get("passes_value"))
LOCK_FREE = of_kind("ht", FAMILIES, "lock_free")
# A bound for whole batches, not run on a grid of ours.
BATCH = "radix_sort"
LISTING_1 = "spin"
# Names of the baselines in tables.
ANY_DATA, THE_WORD = "best general-purpose lock", "value-passing lock"
# README's table: numbers of distinct keys, and the primitives with their names there.
_OVERVIEW_KEYS = (32, 256, 1024, 32768, 131072)
_OVERVIEW = {"value_passing": "value-passing lock, for one protected word",
             "server_paper": "servers as published (`server_paper`)",
             "server_fast": "our servers (`server_fast`)",
             "lockfree": "bound: one atomic exchange (`lockfree`)",
             BATCH: "bound for a batch: one sort by CUB (`radix_sort`)"}
_CYCLES = "lock_transfer_cycles"


def inserts(results: Results) -> PointTable:
    """The points of the benchmark itself: the section only pushes onto a list."""
    return measured(results).select(section_work=0, section="push")


def measured(results: Results) -> PointTable:
    """All requested points on one GPU, without candidates that failed while tuning, whose clients do
    nothing but insert."""
    points = results.points.where(~results.points["axes"].map(_crosses).astype(bool)).with_columns(
        "collision_factor", "tbs_per_sm", "threads_per_block", "lock_layout", "section_work",
        "section", "inserts", "seconds", _CYCLES, "client_work")
    return contention.with_time_per_operation(points.select(client_work=0), "inserts")


def _crosses(axes: Axes) -> bool:
    """Whether the servers are those of several GPUs."""
    return "gpus" in axes


def servers_in(points: PointTable) -> list[str]:
    """The measured server primitives, in the order of the catalogue."""
    run = points.primitives()
    return [server for server in SERVERS if server in run]


def _has_batch(points: PointTable) -> bool:
    """Runs of earlier versions have none."""
    return BATCH in points.primitives()


def baselines(points: PointTable) -> dict[str, PointTable]:
    """The points of each baseline, over all grids and layouts. The fastest point is the baseline."""
    return {ANY_DATA: points.of_primitives(*LOCKS), THE_WORD: points.of_primitives(*VALUE_PASSING)}


def as_in_the_paper(results: Results) -> PointTable:
    """The points of sections of any length; Listing 1's locks are packed."""
    points = measured(results).select(section="push")
    return points.where(~(points["primitive"].eq(LISTING_1) & points["lock_layout"].eq("padded")))


def on_all_sms(points: PointTable) -> PointTable:
    """The points of sweeps whose grids have blocks for all SMs, not for fewer."""
    return points.main_sweep_points().select(sms="all")


def grid_sweep(points: PointTable) -> PointTable:
    """Packed primitives except servers, at the block size that was run with the most grids."""
    # Servers' thread blocks have another meaning; "auto" is not a number of blocks.
    points = on_all_sms(points.select(lock_layout="packed"))
    points = points.where(~points["primitive"].isin(SERVERS) & points.above("tbs_per_sm"))
    sizes = [points.select(threads_per_block=size) for size in points.values("threads_per_block")]
    return max(sizes, key=lambda own: own["tbs_per_sm"].nunique(), default=points.none())


def block_sizes(points: PointTable) -> str:
    """The block sizes that ran; if none did, the requested ones."""
    effective = {effective["threads_per_block"] for effective in points["effective"] if effective}
    return " and ".join(map(str, sorted(effective) or points.values("threads_per_block")))


BENCHMARKS = PaperBenchmarks("HT", "Listing 1", as_in_the_paper,
                             inputs=contention.of_sizes("256", "1K", "32K", "128K"),
                             table_4_inputs=contention.of_sizes("32", "128", "512"),
                             large_inputs=contention.of_sizes("16M"))


def lock_tables(results: Results) -> list[Table]:
    """Two tables if the hash table was measured over several grids, else none."""
    # Compared by the time of a launch, although points of fewer inserts take less.
    points = grid_sweep(inserts(results)).compared_by("seconds")
    grids = points.grids()
    if len(grids) < 2:
        return []
    full = grids[-1]
    threads = block_sizes(points)
    # Only lock transfers can be timed, and only of locks that order more than their word.
    timed = points.where(points[_CYCLES].notna() | ~points["ok"])
    return [
        Table("locks", f"M inserts/s at the best grid (thread blocks of {threads} threads per SM) "
              f"/ at {full}:", *_lines(points, lambda own: _rate_cell(own, full))),
        Table("transfers", "Lock transfer latency, cycles from one thread's unlock to the next "
              f"thread's lock, at the best grid / at {full}:",
              *_lines(points.of_primitives(*timed["primitive"]),
                      lambda own: _transfer_cell(own, full)))]


def _lines(points: PointTable, cell: Callable[[PointTable], str]) -> tuple[str, list[int], dict[str, list[str]]]:
    factors = points.values("collision_factor")
    return "collision factor", factors, cells_by("collision_factor", factors, points.by_primitive(), cell)


def _rate_cell(points: PointTable, full: int) -> str:
    def rate(point: PointRow) -> str:
        return f"{point.rate.median / 1e6:,.0f}"
    return points.best(lambda best: f"{rate(best)} ({best['tbs_per_sm']}) / {_at(full, points, rate)}")


def _transfer_cell(points: PointTable, full: int) -> str:
    def cycles(point: PointRow) -> str:
        return f"{point.median(_CYCLES) or 0:,.0f}"
    return f"{points.best(cycles)} / {_at(full, points, cycles)}"


def _at(full: int, points: PointTable, say: Callable[[PointRow], str]) -> str:
    found = points.select(tbs_per_sm=full).fastest_point()
    return points.failure_word() if found is None else say(found)


def server_tables(results: Results) -> list[Table]:
    """Throughput of servers and locks if servers were run, else none."""
    points = inserts(results)
    if not servers_in(points):
        return []
    groups = points.by("collision_factor")
    bases = {factor: baselines(here) for factor, here in groups.items()}
    servers = servers_in(points)
    rows = cells_by("collision_factor", groups, baselines(points),
                    best_cell(lambda best: f"{_giga(best)} ({best['primitive']}, {best.grid_label(results.gpu)})"))
    for name in (*servers, *(name for name in LOCK_FREE if name != BATCH or _has_batch(points))):
        rows[name] = [_over(here.of_primitives(name), bases[factor]) for factor, here in groups.items()]
    if {"server_fast", "server_paper"} <= set(servers):
        rows["server_fast / server_paper"] = [
            _ratio(here.of_primitives("server_fast"), here.of_primitives("server_paper"))
            for here in groups.values()]
    received = measured(results)
    received = received.where(received["section"] == "empty").select(section_work=0)
    rows |= cells_by("collision_factor", groups, {
        f"{server}, empty sections (message rate)": received.of_primitives(server)
        for server in servers_in(received)}, _giga_rate)
    return [Table(
        "servers", f"Servers and locks, G inserts/s; in brackets: speed-up over {ANY_DATA} / "
        f"over {THE_WORD}; each at its best grid (thread blocks per SM x threads). "
        "Empty sections show the message rate:",
        "collision factor", list(groups), rows)]


def across_gpus(results: Results) -> PointTable:
    """The points of servers on one GPU and on several, and of what they are compared with; with the column gpus."""
    points = results.points.of_primitives(*SERVERS, *GPUS_SERVERS, *GPUS_LOCK_FREE).with_columns(
        "collision_factor", "section", "section_work", "client_work", "inserts", "seconds")
    points = points.assign(gpus=points.column_of([axes.get("gpus", 1) for axes in points["axes"]]))
    return contention.with_time_per_operation(points.select(section_work=0, client_work=0), "inserts")


def gpus_tables(results: Results) -> list[Table]:
    """A table for each kind of sections: servers by their number of GPUs."""
    points = across_gpus(results)
    of_one = points.of_primitives(*SERVERS, *GPUS_SERVERS).select(gpus=1)
    additions = points.of_primitives(*GPUS_LOCK_FREE).select(section="count")
    tables: list[Table] = []
    for section, what in SECTIONS.items():
        of_kind_here = points.select(section=section)
        keys = of_kind_here.values("collision_factor")
        rows: dict[str, list[str]] = {}
        for name, own in of_kind_here.by_primitive().items():
            for gpus in own.values("gpus"):
                bases: dict[str, PointTable] = {}
                if name not in GPUS_LOCK_FREE and gpus > 1:
                    bases["one GPU"] = of_one.select(section=section)
                if name not in GPUS_LOCK_FREE and section != "empty":
                    bases["additions"] = additions.select(gpus=gpus)
                rows[f"{name}, GPUs: {gpus}"] = [
                    _with_ratios(own.select(gpus=gpus, collision_factor=factor),
                                 {base: at.select(collision_factor=factor)
                                  for base, at in bases.items()}) for factor in keys]
        if rows:
            in_brackets = ["over the best servers of one GPU"] * (not of_one.empty)
            if section != "empty" and not additions.empty:
                in_brackets.append("over lock-free additions on as many GPUs")
            tables.append(Table(
                f"gpus-{section}", f"G {what}/s of all GPUs together, each at its best grid"
                + "; in brackets: " * bool(in_brackets) + ", and ".join(in_brackets) + ":",
                "collision factor", keys, rows))
    return tables


def _with_ratios(points: PointTable, bases: Mapping[str, PointTable]) -> str:
    """The rate, and over each base that has one."""
    ratios = ", ".join(f"{_ratio(points, base)} {name}" for name, base in bases.items()
                       if points.fastest_point() is not None and base.fastest_point() is not None)
    return f"{_giga_rate(points)} ({ratios})" if ratios else _giga_rate(points)


def overview_tables(results: Results) -> list[Table]:
    """README's small table if servers were run, else none."""
    points = inserts(results)
    groups = {keys: own for keys, own in points.by("collision_factor").items() if keys in _OVERVIEW_KEYS}
    if not groups or not servers_in(points):
        return []
    bases = {keys: baselines(own)[ANY_DATA] for keys, own in groups.items()}
    rows = {ANY_DATA: [_quoted_rate(base) for base in bases.values()]}
    rows |= {title: [_over(own.of_primitives(name), {ANY_DATA: bases[keys]})
                     for keys, own in groups.items()]
             for name, title in _OVERVIEW.items() if name != BATCH or _has_batch(points)}
    return [Table(
        "overview", "Hash-table inserts, in billions per second, each primitive at its best launch "
        f"configuration. In brackets: speed-up over the {ANY_DATA}.",
        "distinct keys", list(groups), rows)]


def _giga(point: PointRow) -> str:
    return three_digits(point.rate.median / 1e9)


_giga_rate = best_cell(_giga)
_quoted_rate = best_cell(lambda point: f"{_giga(point)} (`{point['primitive']}`)")


def _ratio(own: PointTable, baseline: PointTable) -> str:
    return cell_of(own.speedup_over(baseline), "x")


def _over(own: PointTable, bases: Mapping[str, PointTable]) -> str:
    return own.best(lambda best: f"{_giga(best)} ({' / '.join(_ratio(own, base) for base in bases.values())})")


COMPARISON = sync_traffic.Comparison(
    program="ht", section="push", operation="insert", servers=SERVERS,
    baselines=("spin", "tas"))


def traffic_tables(results: Results) -> list[Table]:
    """For whole kernels and net of the section: traffic relative to locks, and per insert."""
    return sync_traffic.tables(results, COMPARISON)
