"""Made-up results files for tests; nothing here was ever measured."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

LOCKS = {"spin": 12.0, "tas": 18.0, "ttas": 131.0, "ticket": 60.0, "anderson": 90.0,
         "warp_combining": 33.0, "lockfree": 33000.0}
SERVERS = {"server_basic": 150.0, "server_paper": 500.0, "server_fast": 6600.0}
GPU = {"name": "Test GPU 9000", "simulated": False, "sms": 132, "clock_khz": 1980000,
       "max_threads_per_sm": 2048, "max_blocks_per_sm": 32,
       "compute_capability": "9.0", "cuda_driver_api": "13.0", "runtime": "13.0",
       "driver_version": "580.1", "uuid": "GPU-00010203-0405", "power_limit_w": 700.0}
IMITATED = {"name": "host executor (small)", "simulated": True, "sms": 4}

Rows = list[dict[str, Any]]


def context(machine: str = "gpu", **changes: Any) -> dict[str, Any]:
    gpu = GPU if machine == "gpu" else IMITATED
    ours = {"schema_version": 3, "program": "ht", "command_line": ["ht"], "machine": machine,
            "gpu": gpu, "git_revision": "0123456789abcdef", "git_dirty": False,
            "date": "2025-01-02T03:04:05+00:00", "host": "testhost"}
    return {"date": "2025-01-02T03:04:05+00:00", "host_name": "testhost", "finesync": {**ours, **changes}}


def ending(word: str) -> dict[str, Any]:
    """How a row ended: with a status, or hung or timed out, which are timeouts."""
    if word == "ok":
        return {"status": "ok"}
    if word not in ("hung", "timed out"):
        return {"status": word, "reason": f"a {word}"}
    return {"status": "timeout",
            "reason": "block 3, thread 17 timed out after 2000 ms waiting for lock 7",
            "timeout": {"block": 3, "thread": 17, "waited_for": "lock", "index": 7,
                        "waited_ms": 2000, "hung": word == "hung"}}


def launch(axes: dict[str, Any], sms: int = GPU["sms"]) -> dict[str, Any]:
    """What ran where these axes were asked for; full SMs where they leave it open."""
    blocks, threads = axes.get("tbs_per_sm", 1), axes.get("threads_per_block", 64)
    threads = 256 if threads == "auto" else threads
    return {"effective": {"blocks": (2048 // threads if blocks == "auto" else blocks) * sms,
                    "threads_per_block": threads}}


def rows(primitive: str, axes: dict[str, Any], milliseconds: float | None, repetitions: int = 3,
         ended: str = "ok", **counters: float) -> list[dict[str, Any]]:
    """The repetitions of one point, with a little noise, and their aggregate."""
    noise = random.Random(f"{primitive}{axes}")
    full = {"threads_per_block": 256, "inserts": 4194304, "table_size": 4194304, "section_work": 0,
            "section": "push", **axes}
    if primitive in LOCKS and primitive != "lockfree":
        full.setdefault("lock_layout", "packed")
    name = f"ht/{primitive}/" + "/".join(f"{key}:{value}" for key, value in full.items())
    ran = {} if ended in ("skipped", "error") else launch(full)
    common = {"name": name, "run_name": name, "repetitions": repetitions, "primitive": primitive,
              "axes": full, **ran, **ending(ended), "time_unit": "ms", **counters}
    if ended != "ok":
        return [{**common, "run_type": "iteration", "repetition_index": 0, "real_time": 0.0}]
    made = []
    for index in range(repetitions):
        time = 0.0 if milliseconds is None else milliseconds * noise.uniform(0.93, 1.12)
        made.append({**common, "run_type": "iteration", "repetition_index": index, "real_time": time})
    return made + [{**common, "run_type": "aggregate", "aggregate_name": "mean", "real_time": milliseconds or 0.0}]


def exact_rows(primitive: str, axes: dict[str, Any], milliseconds: float, ended: str = "ok",
               **counters: float) -> list[dict[str, Any]]:
    """The same without noise, and with these axes alone."""
    made = rows(primitive, axes, milliseconds, ended=ended, **counters)
    for row in made:
        row["axes"] = axes
        if row["run_type"] == "iteration" and ended == "ok":
            row["real_time"] = milliseconds
    return made


def point(primitive: str, axes: dict[str, Any], microseconds: float | list[float] = 0.0,
          ended: str = "ok", ran: dict[str, Any] | None = None, **numbers: float) -> Rows:
    """The repetitions of a point: microseconds per operation, and of the run, of each."""
    each = microseconds if isinstance(microseconds, list) else [microseconds]
    (row,) = [one for one in exact_rows(primitive, axes, each[0] / 1e3, ended, **numbers)
              if one["run_type"] == "iteration"][:1]
    made = []
    for number, one in enumerate(each):
        good = {"real_time": one / 1e3, "items_per_second": 1e6 / one} if ended == "ok" else {}
        made.append({**row, **good, "repetition_index": number, "repetitions": len(each),
                     "effective": {**row.get("effective", {}), **(ran or {})}})
    return made


def gpu_document() -> dict[str, Any]:
    """The locks' rows on a GPU; some points hang or time out and one lock has no good point at all."""
    made: list[dict[str, Any]] = []
    for factor in (256, 1024, 32768, 131072):
        for primitive, rate in LOCKS.items():
            rate = min(rate * (factor / 256) ** 0.9, 70000.0)
            for grid in (1, 2, 4, 8):
                bad = ({4: "timed out", 8: "hung"}.get(grid, "ok")
                       if primitive == "tas" and factor == 256
                       else "skipped" if primitive == "anderson" and factor == 131072 else "ok")
                made += rows(primitive, {"collision_factor": factor, "tbs_per_sm": grid},
                             4194.304 / rate * (1 + 0.1 * grid), 10, bad)
            if primitive == "lockfree":
                continue
            for slower, padding in enumerate(("packed", "padded")):
                made += rows(primitive, {"collision_factor": factor, "tbs_per_sm": 4,
                                         "threads_per_block": 128, "lock_layout": padding},
                             4194.304 / rate / (1 + slower * 0.6), 10)
            for extra in (0, 1, 2, 4, 8, 16, 32) if primitive in list(LOCKS)[:4] else ():
                bad = "hung" if primitive == "ticket" and extra == 32 else "ok"
                made += rows(primitive, {"collision_factor": factor, "tbs_per_sm": 2,
                                         "threads_per_block": 64, "section_work": extra},
                             4194.304 / rate * (1 + extra * 60 / factor), 10, bad)
    return {"context": context(), "benchmarks": made}


