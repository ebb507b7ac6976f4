"""Nsight Compute's command line, ncu: metrics of traffic, and parsing of its output."""

from __future__ import annotations

import csv
import math
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..results.errors import UserError

# Only sectors that SMs request, if ncu can count them: on some GPUs one half of the L2 requests
# from the other. Alternatives are in order of preference; the metrics of one are summed.
_SM = "lts__t_sectors_srcunit_tex_op_"
_ANY = "lts__t_sectors_op_"
QUANTITIES: dict[str, tuple[tuple[str, ...], ...]] = {
    "l2_sectors_read": ((f"{_SM}read",), (f"{_ANY}read",)),
    "l2_sectors_write": ((f"{_SM}write",), (f"{_ANY}write",)),
    "l2_sectors_atomic": ((f"{_SM}atom",), (f"{_SM}atom_dot_alu", f"{_SM}atom_dot_cas"),
                          (f"{_ANY}atom",)),
    "l2_sectors_reduction": ((f"{_SM}red",), (f"{_ANY}red",)),
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
_NUMBER = re.compile(r"(\d+|\d{1,3}(,\d{3})+)(\.\d+)?([eE][+-]?\d+)?")

Metrics = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Profiler:
    """An ncu, and its metrics by the quantity to which they add up."""

    path: str
    version: str
    metrics: Metrics
    cache_control: str
    # A regular expression for the names of kernels without their namespaces.
    kernels: str

    def options(self) -> list[str]:
        """The options for every profiled point."""
        names = [f"{name}.sum" for group in self.metrics.values() for name in group]
        return [
            "--csv", "--page", "raw", "--print-units", "base",
            "--kernel-name-base", "function",
            "--kernel-name", rf"regex:(.*\b)?({self.kernels})$",
            # The first launch is a program's warm-up: the timed kernel from the same state,
            # verified.
            "--launch-skip", "0", "--launch-count", "1",
            "--cache-control", self.cache_control,
            # The clocks of the timed runs; setting others takes privileges.
            "--clock-control", "none",
            "--metrics", ",".join(names),
        ]

    def command(self, log: Path, program: Iterable[str]) -> list[str]:
        """The command line that profiles a program and leaves ncu's output in `log`."""
        return [self.path, *self.options(), "--log-file", str(log), *program]


def find_profiler(path: str | None, cache_control: str, kernels: str) -> Profiler:
    """The ncu at this path, on PATH, or of the CUDA toolkit, with the metrics available here."""
    found = shutil.which(path or "ncu") or (None if path else
                                            shutil.which("/usr/local/cuda/bin/ncu"))
    if not found:
        where = path or "on PATH or in /usr/local/cuda/bin"
        raise UserError(f"no ncu {where}; Nsight Compute comes with the CUDA toolkit")
    version = re.search(r"^Version (\S+)", _ask(found, "--version"), re.MULTILINE)
    listed = _ask(found, "--query-metrics")
    available = {line.split()[0] for line in listed.splitlines() if line.strip()}
    return Profiler(found, version[1] if version else "unknown", choose_metrics(available),
                    cache_control, kernels)


def choose_metrics(available: set[str]) -> Metrics:
    """For each quantity the first alternative with all metrics available."""
    chosen: Metrics = {}
    for quantity, alternatives in QUANTITIES.items():
        usable = [names for names in alternatives if available.issuperset(names)]
        if not usable:
            wanted = " or ".join("+".join(names) for names in alternatives)
            raise UserError(f"ncu does not know {wanted} on this GPU: {quantity} cannot be counted")
        chosen[quantity] = usable[0]
    return chosen


def parse(text: str, metrics: Metrics) -> dict[str, float]:
    """The quantities of the one kernel in ncu's raw CSV, in bytes, sectors and nanoseconds."""
    # ncu's messages and, without a log file, the program's output surround the table.
    table = list(csv.reader(line for line in text.splitlines() if line.startswith('"')))
    start = next((i for i, row in enumerate(table) if "Kernel Name" in row), None)
    if start is None:
        raise UserError(first_error(text) or "ncu profiled no kernel")
    header, rows = table[start], table[start + 1:]
    units = next((row for row in rows if row[0] == ""), [""] * len(header))
    kernels = [row for row in rows if row[0] != ""]
    if len(kernels) != 1:
        raise UserError(first_error(text) or f"ncu profiled {len(kernels)} kernels instead of one")
    if any(len(row) != len(header) for row in (units, kernels[0])):
        raise UserError("ncu's table ends too early")
    cells = dict(zip(header, zip(kernels[0], units)))
    return {quantity: sum(_value(quantity, f"{name}.sum", cells) for name in names)
            for quantity, names in metrics.items()}


def first_error(text: str) -> str:
    """The first error that ncu reports, empty for none."""
    found = re.search(r"==ERROR== (.+)", text)
    return f"ncu: {found[1].strip()}" if found else ""


def is_refused(text: str) -> bool:
    """Whether ncu may not or cannot read this GPU's counters at all."""
    return "ERR_NVGPUCTRPERM" in text or "Failed to initialize the profiler" in text


def _value(quantity: str, name: str, cells: Mapping[str, tuple[str, str]]) -> float:
    if name not in cells:
        raise UserError(f"ncu's table lacks {name}")
    text, unit = cells[name]
    if not _NUMBER.fullmatch(text):
        raise UserError(f"ncu has no number for {name} but {text!r}")
    value = float(text.replace(",", "")) * _scale(quantity, name, unit)
    if not math.isfinite(value):
        raise UserError(f"ncu's number for {name} is out of range")
    return value


def _scale(quantity: str, name: str, unit: str) -> float:
    known = next(units for kind, units in _UNITS.items() if quantity.startswith(kind))
    prefix, rest = (unit[0], unit[1:]) if unit[:1] in _PREFIXES else ("", unit)
    if rest not in known:
        raise UserError(f"ncu counts {name} in the unknown unit {unit!r}")
    return _PREFIXES.get(prefix, 1.0) * known[rest]


def _ask(ncu: str, question: str) -> str:
    try:
        done = subprocess.run([ncu, question], text=True, capture_output=True, timeout=120,
                              check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{ncu} {question}: {error}") from None
    if done.returncode != 0:
        said = first_error(done.stdout + done.stderr) or f"exit status {done.returncode}"
        raise UserError(f"{ncu} {question}: {said}")
    return done.stdout
