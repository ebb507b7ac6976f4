"""One profiled point: a program under ncu, and the results file made from both outputs."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from ..results import schemas
from ..results.errors import UserError
from ..results.loading import SECONDS
from ..results.schemas import TRAFFIC
from .plan import PlannedPoint
from .point_process import error_row
from .store import digest
from .traffic_ncu import Profiler, first_error, is_refused, number, parse, parts_of
from .traffic_stalls import shares

_SECTOR_BYTES = 32
_L2_ACCESSES = ("l2_sectors_read", "l2_sectors_write", "l2_sectors_atomic", "l2_sectors_reduction")


def profile(point: PlannedPoint, program: Path, ncu: Profiler) -> dict[str, Any]:
    """Runs a point under ncu and returns its row, also for a failure. A UserError means that no
    point can be profiled here."""
    with tempfile.TemporaryDirectory(prefix="finesync-traffic-") as folder:
        log, output, screen = (Path(folder) / name for name in ("ncu.csv", "own.json", "screen"))
        started = [str(program), *point.command()[1:], f"--benchmark_out={output}"]
        command = ncu.command(log, started, point.stalls, point.whole_run)
        reason = _run(command, screen, point.timeout_s)
        printed = "\n".join(_text(path) for path in (log, screen))
        if is_refused(printed):
            raise UserError(f"{first_error(printed)} (ncu may need root, or NVreg_"
                            "RestrictProfilingToAdminUsers=0)")
        try:
            document = schemas.read_results(output)
        except UserError:
            reason = reason or _last_line(printed)
    if reason:
        return _document(point, program, ncu, {}, error_row(point, next(point.combinations()), reason))
    ours = document["context"]["finesync"]
    if ours["machine"] != "gpu":
        raise UserError(f"{program} runs on the {ours['machine']}, which has no traffic to count")
    return _document(point, program, ncu, document["context"], _row(document["benchmarks"], point, printed, ncu))


def _run(command: list[str], screen: Path, timeout_s: float) -> str:
    """Runs a command to its end; a reason if it had to be killed."""
    with open(screen, "wb") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                   env={**os.environ, "LC_ALL": "C"}, start_new_session=True)
        try:
            process.wait(timeout_s)
            return ""
        except subprocess.TimeoutExpired:
            return f"timed out after {timeout_s:g} s"
        finally:
            # Also if a signal ends this script: ncu and the program would continue.
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _row(rows: list[dict[str, Any]], point: PlannedPoint, output: str, ncu: Profiler) -> dict[str, Any]:
    """The program's row with ncu's counts. Its time is the profiler's, not the program's."""
    measured = next((row for row in rows if row.get("run_type") == "iteration"), None)
    if measured is None:
        return error_row(point, next(point.combinations()), "no row in its results")
    row = {key: measured[key] for key in ("name", "run_name", "run_type", "primitive", "axes", "effective",
                                          "status", "reason", "timeout", "inputs", "sm_clock_mhz",
                                          "memory_clock_mhz", "throttled") if key in measured}
    row |= {"repetitions": 1, "repetition_index": 0}
    if row["status"] != "ok":
        return row
    try:
        counted = parse(output, ncu.metrics, point.whole_run)
        stalled = shares(ncu.available, [partial(number, cells=cells)
                                         for cells in parts_of(output, point.whole_run)]
                         ) if point.stalls else {}
    except UserError as error:
        return row | {"status": "error", "reason": str(error)}
    time = counted.pop("gpu_time_ns")
    if time <= 0:
        return row | {"status": "error", "reason": "ncu saw the kernels take no time"}
    l2 = sum(counted[name] for name in _L2_ACCESSES)
    looked_up = counted["l2_sectors_hit"] + counted["l2_sectors_miss"]
    return row | {"time_source": "ncu, gpu__time_duration", "real_time": time, "time_unit": "ns",
                  **_of_one_run(measured), **counted, "l2_bytes": l2 * _SECTOR_BYTES,
                  "l2_hit_percent": 100 * counted["l2_sectors_hit"] / (looked_up or 1),
                  "dram_bytes": counted["dram_bytes_read"] + counted["dram_bytes_write"],
                  **stalled}


def _of_one_run(measured: dict[str, Any]) -> dict[str, float]:
    """What the program reported of one run: its operations, from the rate and the time, and the
    locks that servers lent each other."""
    lent = {key: measured[key] for key in (schemas.LENT,) if key in measured}
    if "items_per_second" in measured:
        lent["operations"] = round(measured["items_per_second"] * measured["real_time"]
                                   * SECONDS[measured["time_unit"]])
    return lent


def _document(point: PlannedPoint, program: Path, ncu: Profiler, context: dict[str, Any],
              row: dict[str, Any]) -> dict[str, Any]:
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    ours = {"schema_version": schemas.RESULTS_VERSION, "machine": "gpu", **context.get("finesync", {}),
            "program": f"{point.program}{TRAFFIC}"}
    sweep = {"command": point.command(), "program_sha256": digest(program),
             "profiled_by": ["ncu", *ncu.options(point.stalls, point.whole_run)]}
    profiler = {"name": "ncu", "version": ncu.version, "metrics": ncu.metrics, "cache_control": ncu.cache_control}
    return {"context": {"date": now, **context, "finesync": ours, "profiler": profiler,
                        "sweep": sweep},
            "benchmarks": [row]}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip() and line[:2] != "=="]
    return f"no results: {lines[-1][:300]}" if lines else first_error(output) or "no results"
