"""The thesis's claims (its chapter 5), each beside what was measured here, on another GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import contest, published
from .loading import Results
from .points import Point, Spread, failure_word, select, values
from .traffic import program_of, sectors_per_operation

ABSENT = "no such rows here"
_TRAFFIC = program_of("barrier")
_GPUS = {"pascal": "GTX 1080", "volta": "Titan V", "turing": "RTX 2080 Ti"}

Value = Callable[[Point], float | None]


def claims_tables(all_results: list[Results]) -> list[str]:
    """Lines for the report: a table per GPU whose barriers or semaphores were measured."""
    counted = next((results for results in all_results
                    if results.program == "barrier" and not results.on_gpu), None)
    by_gpu: dict[str, dict[str, Results]] = {}
    for results in all_results:
        if results.on_gpu and results.program in ("barrier", "semaphore", _TRAFFIC):
            by_gpu.setdefault(results.gpu_name, {}).setdefault(results.program, results)
    lines: list[str] = []
    for gpu, own in by_gpu.items():
        if own.keys() == {_TRAFFIC}:
            continue
        lines += [
            "", f"## The thesis's claims, and what was measured here: {gpu}", "",
            f"A different GPU: the thesis measured on {', '.join(_GPUS.values())} with CUDA 10, "
            f"the last column is of the {gpu}. The thesis does not say whether its percentages are "
            "time saved or speed-up: both are given here, as means over the thread blocks per SM "
            "(TBs/SM) at which both finished. 10 loads and stores unless told otherwise.",
            "", "| claim | thesis | here |", "|---|---|---|",
            *(f"| {claim} | {theirs} | {ours} |" for claim, theirs, ours in [
                *_barriers(own.get("barrier")), _atomics(counted, own.get(_TRAFFIC)),
                *_semaphores(own.get("semaphore"))])]
    return lines


def _barriers(results: Results | None) -> list[tuple[str, str, str]]:
    theirs = published.thesis()
    found = _main(results)
    tree, srb, ccg = (contest.of(found, name)
                      for name in ("atomic_tree", "sense_reversing", "cooperative"))
    applications = theirs["barrier_srb_over_ccg_at_max_contention_percent"]
    return [
        ("SRB faster than the atomic tree",
         f"{by_gpu(theirs['barrier_srb_over_atomic_tree_percent'])}; mean "
         f"{theirs['mean_improvement_percent']['barrier_srb_over_atomic_tree']} %",
         faster(tree, srb)),
        ("the more so the more contention", "figure 5.4", _ends(tree, srb)),
        ("SRB spends less time in synchronization than the atomic tree",
         f"{theirs['barrier_srb_sync_time_reduction_percent_volta']} % (Titan V)",
         saved_by(tree, srb, _synchronizing)),
        ("SRB slower than CCG with few blocks, faster with many (not on the GTX 1080)",
         "figure 5.4", _ends(ccg, srb)),
        ("the longer the sections, the less SRB gains over the atomic tree", "figure 5.13",
         _by_section(results, "atomic_tree", "sense_reversing")),
        ("SRB faster than CCG at full occupancy in four applications",
         by_gpu({key: applications[key] for key in _GPUS}),
         "not measured: the applications are no part of this"),
    ]


def _atomics(counted: Results | None, profiled: Results | None) -> tuple[str, str, str]:
    theirs = published.thesis()["barrier_srb_atomics_reduction_percent"]

    # At any number of loads and stores: atomics do not depend on what is done in between.
    def ours(results: Results | None, count: Value, how: str) -> list[str]:
        sweep = None if results is None else contest.main_sweep(contest.measured(results))
        tree, srb = (contest.of(sweep[1] if sweep else [], name)
                     for name in ("atomic_tree", "sense_reversing"))
        saved = saved_by(tree, srb, count)
        return [] if saved == ABSENT else [f"{saved}, {how}"]

    answers = [
        *ours(profiled, lambda point: sectors_per_operation(point, "atomics"),
              "L2 sectors counted by ncu"),
        *ours(counted, lambda point: _median(contest.counted(counted, point, "count_rmw")),
              "operations counted on the host executor")]
    return ("SRB needs fewer atomics per barrier than the atomic tree", f"over {theirs} %",
            "; ".join(answers) or ABSENT)


def _semaphores(results: Results | None) -> list[tuple[str, str, str]]:
    theirs = published.thesis()
    measured = [] if results is None else select(contest.measured(results), writers=1)
    found = {size: _main(results, size) for size in theirs["semaphore_sizes"]}
    spin, spin_backoff, priority = (contest.of(found[1], name)
                                    for name in ("spin", "spin_backoff", "priority"))
    limits = theirs["semaphore_spin_livelocks_above_tbs_per_sm"]
    share = theirs["semaphore_sync_time_percent_of_kernel"]
    mean = theirs["mean_improvement_percent"]["semaphore_priority_over_spin"]
    over_spin = theirs["semaphore_priority_over_spin_percent"]
    slower = theirs["semaphore_backoff_slower_than_priority_percent_size_1"]
    return [
        *((f"priority faster than spin, size {size}",
           by_gpu(over_spin[f"size_{size}"]) if f"size_{size}" in over_spin else
           f"figure 5.25; mean of all sizes {mean} %",
           faster(contest.of(found[size], "spin"), contest.of(found[size], "priority")))
          for size in found),
        ("priority faster than spin with back-off, size 1", by_gpu(slower),
         faster(spin_backoff, priority)),
        ("spin livelocks above so many TBs/SM", by_gpu(limits, ""), _ended(measured, "spin")),
        ("with back-off at the same points", "yes", _ended(measured, "spin_backoff")),
        ("priority never livelocks", "yes",
         _ended(measured, "priority", "priority_backoff")),
        ("share of synchronization in the kernel, spin and priority (thesis: nvprof's; here: what "
         "the kernel takes longer than without the operation)",
         f"{share['spin']} % and {share['priority']} %", f"{_share(spin)} and {_share(priority)}"),
        ("priority spends less time in synchronization than spin",
         f"{theirs['semaphore_section_time_reduction_percent']} %",
         saved_by(spin, priority, _synchronizing)),
        ("the longer the sections, the less priority gains over spin, size 1", "figure 5.29",
         _by_section(results, "spin", "priority")),
    ]


def by_gpu(numbers: Mapping[str, Any], unit: str = " %") -> str:
    """Published numbers, each with its GPU."""
    return ", ".join(f"{numbers[key]}{unit} ({gpu})" for key, gpu in _GPUS.items()
                     if key in numbers)


def saved_by(slow: list[Point], fast: list[Point], value: Value) -> str:
    """By how many percent `fast` has less of something; the mean over grids, and which."""
    pairs = {blocks: (old, new) for blocks, (old, new) in _pairs(slow, fast, value).items() if old}
    if not pairs:
        return _why_not(slow, fast)
    mean = sum(1 - new / old for old, new in pairs.values()) / len(pairs)
    return f"{100 * mean:.0f} % less (at {_blocks(pairs)})"


def faster(slow: list[Point], fast: list[Point]) -> str:
    """Time that `fast` saves, and its speed-up; means over grids, and which."""
    pairs = _pairs(slow, fast, _time)
    if not pairs:
        return _why_not(slow, fast)
    speedup = sum(old / new for old, new in pairs.values()) / len(pairs)
    return saved_by(slow, fast, _time).replace(" less", f" less time, {speedup:.2f}x")


def _ends(slow: list[Point], fast: list[Point]) -> str:
    """Speed-up at the fewest and at the most thread blocks per SM."""
    pairs = _pairs(slow, fast, _time)
    if not pairs:
        return _why_not(slow, fast)
    return ", ".join(f"{pairs[blocks][0] / pairs[blocks][1]:.2f}x as fast at {_blocks([blocks])}"
                     for blocks in dict.fromkeys((min(pairs), max(pairs))))


def _by_section(results: Results | None, slow: str, fast: str) -> str:
    """Speed-up by loads and stores, at the most thread blocks per SM that have several of them."""
    points = [] if results is None else \
        [point for point in select(contest.measured(results), local_exchange=0, size=1, writers=1)
         if point.axes.get("ldst")]
    found: dict[int, dict[int, float]] = {}
    for length in values(points, "ldst"):
        own = select(points, ldst=length)
        for blocks, (old, new) in _pairs(contest.of(own, slow), contest.of(own, fast),
                                         _time).items():
            found.setdefault(blocks, {})[length] = old / new
    several = [blocks for blocks, ratios in found.items() if len(ratios) > 1]
    if not several:
        return ABSENT
    return ", ".join(f"{ratio:.2f}x with {length:,}" for length, ratio
                     in found[max(several)].items()) + f" (at {_blocks([max(several)])})"


def _ended(points: list[Point], *names: str) -> str:
    own = [point for point in points if contest.variant(point) in names]
    if not own:
        return ABSENT
    stuck = [point for point in own if point.status in ("livelock", "deadlock")]
    if not stuck:
        good = [point for point in own if point.ok]
        return f"none in {len(good)} points, up to {_blocks(values(good, 'tbs_per_sm')[-1:])}" \
            if good else failure_word(own)
    places = [f"size {size}: at {_blocks(values(here, 'tbs_per_sm'))}"
              for size in values(stuck, "size") if (here := select(stuck, size=size))]
    return "; ".join(places)


def _share(points: list[Point]) -> str:
    shares = [synchronizing / whole for point in points
              if point.ok and (whole := _time(point)) and
              (synchronizing := _synchronizing(point)) is not None]
    if not shares:
        return failure_word(points) if points and not any(point.ok for point in points) else ABSENT
    ends = dict.fromkeys(f"{100 * end:.0f}" for end in (min(shares), max(shares)))
    return f"{' to '.join(ends)} %"


def _main(results: Results | None, size: int = 0) -> list[Point]:
    """The thesis's sweep: 10 loads and stores, thread blocks of one size."""
    if results is None:
        return []
    points = select(contest.measured(results), ldst=contest.THESIS_LOADS_AND_STORES)
    found = contest.main_sweep(select(points, size=size) if size else points)
    return found[1] if found else []


