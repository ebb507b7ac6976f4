"""ASPLOS'19's evaluation over all programs: figures 7 to 9 and tables 3 and 4, by pair of a program
and an input. Pairs that were not recorded are named, and are in no mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Union

from ..query.numbers import Spread, exactly
from ..query.points import PointTable
from ..query.tables import Table, cell_of, three_digits
from ..results import originals
from ..results.loading import Results
from ..results.registry import workload_of
from ..results.schemas import TRAFFIC
from . import contention, paper_benchmarks, published, speedups, sync_traffic
from .contention import SIZE_OF_SECTION
from .paper_benchmarks import (COMPETITORS, LOCKS, NOT_RECORDED, PRINTED, PRINTED_SERVER, SERVER,
                               Inputs, PaperBenchmark, benchmarks_of, inputs_of,
                               none_of, of_all_tables, of_figure_7, of_figure_8, other_launch, over)
from .sync_traffic import MEMORIES

# The baselines of figure 7.
BASELINES = {"published locks, at their best grid": PRINTED, "the best lock, at its best grid": LOCKS}
MEAN = "geometric mean"
ORIGINALS = "the paper's servers over the original program"
_LEFT_OUT = "not run"
_DEAR_S = 5.0  # a run that says little, as its neighbours are known
_LAUNCHES = ("the best lock", "our best")
_OTHER_LAUNCHES = "launches, if not those of figure 7"
_SERVERS = {competitor: roles for competitor, roles in COMPETITORS.items() if roles in (PRINTED_SERVER, SERVER)}

Number = Union[Spread, str]


def recorded(all_results: list[Results], kind: str = "gpu", inputs_in: Inputs | None = None) -> list[PaperBenchmark]:
    """All pairs of figure 7, of times, or of figure 8, of traffic, recorded or not; or those of
    other inputs. None unless two programs were recorded."""
    own = [results for results in all_results if applies(results)]
    if len({results.program.removesuffix(TRAFFIC) for results in own}) < 2:
        return []
    usual = of_figure_8 if kind == "gpu_traffic" else of_figure_7
    return paper_benchmarks.all_benchmarks(own, kind, inputs_in or usual)


def applies(results: Results) -> bool:
    """Whether these results have a part in it."""
    workload = workload_of(results)
    return results.on_gpu and bool(workload and workload.paper_benchmarks)


def figure_7(own: list[PaperBenchmark]) -> dict[str, dict[str, dict[str, Number]]]:
    """Speed-ups, by baseline, pair and primitive."""
    return {over: {pair.name: {competitor: pair.speedup(roles, baseline)
                               for competitor, roles in COMPETITORS.items()} for pair in own}
            for over, baseline in BASELINES.items()}


def figure_7_panels(own: list[PaperBenchmark]) -> dict[str, dict[str, dict[str, Number]]]:
    """The speed-ups that the figure shows: what the paper compares, and ours over the best lock."""
    found = figure_7(own)
    theirs = [name for name, roles in COMPETITORS.items() if roles == PRINTED_SERVER]
    return {over: {pair: {name: number for name, number in bars.items()
                          if (name in theirs) == (BASELINES[over] == PRINTED)}
                   for pair, bars in pairs.items()} for over, pairs in found.items()}


def over_originals(own: list[PaperBenchmark], all_results: list[Results]) -> dict[str, Number]:
    """The speed-up of the paper's servers over the paper's own program, by pair, where that was
    measured on this GPU."""
    found: dict[str, Number] = {}
    for results in (one for one in all_results if one.kind == "gpu"):
        workload, theirs = workload_of(results), originals.beside(results.path.parent)
        base = theirs.results(results.program) if theirs else None
        if base is None or workload is None or workload.paper_benchmarks is None:
            continue
        points = workload.paper_benchmarks.points(base)
        for pair in own:
            axes = inputs_of(results.program).get(pair.name)
            here = points.none() if axes is None else points.select(**axes)
            if not here.empty:
                found[pair.name] = over(pair.of_roles(PRINTED_SERVER), here)
    return found


def means(found: Mapping[str, Mapping[str, Number]]) -> dict[str, tuple[float, int]]:
    """By primitive the geometric mean over the pairs that have a number, and their number."""
    return {competitor: paper_benchmarks.geometric_mean(own[competitor] for own in found.values())
            for competitor in next(iter(found.values()), {})}


def figure_8(own: list[PaperBenchmark]) -> dict[str, dict[str, dict[str, Number]]]:
    """Traffic of servers in percent of that of published locks, by servers, pair and memory."""
    return {servers: {pair.name: {memory: _percent(pair, roles, counter)
                                  for memory, counter in MEMORIES.items()} for pair in own}
            for servers, roles in _SERVERS.items()}


def figure_9(own: list[PaperBenchmark]) -> dict[str, dict[int, Number]]:
    """Run time of published locks with longer sections relative to that without, by pair and loop
    size; empty if no section was longer."""
    found: dict[str, dict[int, Number]] = {}
    for pair in own:
        longer = _longer(pair)
        line = contention.slowdown(longer)
        found[pair.name] = {
            size: line.get(size) or longer.select(**{SIZE_OF_SECTION: size}).failure_word()
            for size in longer.values(SIZE_OF_SECTION)}
    return found


def _longer(pair: PaperBenchmark) -> PointTable:
    """The published locks' points with and without a loop."""
    points = pair.points.of_primitives(*(name for name, role in pair.roles.items() if role in PRINTED))
    return points if points.empty else contention.with_section_work(points)


