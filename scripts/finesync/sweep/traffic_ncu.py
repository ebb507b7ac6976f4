"""Nsight Compute's command line, ncu: metrics of traffic, and the sums over the kernels of a run.

The programs let profilers record one run (bench/kernel_timer.hpp). It may launch several kernels.
ncu counts each of them, or, for runs of thousands of launches, the whole run.
"""

from __future__ import annotations

import csv
import math
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..results.errors import UserError
from . import traffic_stalls

# Only sectors that SMs request, if ncu can count them: on some GPUs one half of the L2 requests
# from the other. Alternatives are in order of preference; the metrics of one are summed.
_SM = "lts__t_sectors_srcunit_tex_op_"
_ANY = "lts__t_sectors_op_"
# The kernel with which the programs' timer holds the stream before the run.
TIMERS_OWN = "hold_stream"
QUANTITIES: dict[str, tuple[tuple[str, ...], ...]] = {
    "l2_sectors_read": ((f"{_SM}read",), (f"{_ANY}read",)),
    "l2_sectors_write": ((f"{_SM}write",), (f"{_ANY}write",)),
    "l2_sectors_atomic": ((f"{_SM}atom",), (f"{_SM}atom_dot_alu", f"{_SM}atom_dot_cas"),
                          (f"{_ANY}atom",)),
    "l2_sectors_reduction": ((f"{_SM}red",), (f"{_ANY}red",)),
    "l2_sectors_hit": (("lts__t_sectors_srcunit_tex_lookup_hit",), ("lts__t_sectors_lookup_hit",)),
    "l2_sectors_miss": (("lts__t_sectors_srcunit_tex_lookup_miss",),
                        ("lts__t_sectors_lookup_miss",)),
    "dram_bytes_read": (("dram__bytes_read",),),
    "dram_bytes_write": (("dram__bytes_write",),),
    "gpu_time_ns": (("gpu__time_duration",),),
}
_UNITS = {
    "l2_sectors": {"sector": 1.0, "": 1.0},
    "dram_bytes": {"byte": 1.0},
    "gpu_time": {"nsecond": 1.0, "usecond": 1e3, "msecond": 1e6, "second": 1e9,
                 "ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9},
}
_PREFIXES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
# What ncu is to count: the kernels, each run again from the same memory for each of its passes; or
# all that the program does between its calls to the profiler, in a run of the program for each
# pass. Of the latter ncu says if any was not ok: a program's exit status is that of its check.
_EACH_KERNEL = ("--kernel-name-base", "function", "--profile-from-start", "off")
_WHOLE_RUN = ("--replay-mode", "app-range", "--check-exit-code", "yes")
_NUMBER = re.compile(r"(\d+|\d{1,3}(,\d{3})+)(\.\d+)?([eE][+-]?\d+)?")

Metrics = dict[str, tuple[str, ...]]
# Of one kernel or of a whole run: the value and the unit of each metric.
Cells = Mapping[str, tuple[str, str]]


@dataclass(frozen=True)
class Profiler:
    """An ncu, and its metrics by the quantity to which they add up."""

    path: str
    version: str
    metrics: Metrics
    cache_control: str
    # The base names of all metrics here.
    available: frozenset[str]

    def options(self, stalls: bool, whole_run: bool) -> list[str]:
        """The options for a profiled point, with or without the reasons why warps stall, kernel by
        kernel or as a whole run."""
        names = [f"{name}.sum" for group in self.metrics.values() for name in group]
        if stalls:
            names += traffic_stalls.metrics(self.available)
        return [
            "--csv", "--page", "raw", "--print-units", "base",
            *(_WHOLE_RUN if whole_run else _EACH_KERNEL),
            "--cache-control", self.cache_control,
            # The clocks of the timed runs; setting others takes privileges.
            "--clock-control", "none",
            "--metrics", ",".join(names),
        ]

    def command(self, log: Path, program: Iterable[str], stalls: bool, whole_run: bool) -> list[str]:
        """The command line that profiles a program and leaves ncu's output in `log`."""
        return [self.path, *self.options(stalls, whole_run), "--log-file", str(log), *program]


def find_profiler(path: str | None, cache_control: str) -> Profiler:
    """The ncu at this path, on PATH, or of the CUDA toolkit, with the metrics available here."""
    path_of = shutil.which(path or "ncu") or (None if path else shutil.which("/usr/local/cuda/bin/ncu"))
    if not path_of:
        where = path or "on PATH or in /usr/local/cuda/bin"
        raise UserError(f"there is no ncu {where}: Nsight Compute comes with the CUDA toolkit")
    version = re.search(r"^Version (\S+)", _ask(path_of, "--version"), re.MULTILINE)
    listed = _ask(path_of, "--query-metrics")
    available = frozenset(line.split()[0] for line in listed.splitlines() if line.strip())
    return Profiler(path_of, version[1] if version else "unknown", choose_metrics(available), cache_control, available)


def choose_metrics(available: frozenset[str]) -> Metrics:
    """For each quantity the first alternative with all metrics available."""
    chosen: Metrics = {}
    for quantity, alternatives in QUANTITIES.items():
        usable = [names for names in alternatives if available.issuperset(names)]
        if not usable:
            wanted = " or ".join("+".join(names) for names in alternatives)
            raise UserError(f"ncu has no metric {wanted} on this GPU: {quantity} cannot be counted")
        chosen[quantity] = usable[0]
    return chosen


def parse(text: str, metrics: Metrics, whole_run: bool = False) -> dict[str, float]:
    """The quantities of a run in ncu's raw CSV, summed, in bytes, sectors and nanoseconds, and the
    number of `launches`, which nobody counts in a whole run."""
    parts = parts_of(text, whole_run)
    sums = {quantity: sum(_value(quantity, f"{name}.sum", cells)
                          for cells in parts for name in names)
            for quantity, names in metrics.items()}
    return sums if whole_run else {"launches": float(len(parts)), **sums}


def parts_of(text: str, whole_run: bool) -> Sequence[Cells]:
    """The cells of each kernel of a run, at least one, or those of the whole run. The whole run includes the
    timer's own kernel: a thread that looks at the clock for 30 us and requests nothing of the L2."""
    kernels = _rows(text)
    parts = kernels if whole_run else [
        cells for cells in kernels
        if cells.get("Kernel Name", ("", ""))[0].split("::")[-1] != TIMERS_OWN]
    if error := first_error(text):
        raise UserError(error)
    if not parts:
        raise UserError("ncu profiled no kernel")
    if whole_run and len(parts) > 1:
        raise UserError(f"ncu counted {len(parts)} parts of the run, and not the whole")
    return parts


def _rows(text: str) -> list[Cells]:
    # ncu's messages and, without a log file, the program's output surround the table.
    table = list(csv.reader(line for line in text.splitlines() if line.startswith('"')))
    start = next((i for i, row in enumerate(table) if row[0] == "ID"), None)
    if start is None:
        return []
    header, rows = table[start], table[start + 1:]
    units = next((row for row in rows if row[0] == ""), [""] * len(header))
    values = [row for row in rows if row[0] != ""]
    if any(len(row) != len(header) for row in (units, *values)):
        raise UserError("ncu's table ends too early")
    return [dict(zip(header, zip(row, units))) for row in values]


def first_error(text: str) -> str:
    """The first error that ncu reports, empty for none."""
    match = re.search(r"==ERROR== (.+)", text)
    return f"ncu: {match[1].strip()}" if match else ""


def is_refused(text: str) -> bool:
    """Whether ncu may not or cannot read this GPU's counters at all."""
    return "ERR_NVGPUCTRPERM" in text or "Failed to initialize the profiler" in text


def _value(quantity: str, name: str, cells: Cells) -> float:
    value = number(name, cells) * _scale(quantity, name, cells[name][1])
    if not math.isfinite(value):
        raise UserError(f"ncu's number for {name} is out of range")
    return value


def number(name: str, cells: Cells) -> float:
    """The number of a metric, in the unit of its cell."""
    if name not in cells:
        raise UserError(f"ncu's table lacks {name}")
    text = cells[name][0]
    if not _NUMBER.fullmatch(text):
        raise UserError(f"ncu has no number for {name} but {text!r}")
    return float(text.replace(",", ""))


def _scale(quantity: str, name: str, unit: str) -> float:
    known = next(units for kind, units in _UNITS.items() if quantity.startswith(kind))
    prefix, rest = (unit[0], unit[1:]) if unit[:1] in _PREFIXES else ("", unit)
    if rest not in known:
        raise UserError(f"ncu counts {name} in the unknown unit {unit!r}")
    return _PREFIXES.get(prefix, 1.0) * known[rest]


def _ask(ncu: str, question: str) -> str:
    try:
        done = subprocess.run([ncu, question], text=True, capture_output=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{ncu} {question}: {error}") from None
    if done.returncode != 0:
        message = first_error(done.stdout + done.stderr) or f"exit status {done.returncode}"
        raise UserError(f"{ncu} {question}: {message}")
    return done.stdout