def _pairs(slow: list[Point], fast: list[Point], value: Value) -> dict[int, tuple[float, float]]:
    """What both have, by the numbers of thread blocks per SM at which both finished."""
    found: dict[int, tuple[float, float]] = {}
    for blocks in values([*slow, *fast], "tbs_per_sm"):
        ours = [_finished(select(own, tbs_per_sm=blocks), value) for own in (slow, fast)]
        if ours[0] is not None and ours[1] is not None:
            found[blocks] = (ours[0], ours[1])
    return found


def _finished(points: list[Point], value: Value) -> float | None:
    good = [found for found in (value(point) for point in points if point.ok) if found is not None]
    return min(good, default=None)


def _why_not(*own: list[Point]) -> str:
    for points in own:
        if points and not any(point.ok for point in points):
            return f"{contest.variant(points[0])}: {failure_word(points)} at all points"
    return "no grid at which both finished" if all(own) else ABSENT


def _median(spread: Spread | None) -> float | None:
    return spread.median if spread else None


def _time(point: Point) -> float:
    return contest.time(point).median


def _synchronizing(point: Point) -> float | None:
    rest = contest.rest(point)
    return None if rest is None else max(_time(point) - rest, 0.0)


def _blocks(grids: Iterable[int]) -> str:
    words = list(map(str, grids))
    return f"{', '.join(words)} TB{'s' * (words != ['1'])}/SM"
