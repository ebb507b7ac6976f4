"""Made-up results of barriers, mutexes and semaphores for tests; nothing here was ever measured."""

from __future__ import annotations

import random
from typing import Any

import synthetic

GRIDS = (1, 2, 4, 8, 16, 32)
BARRIERS = {"atomic_tree": 3.0, "sense_reversing": 1.8, "lock_free_tree": 2.4, "cooperative_groups": 0.9,
            "libcudacxx": 1.4, "graph_relaunch": 2.1, "cluster": 0.95, "flat_counters": 0.72,
            "gather_broadcast": 1.5, "sm_counters": 1.0, "autotuned": 0.71}
LOCKS = {"spin": 0.9, "tas": 0.8, "tas_backoff": 0.72, "ttas": 0.7,
         "ticket": 0.5, "anderson": 0.6, "array": 0.54, "mcs": 0.72,
         "cohort": 0.4, "value_passing": 0.26, "libcudacxx": 0.56}
SEMAPHORES = {("spin", "no"): 3.3, ("spin", "yes"): 3.0, ("priority", "no"): 2.9,
              ("priority", "yes"): 2.5, ("cas", "yes"): 1.1, ("ticket", "yes"): 0.73}


def point(program: str, primitive: str, microseconds: float | None, ended: str = "ok",
          repetitions: int = 1, sms: int = synthetic.GPU["sms"], **extra: Any
          ) -> list[dict[str, Any]]:
    """The repetitions of one point without noise: `extra` are axes, and counters as floats."""
    axes: dict[str, Any] = {"tbs_per_sm": 1, "threads_per_block": 64, "ldst": 10, "rounds": 5}
    axes |= {"barrier": {"load": "lines", "local_exchange": "no"}, "mutex": {"section": "count"},
             "semaphore": {"size": 1, "writers": "yes"}}[program]
    if program == "semaphore" and primitive != "libcudacxx":
        axes["backoff"] = "yes"
    axes |= {name: value for name, value in extra.items() if isinstance(value, (int, str))}
    counters = {name: value for name, value in extra.items() if isinstance(value, float)}
    ran = {} if ended in ("skipped", "error") else synthetic.launch(axes, sms)
    common = {"name": f"{program}/{primitive}/{axes}", "run_name": program, "primitive": primitive,
              "axes": axes, **ran, **synthetic.ending(ended), "time_unit": "ns",
              "run_type": "iteration", "repetitions": repetitions}
    if ended != "ok":
        return [{**common, "repetition_index": 0, "real_time": 0.0}]
    rate = {} if microseconds is None else {"items_per_second": 1e6 / microseconds}
    return [{**common, **counters, **rate, "repetition_index": index,
             "real_time": 5000.0 * (microseconds or 0.0)} for index in range(repetitions)]


def noisy(program: str, primitive: str, microseconds: float, ended: str = "ok", **extra: Any) -> list[dict[str, Any]]:
    """Three repetitions that differ a little."""
    noise = random.Random(f"{program}{primitive}{extra}")
    return [row for _ in range(3 if ended == "ok" else 1) for row in
            point(program, primitive, microseconds * noise.uniform(0.95, 1.08), ended, **extra)]


def document(program: str, rows: list[dict[str, Any]], machine: str = "gpu") -> dict[str, Any]:
    return {"context": synthetic.context(machine, program=program), "benchmarks": rows}


def barriers() -> dict[str, Any]:
    """All barriers: alone, with sections, of larger blocks, with local exchange; tuned ones too."""
    made: list[dict[str, Any]] = []
    for name, time in BARRIERS.items():
        for blocks in GRIDS:
            ended = "skipped" if name == "cluster" and blocks > 8 else "ok"
            time_here = time * (1 + (0.3 if name == "cooperative_groups" else 0.05) * blocks)
            for ldst in (0, 10):
                made += noisy("barrier", name, time_here + ldst * 0.05, ended, tbs_per_sm=blocks,
                              ldst=ldst, unsynchronized_ns_per_operation=50.0 * ldst + 10.0)
            if name in list(BARRIERS)[:3]:
                made += noisy("barrier", name, time_here + 0.8, tbs_per_sm=blocks, local_exchange="yes")
            if name in ("cooperative_groups", "flat_counters", "autotuned") and blocks <= 8:
                made += noisy("barrier", name, time_here * 1.1, tbs_per_sm=blocks, ldst=0, threads_per_block=256)
            if name in ("atomic_tree", "sense_reversing", "cooperative_groups") and blocks in (1, 16, 32):
                for ldst in (100, 1000):
                    made += noisy("barrier", name, time_here + ldst * 0.05, tbs_per_sm=blocks, ldst=ldst)
    made += [row | {"tuned": {"axes": {"replicas": 2}, "candidates_tried": 4}} for row in
             point("barrier", "autotuned", 0.001, tbs_per_sm=32, replicas=2)]
    return document("barrier", made)


