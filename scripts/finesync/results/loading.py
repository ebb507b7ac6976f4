"""Results files: read, checked, and turned into data frames."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..query.points import PointTable
from ..query.tables import COUNTS
from .json_files import once
from .older_rows import program_now, with_all_axes
from .rows_by_run import split
from .schemas import TRAFFIC, read_results

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
WORST_FIRST = ("wrong", "deadlock", "livelock", "hung", "timed out", "error", "wrong, as declared", "skipped", "ok")
_JOINED = ("planned", "cards")  # columns of sets
_QUARTILES = {0.25: "_low", 0.5: "", 0.75: "_high"}


@dataclass(frozen=True, eq=False)
class Results:
    """One results file: machine, program and measurements.

    `rows` has a row per repetition and `points` one per combination of axes. Both have the columns primitive, status,
    ended (the status in the words of tables: "hung" or "timed out" for a timeout), reason, waited_ms (of a timeout),
    tuned (the axes that --tune chose, None if it did not), excluded (a candidate that failed while tuning), throttled
    (why the GPU was slowed down during the repetition, "" if it was not), power_capped, interleaved (what it shares
    with the rows of another build that was measured in turns with it), planned (the names of the plan's points that it
    was measured for), cards (the UUIDs of the GPUs that measured it, as far as they are known; both are frozensets),
    axes (all of them), effective (the parameters that ran, empty if none did), one column per axis, and one per number.
    A point ended as its worst repetition did.
    Its numbers are medians, with quartiles in _low and _high, and NaN unless every repetition is ok."""

    path: Path
    program: str
    machine: str
    gpu: dict[str, Any]
    context: dict[str, Any]
    rows: pd.DataFrame
    points: PointTable

    @property
    def name(self) -> str:
        """The file's name without its endings."""
        return self.path.name.removesuffix(".gz").removesuffix(".json")

    @property
    def kind(self) -> str:
        """What was measured: gpu (times), gpus (times of what several GPUs do together), host (counts)
        or gpu_traffic."""
        if not _on_gpu(self.machine, self.gpu):
            return "host"
        if self.program.endswith(TRAFFIC):
            return "gpu_traffic"
        gpus = [axes.get("gpus", 0) for axes in self.points["axes"]]
        return "gpus" if gpus and (min(gpus) > 0 or max(gpus) > 1) else "gpu"

    @property
    def timed(self) -> bool:
        """Whether its rows are times of GPUs."""
        return self.kind in ("gpu", "gpus")

    @property
    def on_gpu(self) -> bool:
        """Whether its times are times of a real GPU."""
        return self.kind != "host"

    @property
    def gpu_name(self) -> str:
        """The device's name, as it reports it."""
        return str(self.gpu.get("name", "unknown GPU"))

    def told(self, fact: str) -> list[str]:
        """What all processes that measured tell of the GPU: driver_version, uuid. Empty if none does."""
        runs = self.context.get("sweep", {}).get("runs", [{}])
        return sorted({str(run.get(fact, self.gpu.get(fact, ""))) for run in runs} - {""})


def load_results(path: Path) -> Results:
    """Reads one results file; every error is a UserError of one line."""
    document = read_results(path)
    ours = document["context"]["finesync"]
    gpu = ours.get("gpu") or {}
    for raw in document["benchmarks"] if "sweep" not in document["context"] and "uuid" in gpu else ():
        raw["cards"] = frozenset({gpu["uuid"]})
    for run, own in split(document):
        for raw in own:
            raw["planned"] = frozenset({run["point"]} if "point" in run else ())
            raw["cards"] = frozenset({run["uuid"]} if "uuid" in run else ())
    raws = [{**raw, "axes": with_all_axes(ours["program"], raw["axes"])}
            for raw in document["benchmarks"] if raw.get("run_type") != "aggregate"]
    return results_of_rows(path, program_now(ours["program"]), ours["machine"], gpu, document["context"], raws)


load_once = once(load_results)


def results_of_rows(path: Path, program: str, machine: str, gpu: dict[str, Any],
                    context: dict[str, Any], raws: list[dict[str, Any]]) -> Results:
    """Results of rows as a results file has them, a row per repetition."""
    rows, numbers = _rows(raws, _on_gpu(machine, gpu))
    return Results(path, program, machine, gpu, context, rows, PointTable(_points(rows, numbers)))


