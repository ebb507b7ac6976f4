"""Claims of the papers next to measurements on another GPU, and the quantities of sweeps over
thread blocks per SM that the thesis's claims (chapter 5) need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..results import sync_sweeps
from ..results.loading import Results
from ..results.markdown import Table, three_digits
from ..results.point_table import PointRow, PointTable, Spread, no_points
from ..results.registry import workload_of, workloads
from . import paper_benchmarks, published

ABSENT = "no such rows here"
_GPUS = {"pascal": "GTX 1080", "volta": "Titan V", "turing": "RTX 2080 Ti"}

Value = Callable[[PointRow], "float | None"]


@dataclass(frozen=True)
class Paper:
    """A paper with claims: its names in the table and in the report, and the table's title."""

    table: str
    name: str
    heading: str
    title: str


PAPERS = {
    "thesis": Paper(
        "claims", "thesis", "The thesis's claims",
        f"A different GPU: the thesis measured on {', '.join(_GPUS.values())} with CUDA "
        "10, the last column is of the {gpu}. The thesis does not say whether its percentages are "
        "time saved or speed-up. The table gives both, as means over the thread blocks per SM "
        "(TBs/SM) at which both primitives finished; 10 loads and stores unless noted."),
    "asplos19": Paper(
        "claims-asplos19", "ASPLOS'19", "ASPLOS'19's claims",
        f"A different GPU: ASPLOS'19 measured on a {published.gpu()}, the last column is of the "
        "{gpu}: first the verdict, then the deciding numbers."),
    "ics15": Paper(
        "claims-ics15", "ICS'15", "ICS'15's claims",
        f"A different GPU: ICS'15 measured on a {published.ics15()['gpu'].split(' (')[0]}, whose "
        "shared memory had lock bits. The last column is of the {gpu}, where full/empty words "
        "replace them: first the verdict, then the deciding numbers."),
}


def claims_of(all_results: list[Results]) -> dict[str, list[tuple[Paper, Table]]]:
    """A table for each paper and each GPU on which a workload with claims ran."""
    claiming = {program: workload for program, workload in workloads().items() if workload.claims}
    host = {f"{results.program}_host": results for results in all_results if results.kind == "host"}
    by_gpu: dict[str, dict[str, Results]] = {}
    for results in all_results:
        workload = workload_of(results)
        if workload and workload.claims and results.on_gpu:
            name = f"{workload.program}_{results.kind}"
            by_gpu.setdefault(results.gpu_name, {}).setdefault(name, results)
    tables: dict[str, list[tuple[Paper, Table]]] = {}
    for gpu, own in by_gpu.items():
        for key, paper in PAPERS.items():
            about = [workload for workload in claiming.values() if workload.paper == key]
            if not any(f"{workload.program}_gpu" in own for workload in about):
                continue
            rows = {found.claim: [found.published, found.here]
                    for workload in about for found in workload.claims({**host, **own})}
            tables.setdefault(gpu, []).append((paper, Table(
                paper.table, paper.title.replace("{gpu}", gpu),
                "claim", [paper.name, "here"], rows)))
    return tables


def verdict(holds: Sequence[bool], numbers: str) -> str:
    """Whether a claim holds in all, some or none of its cases, and the deciding numbers."""
    if not holds:
        return ABSENT
    word = "holds" if all(holds) else "does not hold" if not any(holds) else "mixed"
    return f"{word}: {numbers}"


def listed(ratios: Mapping[Any, float]) -> str:
    """Ratios, each with its case in brackets."""
    return ", ".join(f"{three_digits(ratio)}x ({case if isinstance(case, str) else f'{case:,}'})"
                     for case, ratio in ratios.items())


def gain_by_servers(program: str, results: Results) -> str:
    """Whether servers are faster than published locks, and their speed-up over these and over the
    best lock."""
    holds = []
    said = []
    for pair in paper_benchmarks.benchmarks_of(program, results):
        printed, best = (pair.speedup(paper_benchmarks.SERVERS, base)
                         for base in (paper_benchmarks.PRINTED, paper_benchmarks.LOCKS))
        if isinstance(printed, Spread) and isinstance(best, Spread):
            holds.append(printed.median > 1)
            said.append(f"{three_digits(printed.median)}x over {pair.printed} at its best grid, "
                        f"{three_digits(best.median)}x over the best lock ({pair.name})")
    return verdict(holds, "; ".join(said))


def by_gpu(numbers: Mapping[str, Any], unit: str = " %") -> str:
    """Published numbers, each with its GPU."""
    return ", ".join(f"{numbers[key]}{unit} ({gpu})" for key, gpu in _GPUS.items()
                     if key in numbers)


def saved_by(slow: PointTable, fast: PointTable, value: Value, what: str = "") -> str:
    """By how many percent `fast` has a smaller or larger value: the mean over grids, and the grids.
    """
    pairs = {blocks: (old, new) for blocks, (old, new) in _pairs(slow, fast, value).items() if old}
    if not pairs:
        return _why_not(slow, fast)
    mean = round(100 * sum(1 - new / old for old, new in pairs.values()) / len(pairs))
    return f"{abs(mean)} % {'more' if mean < 0 else 'less'}{what} (at {tbs_per_sm(pairs)})"


