"""Under which circumstances two runs were made, and what of it differs."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from typing import Any

from ..results.loading import Results

# What a run is made with, by the words of the report. Revisions and dates are expected to differ.
_FACTS: dict[str, Callable[[Results], Any]] = {
    "GPU": lambda results: results.gpu_name,
    "driver": lambda results: results.told("driver_version"),
    "CUDA driver API": lambda results: results.gpu.get("cuda_driver_api"),
    "runtime": lambda results: results.gpu.get("runtime"),
    "card": lambda results: [uuid[:12] for uuid in results.told("uuid")],
    "power limit (W)": lambda results: results.gpu.get("power_limit_w"),
    "ECC": lambda results: results.gpu.get("ecc"),
    "MIG": lambda results: results.gpu.get("mig"),
    "persistence": lambda results: results.gpu.get("persistence"),
    "highest clock (kHz)": lambda results: results.gpu.get("clock_khz"),
    "build type": lambda results: _ours(results).get("build_type"),
    "compiler": lambda results: _ours(results).get("compiler"),
    "CUDA compiler": lambda results: _ours(results).get("cuda_compiler"),
    "machine settings": lambda results: " ".join(
        f"{name}={value}" for name, value in _ours(results).get("machine_settings", {}).items()),
}


def described(runs: list[Results]) -> str:
    """A run in one line: its GPU, its revisions and its dates."""
    parts = [", ".join(_values(runs, lambda results: results.gpu_name)),
             "revision " + _few(_values(runs, _revision)),
             " to ".join(_ends(_values(runs, lambda results: _ours(results).get("date", "")[:10])))]
    return ", ".join(filter(None, parts))


def differences(a: list[Results], b: list[Results]) -> list[str]:
    """What differs, a short phrase each; what a run does not say is `unknown`."""
    phrases = []
    for name, fact in _FACTS.items():
        values_a, values_b = _values(a, fact), _values(b, fact)
        if values_a != values_b:
            phrases.append(f"{name} {_few(values_a)} | {_few(values_b)}")
    for name, column in (("SM", "sm_clock_mhz"), ("memory", "memory_clock_mhz")):
        clocks = [_clock(runs, column) for runs in (a, b)]
        if clocks[0] != clocks[1]:
            phrases.append(f"median {name} clock (MHz) {' | '.join(clocks)}")
    slowed = [_few(sorted(_slowed_by(runs)), "nothing") for runs in (a, b)]
    if slowed[0] != slowed[1]:
        phrases.append(f"slowed by {' | '.join(slowed)}")
    return phrases


def gpu_names(runs: list[Results]) -> list[str]:
    """The names of the GPUs of a run."""
    return _values(runs, lambda results: results.gpu_name)


def _ours(results: Results) -> dict[str, Any]:
    ours: dict[str, Any] = results.context["finesync"]
    return ours


def _values(runs: list[Results], fact: Callable[[Results], Any]) -> list[str]:
    values = [fact(results) for results in runs]
    each = [text for value in values for text in (value if isinstance(value, list) else [value])]
    return sorted({str(value) for value in each if value not in (None, "")})


def _revision(results: Results) -> str:
    """The revision, and whether the tree had other changes."""
    ours = _ours(results)
    dirty = ours.get("git_dirty") or any(run.get("git_dirty") for run in _runs([results]))
    return ours.get("git_revision", "")[:9] + (" (dirty)" if dirty else "")


def _few(values: list[str], none: str = "unknown") -> str:
    shown = values[:3] + ([f"{len(values) - 3} more"] if len(values) > 3 else [])
    return ", ".join(shown) or none


def _ends(values: list[str]) -> list[str]:
    return list(dict.fromkeys([values[0], values[-1]])) if values else []


def _clock(runs: list[Results], column: str) -> str:
    """The median clock: of the rows, or in schema 2 of the points' medians."""
    clocks = [clock for results in runs if column in results.rows
              for clock in results.rows[column].dropna()]
    clocks += [run[column]["median"] for run in _runs(runs) if "median" in run.get(column, {})]
    return str(round(statistics.median(clocks))) if clocks else "unknown"


def _slowed_by(runs: list[Results]) -> set[str]:
    """What held the clocks down: of the rows, or in schema 2 of the points."""
    causes = {word for run in _runs(runs) for word in run.get("slowed_by", ())}
    for results in runs:
        causes |= set(results.rows["throttled"]) - {""}
        causes |= {"power cap"} if results.rows["power_capped"].any() else set()
    return causes


def _runs(runs: list[Results]) -> Iterator[dict[str, Any]]:
    """The sweeps' records of the processes that measured."""
    for results in runs:
        sweep = results.context.get("sweep", {})
        yield from sweep.get("runs", [sweep])