def _on_gpu(machine: str, gpu: dict[str, Any]) -> bool:
    return machine == "gpu" and not gpu.get("simulated", False)


def _rows(raws: list[dict[str, Any]], on_gpu: bool) -> tuple[pd.DataFrame, list[str]]:
    """The rows, and the names of their columns with measured numbers."""
    said = pd.DataFrame({
        "primitive": [raw["primitive"] for raw in raws],
        "status": [raw["status"] for raw in raws],
        "ended": [_ended(raw) for raw in raws],
        "reason": [str(raw.get("reason") or "") for raw in raws],
        "waited_ms": [raw.get("timeout", {}).get("waited_ms") for raw in raws],
        "tuned": [raw["tuned"]["axes"] if "tuned" in raw else None for raw in raws],
        "excluded": [raw.get("excluded_candidate") is True for raw in raws],
        "throttled": [_throttled(raw) for raw in raws],
        "power_capped": [raw.get("power_capped") is True for raw in raws],
        "interleaved": [str(raw.get("interleaved", "")) for raw in raws],
        **{name: [raw.get(name, frozenset()) for raw in raws] for name in _JOINED},
        "axes": [raw["axes"] for raw in raws],
        "effective": [raw.get("effective", {}) for raw in raws]}, dtype=object).astype({"excluded": bool, "power_capped": bool})
    # As objects, integers stay integers if some rows lack the axis.
    axes = pd.DataFrame([raw["axes"] for raw in raws], dtype=object)
    named = {*said, *axes, "ok"}
    numbers = pd.DataFrame([{key: float(value) for key, value in raw.items()
                             if _is_number(value) and key not in named
                             and not key.endswith(tuple(filter(None, _QUARTILES.values())))}
                            for raw in raws])
    numbers["seconds"] = [raw["real_time"] * SECONDS[raw["time_unit"]]
                          if on_gpu and raw["status"] == "ok" else None for raw in raws]
    if "items_per_second" in numbers:
        rates = numbers["items_per_second"]
        numbers["seconds_per_operation"] = 1 / rates.where(rates > 0)
    for prefix in COUNTS.values():  # a column per scope and memory space
        numbers[prefix] = numbers.filter(regex=f"^{prefix}").sum(axis="columns")
    return pd.concat([said, axes, numbers.astype(float)], axis="columns"), list(numbers)


def _points(rows: pd.DataFrame, numbers: list[str]) -> pd.DataFrame:
    """One point per primitive and combination of axes, in the order of first appearance.

    Points of a sweep, points that --tune chose and points that it excluded differ, even at the same axes."""
    keys = [json.dumps([primitive, tuned is not None, excluded, axes], sort_keys=True)
            for primitive, tuned, excluded, axes in zip(rows["primitive"], rows["tuned"],
                                                        rows["excluded"], rows["axes"])]
    which = pd.Series(pd.factorize(pd.Series(keys, dtype=object))[0], index=rows.index, dtype=int)
    order = rows["ended"].map(WORST_FIRST.index)
    worst = rows.loc[order.groupby(which).idxmin()].drop(columns=numbers)
    points = worst.reset_index(drop=True).assign(ok=lambda own: own["status"] == "ok")
    for name in _JOINED:
        joined = [frozenset[str]()] * len(points)
        for place, own in zip(which, rows[name]):
            joined[place] |= own
        points[name] = pd.Series(joined, points.index, dtype=object)
    if rows.empty:
        return points
    spreads = rows[numbers].groupby(which).quantile(list(_QUARTILES))
    return points.join([spreads.xs(share, level=1).add_suffix(suffix).where(points["ok"])
                        for share, suffix in _QUARTILES.items()])


def _ended(raw: dict[str, Any]) -> str:
    """How a row ended, in the words of tables and figures."""
    if raw["status"] == "timeout":
        return "hung" if raw.get("timeout", {}).get("hung") else "timed out"
    return {"declared_wrong": "wrong, as declared"}.get(raw["status"], str(raw["status"]))


def _throttled(raw: dict[str, Any]) -> str:
    throttled = raw.get("throttled", {"kept": False})
    return ", ".join(throttled["by"]) if throttled["kept"] else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