def fairness(blocks: int, unfair: float) -> dict[str, float]:
    """Counters of a run of fixed duration."""
    return {"acquisitions_min": round(200 / blocks) * (1.0 - unfair),
            "acquisitions_max": 200.0 / blocks * (1 + 30 * unfair), "acquisitions_gini": unfair,
            "wait_p50_ns": 900.0 * blocks, "wait_p99_ns": 1200.0 * blocks * (1 + 9 * unfair),
            "wait_max_ns": 9e4 * blocks, "unsynchronized_ns_per_operation": 40.0}


def mutexes() -> dict[str, Any]:
    """All locks over the grids, with their fairness."""
    made: list[dict[str, Any]] = []
    for place, (name, time) in enumerate(LOCKS.items()):
        unfair = (place % 3) / 2
        for blocks in GRIDS:
            grown = time * (1 + (0.1 if name == "spin" else 0.01) * blocks)
            ended = "skipped" if name == "cohort" and blocks > 8 else "ok"
            for ldst in (0, 10):
                made += noisy("mutex", name, grown + ldst * 0.08, ended, tbs_per_sm=blocks,
                              ldst=ldst, **fairness(blocks, unfair))
            if blocks in (1, 16, 32) and name in ("spin", "array"):
                made += noisy("mutex", name, grown + 8, tbs_per_sm=blocks, ldst=100)
    return document("mutex", made)


def semaphores() -> dict[str, Any]:
    """All semaphores; spin hangs above one thread block per SM, without back-off or with; at two it only times out."""
    made: list[dict[str, Any]] = []
    for (name, backoff), time in SEMAPHORES.items():
        for blocks in GRIDS:
            ended = "ok" if name != "spin" or blocks == 1 else "timed out" if blocks == 2 else "hung"
            for size in (1, 10, 120):
                made += noisy("semaphore", name, time * (1 + 0.08 * blocks) / (1 + size / 100),
                              ended, tbs_per_sm=blocks, size=size, backoff=backoff,
                              **fairness(blocks, 0.4 if name == "spin" else 0.02))
            if blocks in (1, 16, 32):
                made += noisy("semaphore", name, time * 9, ended, tbs_per_sm=blocks, ldst=1000, backoff=backoff)
    for name, time in (("spin_printed", 9.0), ("priority_printed", 4.0)):
        for blocks in GRIDS:
            made += noisy("semaphore", name, time, tbs_per_sm=blocks, size=1, backoff="no",
                          writer="grows", **fairness(blocks, 0.1))
    for name, time in (("ticket", 0.4), ("libcudacxx", 0.9)):
        for blocks in GRIDS:
            made += noisy("semaphore", name, time, tbs_per_sm=blocks, ldst=0, writers="no", size=10)
    return document("semaphore", made)


def counts(program: str) -> dict[str, Any]:
    """What the host executor counted: each primitive twice the atomics of the next."""
    made: list[dict[str, Any]] = []
    names = {"barrier": [(name, {}) for name in BARRIERS], "mutex": [(name, {}) for name in LOCKS],
             "semaphore": [(name, {"backoff": backoff}) for name, backoff in SEMAPHORES]}[program]
    for place, (name, axes) in enumerate(names):
        for blocks in (1, 2, 4, 8):
            ended = "livelock" if name == "spin" and blocks == 8 else "ok"
            made += point(program, name, None, ended, 2, synthetic.IMITATED["sms"],
                          tbs_per_sm=blocks, **axes,
                          count_rmw_device_global=640.0 * blocks / 2 ** place,
                          count_fence_device=40.0 * blocks, count_poll_global=9.0 * place)
    return document(program, made, "host executor")


GPU = {"barrier": barriers, "mutex": mutexes, "semaphore": semaphores}
PROGRAMS = tuple(GPU)
