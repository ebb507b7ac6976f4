"""Results files: read, checked, and turned into rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import schemas
from .json_files import read_json

SCHEMA_VERSION = 1

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


@dataclass(frozen=True)
class Row:
    """One repetition of one point. `seconds` is None unless a GPU ran it to a good end.

    `tuned` holds the axes that --tune chose, and is None where it did not choose the point;
    `excluded` marks a candidate that failed while tuning, and has failed status.
    """

    primitive: str
    axes: dict[str, Any]
    status: str
    reason: str
    seconds: float | None
    counters: dict[str, float]
    tuned: dict[str, Any] | None = None
    excluded: bool = False


@dataclass(frozen=True)
class Results:
    """One results file: where it was measured, by what, and its repetitions."""

    path: Path
    program: str
    machine: str
    gpu: dict[str, Any]
    context: dict[str, Any]
    rows: list[Row]

    @property
    def name(self) -> str:
        """The file's name without its endings."""
        return self.path.name.removesuffix(".gz").removesuffix(".json")

    @property
    def on_gpu(self) -> bool:
        """Whether its times are times of a real GPU."""
        return self.machine == "gpu" and not self.gpu.get("simulated", False)

    @property
    def gpu_name(self) -> str:
        """The device's own name for itself."""
        return str(self.gpu.get("name", "unknown GPU"))


def check_document(path: Path, document: Any) -> dict[str, Any]:
    """The `finesync` context of a parsed results file, or a UserError that says what is wrong."""
    schemas.check(path, document, "results")
    ours: dict[str, Any] = document["context"]["finesync"]
    return ours


def load_results(path: Path) -> Results:
    """Reads one results file; every complaint is a UserError of one line."""
    document = read_json(path)
    ours = check_document(path, document)
    gpu = ours.get("gpu") or {}
    on_gpu = ours["machine"] == "gpu" and not gpu.get("simulated", False)
    return Results(
        path=path,
        program=str(ours.get("program", "")),
        machine=ours["machine"],
        gpu=gpu,
        context=document["context"],
        rows=[_row(raw, on_gpu) for raw in document["benchmarks"]
              if raw.get("run_type") != "aggregate"],
    )


def _row(raw: dict[str, Any], on_gpu: bool) -> Row:
    timed = on_gpu and raw["status"] == "ok"
    return Row(
        primitive=raw["primitive"],
        axes=raw["axes"],
        status=raw["status"],
        reason=str(raw.get("reason") or ""),
        seconds=raw["real_time"] * SECONDS[raw["time_unit"]] if timed else None,
        counters={key: value for key, value in raw.items() if _is_number(value)},
        tuned=raw["tuned"]["axes"] if "tuned" in raw else None,
        excluded=raw.get("excluded_candidate") is True,
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
