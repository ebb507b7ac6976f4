"""What a sweep notes of the GPU beside its points, with a stand-in for nvidia-smi."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from finesync.sweep.gpu_watch import GpuWatch
from sweep_bench import Bench, wait_until

CARD = "580.159.04, GPU-1, 700.00, Enabled, [N/A]"
SAMPLES = "1980, 0x0000000000000001|345, 0x0000000000000000|1410, 0x0000000000000024|N/A, [N/A]"


@pytest.fixture
def smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An nvidia-smi that knows one card, and prints its samples again and again."""
    folder = tmp_path / "tools"
    folder.mkdir()
    tool = folder / "nvidia-smi"
    tool.write_text(f"""#!/bin/bash
[[ $* == *driver_version* ]] && {{ echo "{CARD}"; exit; }}
echo $$ >"{folder}/pid"
while tr '|' '\\n' <<<"{SAMPLES}"; do sleep 0.05; done
""", encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return tool


def test_samples_and_card(smi: Path) -> None:
    began = time.monotonic()
    watch = GpuWatch(True)
    assert watch.card == {"driver_version": "580.159.04", "uuid": "GPU-1", "power_limit_w": 700.0,
                          "ecc": "Enabled"}
    wait_until(lambda: watch.since(began).get("clock_samples", 0) >= 3)
    seen = watch.since(began)
    assert seen["sm_clock_mhz"] == {"min": 345, "median": 1410, "max": 1980}
    assert seen["slowed_by"] == ["power cap", "temperature, by software"]
    assert watch.since(time.monotonic()) == {}
    watch.close()
    pid = (smi.parent / "pid").read_text(encoding="utf-8").strip()
    assert not Path(f"/proc/{pid}").exists()


def test_without_a_tool_or_a_gpu_nothing_is_noted(smi: Path) -> None:
    assert GpuWatch(False).card == {}
    smi.write_text("#!/bin/bash\nexit 9\n", encoding="utf-8")
    watch = GpuWatch(True)
    assert watch.card == {} and watch.since(0) == {}
    watch.close()


def test_a_sweep_keeps_them_with_its_points(bench: Bench, smi: Path) -> None:
    bench.has_gpu()
    bench.plan(primitives=("slow",), machine="gpu")
    bench.run()
    context = bench.merged()["context"]
    assert context["finesync"]["gpu"]["driver_version"] == "580.159.04"
    assert context["sweep"]["runs"][0]["sm_clock_mhz"]["max"] == 1980
    assert context["sweep"]["runs"][0]["program_sha256"]
    assert smi.exists()