def tables(all_results: list[Results]) -> list[Table]:
    """All tables whose rows some program has."""
    own = recorded(all_results)
    counted, timed = recorded(all_results, "gpu_traffic"), recorded(all_results, "gpu", of_figure_8)
    return [*_figure_7(own, all_results), *_figure_8(counted, timed), *_figure_9(own),
            *_table_2(all_results), *_tables_3_and_4(recorded(all_results, "gpu", of_all_tables))]


def has_numbers(columns: Mapping[str, Mapping[str, Mapping[str, Number]]]) -> bool:
    return any(isinstance(number, Spread) for found in columns.values()
               for own in found.values() for number in own.values())


def _figure_7(own: list[PaperBenchmark], all_results: list[Results]) -> list[Table]:
    columns = figure_7(own)
    if not has_numbers(columns):
        return []
    theirs = published.server_speedups()
    rows = {pair.name: [
        *(_both([_times(found[pair.name][competitor]) for found in columns.values()])
          for competitor in COMPETITORS),
        f"{theirs[pair.name]:.1f}x" if pair.name in theirs else "",
        _best(pair, LOCKS), _best(pair, COMPETITORS["our best of any kind"])] for pair in own}
    both = [means(found) for found in columns.values()]
    rows[MEAN] = [" / ".join(f"{three_digits(value)}x ({number})" if number else "none"
                             for value, number in (own_means[competitor] for own_means in both))
                  for competitor in COMPETITORS] + [f"{published.mean_speedup()}x", "", ""]
    beside = over_originals(own, all_results)
    names = [*COMPETITORS, f"published ({published.gpu()})", *_LAUNCHES]
    if beside:
        names.append(ORIGINALS)
        rows = {name: [*cells, _times(beside[name]) if name in beside else ""] for name, cells in rows.items()}
    return [Table(
        "asplos19-figure7", f"Figure 7, speed-up over {' / over '.join(BASELINES)} ({_gpu(own)}). "
        f"Locks protect any data. In brackets after a {MEAN}: its number of pairs, of {len(own)}. "
        "Published: servers over their own baselines, from tables 3 and 4.",
        "pair", names, rows, blanks=dict.fromkeys(_LAUNCHES, "a mean has none"))]


