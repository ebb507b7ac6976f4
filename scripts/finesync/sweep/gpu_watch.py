"""The GPU while points run: its clock and what slowed it down, by nvidia-smi.

One nvidia-smi runs beside the whole sweep and prints a line every tenth of a second. Without it (on
the host, or where the driver's tools are missing) nothing is recorded, and nothing fails.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import threading
import time
from typing import Any

from .point_process import DIE_WITH_SWEEP

_EVERY_MS = 100
_SAMPLED = "clocks.sm,clocks_throttle_reasons.active"
_CARD = {"driver_version": "driver_version", "uuid": "uuid", "power.limit": "power_limit_w",
         "ecc.mode.current": "ecc", "mig.mode.current": "mig"}
# The driver's bits for a clock below the wanted one. Idling, or a clock that somebody set, is none.
_SLOWED_BY = {0x4: "power cap", 0x8: "hardware slowdown", 0x20: "temperature, by software",
              0x40: "temperature, by hardware", 0x80: "power brake"}


class GpuWatch:
    """Samples the GPU that CUDA uses until it is closed; `card` has what the driver knows of it and
    CUDA does not."""

    def __init__(self, wanted: bool) -> None:
        self._tool = shutil.which("nvidia-smi") if wanted else None
        self._samples: list[tuple[float, int, int]] = []
        self._process: subprocess.Popen[str] | None = None
        self.card = self._ask_card()
        if not self.card:
            return
        self._process = subprocess.Popen(
            [*DIE_WITH_SWEEP, *self._command(_SAMPLED, f"--loop-ms={_EVERY_MS}")], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True)
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()

    def close(self) -> None:
        """Ends nvidia-smi."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def since(self, began: float) -> dict[str, Any]:
        """The samples since `began`, by time.monotonic(): lowest, median and highest clock of the
        SMs, and what slowed them down."""
        seen = [(clock, reasons) for at, clock, reasons in list(self._samples) if at >= began]
        if not seen:
            return {}
        clocks = [clock for clock, _ in seen]
        slowed_by = [word for bit, word in _SLOWED_BY.items()
                     if any(reasons & bit for _, reasons in seen)]
        found: dict[str, Any] = {"sm_clock_mhz": {"min": min(clocks),
                                                  "median": statistics.median_low(clocks),
                                                  "max": max(clocks)},
                                 "clock_samples": len(seen)}
        return {**found, "slowed_by": slowed_by} if slowed_by else found

    def _ask_card(self) -> dict[str, str | float]:
        if not self._tool:
            return {}
        try:
            answer = subprocess.run(self._command(",".join(_CARD)), text=True, timeout=20,
                                    capture_output=True, check=True).stdout
        except (OSError, subprocess.SubprocessError):
            return {}
        values = [value.strip() for value in answer.strip().split(",")]
        if len(values) != len(_CARD):
            return {}
        return {name: _number(value) for name, value in zip(_CARD.values(), values)
                if not value.startswith("[")}

    def _command(self, query: str, *more: str) -> list[str]:
        device = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0] or "0"
        return [str(self._tool), "-i", device, f"--query-gpu={query}",
                "--format=csv,noheader,nounits", *more]

    def _read(self, process: subprocess.Popen[str]) -> None:
        for line in process.stdout or ():
            try:
                clock, reasons = line.split(",")
                self._samples.append((time.monotonic(), int(clock), int(reasons, 16)))
            except ValueError:
                continue  # a message, or a value that this GPU does not have


def _number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