def faster(slow: PointTable, fast: PointTable) -> str:
    """Time that `fast` saves, and its speed-up: means over grids, and the grids."""
    pairs = _pairs(slow, fast, _time)
    if not pairs:
        return _why_not(slow, fast)
    speedup = sum(old / new for old, new in pairs.values()) / len(pairs)
    return saved_by(slow, fast, _time, f" time, {speedup:.2f}x")


def ends(slow: PointTable, fast: PointTable) -> str:
    """Speed-up at the fewest and at the most thread blocks per SM."""
    pairs = _pairs(slow, fast, _time)
    if not pairs:
        return _why_not(slow, fast)
    return ", ".join(f"{pairs[blocks][0] / pairs[blocks][1]:.2f}x as fast at {tbs_per_sm([blocks])}"
                     for blocks in dict.fromkeys((min(pairs), max(pairs))))


def by_section(results: Results | None, slow: str, fast: str) -> str:
    """Speed-up by loads and stores, at the most thread blocks per SM that have several of them."""
    points = sweep_points(results).select(local_exchange="no", size=1, writers="yes")
    found: dict[int, dict[int, float]] = {}
    for length in filter(None, points.values("ldst")):
        own = points.select(ldst=length)
        for blocks, (old, new) in _pairs(own.of_variants(slow), own.of_variants(fast),
                                         _time).items():
            found.setdefault(blocks, {})[length] = old / new
    several = [blocks for blocks, ratios in found.items() if len(ratios) > 1]
    if not several:
        return ABSENT
    return ", ".join(f"{ratio:.2f}x with {length:,}" for length, ratio
                     in found[max(several)].items()) + f" (at {tbs_per_sm([max(several)])})"


def ended(points: PointTable, *names: str) -> str:
    """The grids at which these hung, and those at which they timed out."""
    own = points.of_variants(*names)
    if own.empty:
        return ABSENT
    hung = _where("", own.where(own["ended"].isin(("hung", "livelock", "deadlock"))))
    timed_out = _where("timed out, ", own.where(own["ended"] == "timed out"))
    good = own.ok()
    if not hung and not good.empty:
        hung = [f"none in {len(good)} points, up to {tbs_per_sm(good.grids()[-1:])}"]
    return "; ".join(hung + timed_out) or own.failure_word()


def share(points: PointTable) -> str:
    """The share of synchronization in the time of ok points."""
    shares = [synchronizing / _time(point) for point in points.ok()
              if (synchronizing := in_synchronization(point)) is not None]
    if not shares:
        return points.failure_word() if len(points) and not points["ok"].any() else ABSENT
    both = dict.fromkeys(f"{100 * end:.0f}" for end in (min(shares), max(shares)))
    return f"{' to '.join(both)} %"


def sweep_points(results: Results | None) -> PointTable:
    """The points of sweeps; none without results."""
    if results is None:
        return no_points("variant", "setting", "tbs_per_sm")
    return sync_sweeps.measured(results)


def main_points(points: PointTable) -> PointTable:
    """The main sweep of these points, which may be none."""
    found = sync_sweeps.main_sweep(points)
    return found[1] if found else points.none()


def thesis_sweep(results: Results | None, size: int | None = None) -> PointTable:
    """The thesis's sweep: 10 loads and stores, thread blocks of one size."""
    points = sweep_points(results).select(ldst=sync_sweeps.THESIS_LOADS_AND_STORES)
    return main_points(points if size is None else points.select(size=size))


def _where(word: str, points: PointTable) -> list[str]:
    """`word`, then the thread blocks per SM of these points, for each size."""
    return [f"{word}size {size}: at {tbs_per_sm(points.select(size=size).grids())}"
            for size in points.values("size")]


def _pairs(slow: PointTable, fast: PointTable, value: Value) -> dict[int, tuple[float, float]]:
    """The values of both, by the numbers of thread blocks per SM at which both finished."""
    found: dict[int, tuple[float, float]] = {}
    for blocks in sorted({*slow.grids(), *fast.grids()}):
        old, new = (_finished(own.select(tbs_per_sm=blocks), value) for own in (slow, fast))
        if old is not None and new is not None:
            found[blocks] = (old, new)
    return found


def _finished(points: PointTable, value: Value) -> float | None:
    good = [found for found in map(value, points.ok()) if found is not None]
    return min(good, default=None)


def _why_not(*own: PointTable) -> str:
    for points in own:
        if len(points) and not points["ok"].any():
            return f"{points.first()['variant']}: {points.failure_word()} at all points"
    return ABSENT if any(points.empty for points in own) else "no grid at which both finished"


def _time(point: PointRow) -> float:
    return point.time.median


def in_synchronization(point: PointRow) -> float | None:
    """Seconds that the operation adds to the time of the kernel without it."""
    rest = sync_sweeps.unsynchronized(point)
    return None if rest is None else max(_time(point) - rest, 0.0)


def tbs_per_sm(grids: Iterable[int]) -> str:
    """Numbers of thread blocks per SM in words."""
    said = list(map(str, grids))
    return f"{', '.join(said)} TB{'s' * (said != ['1'])}/SM"