def _figure_8(own: list[PaperBenchmark], timed: list[PaperBenchmark]) -> list[Table]:
    columns = figure_8(own)
    if not has_numbers(columns):
        return []
    times = {pair.name: pair for pair in timed}
    rows = {pair.name: [
        *(_both([one if isinstance(one, str) else f"{one.median:.1f} %"
                 for one in found[pair.name].values()]) for found in columns.values()),
        launches(pair, times[pair.name])] for pair in own}
    return [Table(
        "asplos19-figure8", "Figure 8, traffic of whole kernels in percent of that of published "
        f"locks, {' / '.join(MEMORIES)} ({_gpu(own)}); the published bars have no numbers:",
        "pair", [*_SERVERS, _OTHER_LAUNCHES], rows, blanks={_OTHER_LAUNCHES: "they are"})]


def launches(counted: PaperBenchmark, timed: PaperBenchmark) -> str:
    """Whose traffic was counted at another launch than that of figure 7."""
    found = {who: other_launch(counted, timed, roles) for who, roles in {"locks": PRINTED, **_SERVERS}.items()}
    return "; ".join(f"{who} {how}" for who, how in found.items() if how)


def _figure_9(own: list[PaperBenchmark]) -> list[Table]:
    found = figure_9(own)
    sizes = sorted({size for line in found.values() for size in line if size})
    if not sizes:
        return []
    rows = {pair.name: [cell_of(found[pair.name].get(size) or _left_out(pair, found[pair.name], size))
                        for size in sizes] for pair in own}
    left_out = any(_LEFT_OUT in cell for cells in rows.values() for cell in cells)
    return [Table(
        "asplos19-figure9", "Figure 9, run time of published locks relative to sections without a "
        f"loop, by the loop's length in 1,000 cycles ({_gpu(own)}); the published curves have no numbers"
        + (f". A cell that was {_LEFT_OUT} has the numbers on both sides of it, and the seconds that runs took there if "
           "one more would cost more than it tells" * left_out)
        + ":", "pair", [str(size) for size in sizes], rows)]


def _left_out(pair: PaperBenchmark, line: Mapping[int, Number], size: int) -> str:
    """What stands for a loop that was not run: the numbers that it would lie between, and what runs there took if one
    more would cost more than it tells."""
    known = [other for other, number in line.items() if other and isinstance(number, Spread)]
    near = [max([other for other in known if other < size], default=0),
            min([other for other in known if other > size], default=0)]
    if not all(near):
        return NOT_RECORDED
    times = [_longer(pair).select(**{SIZE_OF_SECTION: other}).fastest_time() for other in near]
    seconds = [three_digits(time.median) for time in times if time]
    dear = bool(times[-1] and times[-1].median >= _DEAR_S)
    return f"{_LEFT_OUT}: {' to '.join(cell_of(line[other]) for other in near)}" \
        + f", {' to '.join(seconds)} s" * dear


def _table_2(all_results: list[Results]) -> list[Table]:
    """Traffic of kernels whose sections are only arithmetic, by servers and memory."""
    theirs = published.net_traffic_by_pair()
    cells: dict[str, dict[str, list[str]]] = {}
    gpu = ""
    for results in (own for own in all_results if applies(own) and own.kind == "gpu_traffic"):
        program = results.program.removesuffix(TRAFFIC)
        net = sync_traffic.by_extent(results, "")[sync_traffic.NET].select(skew="uniform")
        for pair in benchmarks_of(program, results):
            points = net.select(**inputs_of(program)[pair.name])
            if pair.name in theirs and not points.empty:
                gpu = results.gpu_name
                cells[pair.name] = {servers: [
                    _net_percent(points, pair.names(roles), pair.names(PRINTED), counter)
                    for counter in MEMORIES.values()] for servers, roles in _SERVERS.items()}
    if not any("%" in cell for own in cells.values() for row in own.values() for cell in row):
        return []
    rows = {servers: [_both(own[servers]) for own in cells.values()] for servers in _SERVERS}
    rows[f"servers, published ({published.gpu()})"] = [
        " / ".join(f"{theirs[pair][memory.lower()]} %" for memory in MEMORIES) for pair in cells]
    return [Table(
        "asplos19-table2", f"Table 2, traffic in percent of that of published locks, "
        f"{' / '.join(MEMORIES)}, {sync_traffic.NET} ({gpu}):", "pair", list(cells), rows)]