def server_rows(factor: int) -> list[dict[str, Any]]:
    """The servers at one collision factor: two shares of servers, without sections, and with longer ones."""
    made: list[dict[str, Any]] = []
    for primitive, slowest in SERVERS.items():
        rate = min(slowest * (factor / 256) ** 0.5, 24000.0)
        grid = {"collision_factor": factor, "tbs_per_sm": "auto", "threads_per_block": 1024}
        bad = "hung" if (primitive, factor) == ("server_basic", 131072) else "ok"
        for share, slower in ((33, 1.4), (50, 1.0)):
            made += rows(primitive, {**grid, "servers_percent": share}, 4194.304 / rate * slower, 10,
                         bad, lock_transfer_cycles=80000 / rate)
        for extra in (0, 1, 2, 4, 8, 16, 32):
            here = {**grid, "tbs_per_sm": 1, "servers_percent": 50, "section_work": extra}
            made += rows(primitive, here, 4194.304 / rate * (1.2 + extra * 400 / factor), 10, "ok" if extra else bad)
        made += rows(primitive, {**grid, "servers_percent": 50, "section": "empty"}, 4194.304 / rate / 3, 10)
    return made


def server_document() -> dict[str, Any]:
    """The locks' and the servers' rows, at the collision factors of all tables."""
    document = gpu_document()
    for factor in (32, 128, 512):
        for primitive, rate in LOCKS.items():
            for grid in (1, 2, 4, 8):
                document["benchmarks"] += rows(
                    primitive, {"collision_factor": factor, "tbs_per_sm": grid},
                    4194.304 / min(rate * (factor / 256) ** 0.9, 70000.0) * grid ** 0.5, 10,
                    lock_transfer_cycles=2000.0 * grid)
    for factor in (32, 128, 256, 512, 1024, 32768, 131072):
        document["benchmarks"] += server_rows(factor)
    return document


def traffic_row(primitive: str, factor: int, section: str, l2_bytes: float, dram_bytes: float,
                ended: str = "ok") -> list[dict[str, Any]]:
    """One launch as traffic.py records it; a section without memory accesses is arithmetic."""
    axes = {"collision_factor": factor, "tbs_per_sm": 4, "section": section, "section_work": int(section == "empty")}
    return [{**row, "real_time": 8.0} for row in rows(
        primitive, axes, 8.0, 1, ended, l2_bytes=l2_bytes, dram_bytes=dram_bytes)[:1]]


def traffic_document() -> dict[str, Any]:
    """What ncu counted of locks and servers; one server hung once."""
    made: list[dict[str, Any]] = []
    for factor in (256, 1024, 32768, 131072):
        for net, section in enumerate(("push", "empty")):
            spin = 4e9 * (256 / factor) ** 0.4
            made += traffic_row("spin", factor, section, spin, 3e8)
            made += traffic_row("tas", factor, section, spin * 0.6, 2.6e8)
            for place, server in enumerate(SERVERS):
                ended = "hung" if (server, factor, net) == ("server_paper", 1024, 1) else "ok"
                made += traffic_row(server, factor, section, 9e8 / (place + 1) / (net + 1),
                                    1.4e8 / (place + 1) / (3 * net + 1), ended)
    ours = context(program="ht_traffic")
    return {"context": {**ours, "profiler": {"version": "2025.3.1.0", "cache_control": "all"}}, "benchmarks": made}


def host_document() -> dict[str, Any]:
    """Counts of the host executor, one point livelocked."""
    made: list[dict[str, Any]] = []
    for factor in (32, 256, 1024):
        for place, primitive in enumerate(LOCKS):
            for grid in (1, 2):
                bad = "livelock" if primitive == "anderson" and factor == 32 else "ok"
                made += rows(primitive, {"collision_factor": factor, "tbs_per_sm": grid,
                                         "inserts": 2048}, None, 3, bad,
                             count_rmw_device_global=2048.0 * (2 + place * grid * 320 / factor),
                             count_poll_global=2048.0 * place * place * 64 / factor)
    return {"context": context("host executor"), "benchmarks": made}


def as_written(context: dict[str, Any], writes: list[list[dict[str, Any]]]) -> str:
    """FILE.partial after these writes, as src/bench/json_reporter.cpp lays it out."""
    lines = [",\n".join(map(json.dumps, rows)) + "\t" for rows in writes]
    return ('{\n"context": ' + json.dumps(context, indent=2) + ',\n"benchmarks": [\n'
            + ",\n".join(lines) + "\n  ]\n}\n")


def write(path: Path, document: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@contextmanager
def changed(path: Path) -> Iterator[Any]:
    """What a JSON file holds, to be changed in place."""
    document = json.loads(path.read_text(encoding="utf-8"))
    yield document
    write(path, document)
