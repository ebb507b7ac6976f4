"""traffic.py against a fake ncu."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import synthetic
from finesync.report.folder_tables import tables_of
from finesync.results.loading import load_results
from sweep_bench import FAKE, TRAFFIC as SCRIPT, Bench, one_line, wait_until
from test_traffic_ncu import NAMES, STALL_METRICS


class Profiled(Bench):
    """The same with a GPU, a fake ncu, and traffic.py in place of sweep.py."""

    script = SCRIPT

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.has_gpu()
        (self.bin / "barrier").symlink_to(FAKE)
        self.ncu = self.bin / "ncu"
        self.ncu.symlink_to(FAKE.with_name("fake_ncu.py"))
        known = [*NAMES, *(name.rsplit(".", 1)[0] for name in STALL_METRICS)]
        (self.bin / "metrics").write_text("\n".join(known), encoding="utf-8")
        self.count("spin", "server_fast")

    def count(self, *primitives: str, **changes: Any) -> None:
        """Writes the plan: one point per primitive."""
        self.plan(**{"machine": "gpu", "together": [], "repetitions": 1,
                     "axes": {"collision-factor": [256], "primitive": list(primitives)},
                     "options": {"section": "push", "inserts": 100}, **changes})

    def command(self, *options: str) -> list[str]:
        return super().command("--ncu", str(self.ncu), *options)

    def refuse(self, words: str) -> None:
        """Checks that it ends with status 2 and one line with these words."""
        one_line(self.run(code=2), words)


@pytest.fixture(name="profiled")
def fixture_profiled(tmp_path: Path) -> Profiled:
    return Profiled(tmp_path)


def test_every_point_is_counted_and_says_how(profiled: Profiled) -> None:
    profiled.run()
    results = load_results(profiled.out / "ht_small.json")
    assert list(results.rows["primitive"]) == ["spin", "server_fast"]
    row = results.rows.iloc[0]
    assert row["seconds"] == pytest.approx(7e-6)
    assert row["l2_bytes"] == 32 * 1234 and row["dram_bytes"] == 4096
    assert row["l2_sectors_atomic"] == 30 and row["l2_hit_percent"] == 80
    assert row["launches"] == 1 and "stalled_barrier_percent" not in row
    assert row["effective"] == {"blocks": 132, "threads_per_block": 256}
    context = profiled.merged()["context"]
    assert context["profiler"]["version"] == "2025.3.1.0"
    assert context["profiler"]["metrics"]["dram_bytes_read"] == ["dram__bytes_read"]
    assert context["finesync"]["gpu"]["name"] == "Test GPU 9000"
    assert context["finesync"]["command_line"] == ["traffic.py", "ht_small"]
    runs = context["sweep"]["runs"]
    assert runs[0]["command"] == ["ht", "--collision-factor", "256", "--primitive", "spin",
                                  "--section", "push", "--inserts", "100",
                                  "--benchmark_repetitions=1"]
    assert "--profile-from-start" in runs[0]["profiled_by"] and runs[0]["git_revision"]


def test_rows_keep_the_clock_of_the_run(profiled: Profiled) -> None:
    profiled.count("throttled", axes={"primitive": ["throttled"], "tbs-per-sm": [4]})
    profiled.run()
    (row,) = profiled.merged()["benchmarks"]
    assert row["sm_clock_mhz"] == 1755 and row["throttled"]["kept"]


def test_a_plan_may_ask_why_warps_stall(profiled: Profiled) -> None:
    profiled.count("spin")
    profiled.run()
    profiled.count("spin", stalls=True)
    profiled.run()
    row = profiled.merged()["benchmarks"][0]
    assert row["stalled_barrier_percent"] == row["stalled_sleeping_percent"] == 25
    assert row["l2_sectors_atomic"] == 30
    (profiled.bin / "metrics").write_text("\n".join(NAMES), encoding="utf-8")
    profiled.count("ticket", stalls=True)
    profiled.refuse("reasons of stalls cannot be counted")


def test_a_plan_may_count_whole_runs(profiled: Profiled) -> None:
    profiled.count("spin")
    profiled.run()
    profiled.count("spin", whole_run=True, stalls=True)
    assert "done and kept" not in profiled.run().stdout
    (row,) = profiled.merged()["benchmarks"]
    assert row["dram_bytes"] == 4096 and "launches" not in row
    assert row["stalled_membar_percent"] == 25
    (run,) = profiled.merged()["context"]["sweep"]["runs"]
    assert run["profiled_by"][run["profiled_by"].index("--replay-mode") + 1] == "app-range"
    assert "--profile-from-start" not in run["profiled_by"]
    assert len(profiled.starts()) == 1 + 3  # a kernel's run, and one for each pass over a range
    assert "1 of 1 points are done and kept" in profiled.run().stdout


def test_every_pass_over_a_whole_run_is_of_a_verified_run(profiled: Profiled) -> None:
    profiled.count("unsteady", whole_run=True)
    profiled.run(code=1)
    (row,) = profiled.merged()["benchmarks"]
    assert row["status"] == "error" and "l2_bytes" not in row
    assert "returned an error code (1)" in row["reason"]
    profiled.count("hung", whole_run=True)
    profiled.run()
    assert profiled.merged()["benchmarks"][0]["status"] == "timeout"


def timed(folder: Path) -> None:
    """Times of which the fastest is at 2 blocks of 8 threads; with an empty section another is."""
    def rows(grid: int, milliseconds: float, **axes: Any) -> list[dict[str, Any]]:
        return synthetic.exact_rows("spin", {
            "collision_factor": 256, "tbs_per_sm": grid, "threads_per_block": 8,
            "lock_layout": "packed", "ring_slots": "auto", "inserts": 9000, "section_work": 0,
            "section": "push", **axes}, milliseconds)
    document = {"context": synthetic.context(),
                "benchmarks": [*rows(1, 3.0), *rows(2, 2.0), *rows(4, 2.5),
                               *rows(8, 1.0, section="empty"),
                               *rows(8, 1.0, collision_factor=1024),
                               *rows(16, 1.0, section_work=1)]}
    synthetic.write(folder / "ht_gpu.json", document)


def test_a_plan_may_take_the_launch_of_figure_7(profiled: Profiled) -> None:
    profiled.count("spin", "ticket", fastest_launch={})
    profiled.refuse("no such file; the plan takes grids from recorded times")
    timed(profiled.out)
    said = profiled.run().stdout
    assert "entry,primitive=ticket is left out" in said and "ticket, collision_factor 256" in said
    (run,) = profiled.merged()["context"]["sweep"]["runs"]
    options = dict(zip(run["command"][1:-1:2], run["command"][2:-1:2]))
    assert options == {"--collision-factor": "256", "--primitive": "spin", "--tbs-per-sm": "2",
                       "--threads-per-block": "8", "--lock-layout": "packed", "--inserts": "100",
                       "--section": "push", "--section-work": "0"}
    assert run["elapsed_s"] > 0
    assert "left out" not in profiled.run("--only", "entry,primitive=spin").stdout
    profiled.count("ticket", fastest_launch={})
    profiled.refuse("no point has a recorded time")


def test_a_plan_may_ask_for_the_fastest_of_some_launches(profiled: Profiled) -> None:
    profiled.out.mkdir()
    timed(profiled.out)
    # 132 SMs; spin has no servers.
    profiled.count("spin", fastest_launch={"blocks": 400, "server_blocks": 2})
    profiled.run()
    (run,) = profiled.merged()["context"]["sweep"]["runs"]
    assert "--tbs-per-sm 4" in " ".join(run["command"])


def test_times_may_be_in_another_folder_and_points_be_chosen(profiled: Profiled) -> None:
    elsewhere = profiled.folder / "elsewhere"
    elsewhere.mkdir()
    timed(elsewhere)
    profiled.count("spin", fastest_launch={})
    profiled.run("--times", str(elsewhere), "--only", "entry,primitive=spin")
    assert profiled.merged()["context"]["sweep"]["points_done"] == 1
    one_line(profiled.run("--times", str(elsewhere), "--only", "other", code=2), "no point matches")


def test_barriers_locks_and_semaphores_are_counted_per_operation(profiled: Profiled) -> None:
    profiled.count("autotuned", "hung", program="barrier", options={"ldst": 0},
                  axes={"primitive": ["autotuned", "hung"], "tbs-per-sm": [1, 16]})
    profiled.run()
    results = load_results(profiled.out / "barrier_small.json")
    assert results.program == "barrier_traffic"
    assert results.rows["operations"][0] == 50
    (table,) = tables_of(results)
    assert table.title == "L2 sectors per barrier, counted by ncu, reads / writes / atomics, 256 " \
        "threads, no loads and stores:"
    assert "| autotuned | 20 / 4 / 0.68 | 20 / 4 / 0.68 |" in table.lines
    assert "| hung | hung | hung |" in table.lines


def test_a_row_keeps_the_number_of_locks_lent(profiled: Profiled) -> None:
    profiled.count("spin", "lends")
    profiled.run()
    spin, lends = profiled.merged()["benchmarks"]
    assert "locks_lent_per_operation" not in spin
    assert lends["locks_lent_per_operation"] == 0.75


def test_counted_points_are_kept_and_errors_tried_again(profiled: Profiled) -> None:
    profiled.count("spin", "silent")
    profiled.run(code=1)
    assert [row["status"] for row in profiled.merged()["benchmarks"]] == ["ok", "error"]
    assert "fake: out of luck" in profiled.merged()["benchmarks"][1]["reason"]
    assert "1 of 2 points are done and kept" in profiled.run(code=1).stdout
    assert "done and kept" not in profiled.run("--cache-control", "none", code=1).stdout


def test_a_timeout_is_a_result(profiled: Profiled) -> None:
    profiled.count("hung", "spin")
    profiled.run()
    rows = profiled.merged()["benchmarks"]
    assert rows[0]["status"] == "timeout" and "l2_bytes" not in rows[0]
    assert rows[0]["timeout"]["waited_for"] == "lock" and rows[0]["effective"]["blocks"] == 132
    assert rows[1]["l2_bytes"] > 0
    assert "2 of 2 points are done and kept" in profiled.run().stdout


def test_a_point_whose_time_is_over_is_an_error(profiled: Profiled) -> None:
    (profiled.bin / "hold").touch()
    profiled.count("spin", timeout_s=1)
    profiled.run(code=1)
    assert "timed out after 1 s" in profiled.merged()["benchmarks"][0]["reason"]


def test_without_ncu_or_permission_or_metrics_there_is_one_line(profiled: Profiled) -> None:
    (profiled.bin / "refuse").touch()
    profiled.refuse("ERR_NVGPUCTRPERM")
    (profiled.bin / "metrics").write_text("dram__bytes_read", encoding="utf-8")
    profiled.refuse("ncu has no metric")
    profiled.ncu.unlink()
    profiled.refuse("no ncu")


def test_plans_and_programs_that_cannot_be_counted_are_refused(profiled: Profiled) -> None:
    profiled.count("elsewhere")
    profiled.refuse("runs on the host executor")
    for several in ({"together": ["primitive"]}, {"tune": True}, {"repetitions": 2}):
        profiled.count("spin", "anderson", **several)
        profiled.refuse("stands for several runs")
    profiled.count("spin", program="nothere")
    profiled.refuse("no program 'nothere'")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_keeps_what_is_counted(profiled: Profiled, number: int, code: int) -> None:
    profiled.count("spin")
    profiled.run()
    profiled.count("spin", "anderson")
    (profiled.bin / "hold").touch()
    running = subprocess.Popen(profiled.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def profilers() -> list[Path]:
        return [path for path in Path("/proc").glob("[0-9]*/cmdline")
                if str(profiled.ncu) in _words(path) and "--log-file" in _words(path)]

    wait_until(lambda: bool(profilers()))
    running.send_signal(number)
    running.communicate(timeout=15)
    assert running.returncode == code
    wait_until(lambda: not profilers())
    assert [row["primitive"] for row in profiled.merged()["benchmarks"]] == ["spin"]


def _words(cmdline: Path) -> list[str]:
    try:
        words = cmdline.read_bytes().decode().split("\0")
    except OSError:
        return []
    return [] if str(SCRIPT) in words else words