def _net_percent(points: PointTable, servers: list[str], locks: list[str], counter: str) -> str:
    run = [name for name in servers if not points.of_primitives(name).empty]
    if not run:
        return none_of(servers)
    share = sync_traffic.percent(points, run[0], locks[0], counter)
    return share if isinstance(share, str) else f"{share:.1f} %"


def _tables_3_and_4(all_pairs: list[PaperBenchmark]) -> list[Table]:
    found = []
    timed = [pair for pair in all_pairs if pair.name in published.latencies()]
    if any(pair.points["lock_transfer_cycles"].notna().any() for pair in timed):
        rows = {competitor: [_cycles(pair, roles) for pair in timed]
                for competitor, roles in {"published locks": PRINTED, **_SERVERS}.items()}
        found.append(Table(
            "asplos19-table3", "Table 3, cycles from one thread's unlock to the next thread's lock "
            f"/ run time relative to published locks at their best grid ({_gpu(timed)}); published "
            "run times are relative to their own baseline:",
            "pair", [pair.name for pair in timed], rows | speedups.published_latencies(timed)))
    theirs = speedups.published_rows(published.speedups()["server"])
    compared = [pair for pair in all_pairs if any(pair.name in own for own in theirs.values())]
    columns = figure_7(compared)
    if has_numbers(columns):
        rows = {competitor: [_both([_times(own[pair.name][competitor]) for own in columns.values()])
                             for pair in compared] for competitor in COMPETITORS}
        rows |= {label: speedups.published_cells(compared, own) for label, own in theirs.items()}
        found.append(Table(
            "asplos19-table4", f"Table 4, speed-up over {' / over '.join(BASELINES)} "
            f"({_gpu(compared)}); published speed-ups are over their own baselines:",
            "pair", [pair.name for pair in compared], rows))
    return found


def _percent(pair: PaperBenchmark, roles: tuple[str, ...], counter: str) -> Number:
    moved = []
    for points in (pair.of_roles(roles), pair.of_roles(PRINTED)):
        point = points.fastest_point()
        if point is None:
            return points.failure_word()
        moved.append((point.median(counter) or 0.0) / point["operations"])
    own, base = moved
    share = 100 * own / base if base else 0.0
    return exactly(share) if base else "locks have none"


def _cycles(pair: PaperBenchmark, roles: tuple[str, ...]) -> str:
    points, base = pair.of_roles(roles), pair.of_roles(PRINTED)
    best = points.fastest_point()
    limit = None if best else points.time_limit()
    if best is None and limit is None:
        return points.failure_word()
    cycles = best.median("lock_transfer_cycles") if best else None
    if roles == PRINTED and limit is not None:
        time = f"1, at least {three_digits(limit)} s"
    else:
        time = cell_of(paper_benchmarks.relative_time(points, base))
    return f"{cycles:,.0f} / {time}" if cycles else f"not timed / {time}"


def _best(pair: PaperBenchmark, roles: tuple[str, ...]) -> str:
    return pair.of_roles(roles).best(lambda best: f"`{best['primitive']}` ({best.grid_label(dict(pair.gpu))})")


def _times(number: Number) -> str:
    return cell_of(number, "x")


def _both(cells: list[str]) -> str:
    """The cells of several columns, or one if all are equal."""
    return " / ".join(dict.fromkeys(cells) if len(set(cells)) == 1 else cells)


def _gpu(own: list[PaperBenchmark]) -> str:
    return next((str(gpu["name"]) for gpu in (dict[str, Any](pair.gpu) for pair in own)
                 if "name" in gpu), "unknown GPU")
