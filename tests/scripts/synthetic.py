"""Made-up results files for tests; nothing here was ever measured."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

LOCKS = {"spin": 12.0, "spin_ordered": 18.0, "backoff": 131.0, "ticket": 60.0, "ring": 90.0,
         "combining": 33.0, "lockfree": 33000.0}
GPU = {"name": "Test GPU 9000", "simulated": False, "sms": 132, "clock_khz": 1980000,
       "compute_capability": "9.0", "driver": "580.1", "runtime": "13.0"}
IMITATED = {"name": "host executor (small)", "simulated": True, "sms": 4}


def context(machine: str = "gpu", **changes: Any) -> dict[str, Any]:
    """The context of a results file."""
    gpu = GPU if machine == "gpu" else IMITATED
    ours = {"schema_version": 1, "program": "ht", "command_line": "ht", "machine": machine,
            "gpu": gpu, "git_revision": "0123456789abcdef", "git_dirty": False,
            "date": "2025-01-02T03:04:05+00:00", "host": "testhost"}
    return {"date": "2025-01-02T03:04:05+00:00", "host_name": "testhost",
            "finesync": {**ours, **changes}}


def rows(primitive: str, axes: dict[str, Any], milliseconds: float | None, repetitions: int = 3,
         status: str = "ok", **counters: float) -> list[dict[str, Any]]:
    """The repetitions of one point, with a little noise, and their aggregate."""
    noise = random.Random(f"{primitive}{axes}")
    full = {"threads_per_block": 256, "inserts": 4194304, "table_size": 4194304,
            "lock_padding": 0, "cs_extra": 0, **axes}
    name = f"ht/{primitive}/" + "/".join(f"{key}:{value}" for key, value in full.items())
    common = {"name": name, "run_name": name, "repetitions": repetitions, "primitive": primitive,
              "axes": full, "status": status, "reason": "" if status == "ok" else f"a {status}",
              "time_unit": "ms", **counters}
    if status != "ok":
        return [{**common, "run_type": "iteration", "repetition_index": 0, "real_time": 0.0}]
    made = []
    for index in range(repetitions):
        time = 0.0 if milliseconds is None else milliseconds * noise.uniform(0.93, 1.12)
        made.append({**common, "run_type": "iteration", "repetition_index": index,
                     "real_time": time})
    return made + [{**common, "run_type": "aggregate", "aggregate_name": "mean",
                    "real_time": milliseconds or 0.0}]


def gpu_document() -> dict[str, Any]:
    """Every figure's rows on a GPU; some points livelock and one lock has no good point at all."""
    made: list[dict[str, Any]] = []
    for factor in (256, 1024, 32768, 131072):
        for primitive, rate in LOCKS.items():
            rate = min(rate * (factor / 256) ** 0.9, 70000.0)
            for grid in (1, 2, 4, 8):
                bad = ("livelock" if primitive == "spin_ordered" and factor == 256 and grid > 2
                       else "skipped" if primitive == "ring" and factor == 131072 else "ok")
                made += rows(primitive, {"collision_factor": factor, "tbs_per_sm": grid},
                             4194.304 / rate * (1 + 0.1 * grid), 10, bad)
            if primitive == "lockfree":
                continue
            for padding in (0, 1):
                made += rows(primitive, {"collision_factor": factor, "tbs_per_sm": 4,
                                         "threads_per_block": 128, "lock_padding": padding},
                             4194.304 / rate / (1 + padding * 0.6), 10)
            for extra in (0, 1, 2, 4, 8, 16, 32) if primitive in list(LOCKS)[:4] else ():
                bad = "deadlock" if primitive == "ticket" and extra == 32 else "ok"
                made += rows(primitive, {"collision_factor": factor, "tbs_per_sm": 2,
                                         "threads_per_block": 64, "cs_extra": extra},
                             4194.304 / rate * (1 + extra * 60 / factor), 10, bad)
    return {"context": context(), "benchmarks": made}


def host_document() -> dict[str, Any]:
    """Counts of the host executor, one point livelocked."""
    made: list[dict[str, Any]] = []
    for factor in (32, 256, 1024):
        for place, primitive in enumerate(LOCKS):
            for grid in (1, 2):
                bad = "livelock" if primitive == "ring" and factor == 32 else "ok"
                made += rows(primitive, {"collision_factor": factor, "tbs_per_sm": grid,
                                         "inserts": 2048}, None, 3, bad,
                             count_rmw_device_global=2048.0 * (2 + place * grid * 320 / factor),
                             count_poll_global=2048.0 * place * place * 64 / factor)
    return {"context": context("host executor"), "benchmarks": made}


def write(path: Path, document: dict[str, Any]) -> Path:
    """Writes a document as a results file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path
