"""What ncu prints, and what is counted from it."""

from __future__ import annotations

import csv
import io

import pytest
from conftest import ROOT
from finesync.results.errors import UserError
from finesync.sweep import traffic_stalls
from finesync.sweep.traffic_ncu import QUANTITIES, TIMERS_OWN, choose_metrics, parse

NAMES = frozenset(name for alternatives in QUANTITIES.values() for name in alternatives[0])
METRICS = choose_metrics(NAMES)
# What ncu 2025.3 prints with --csv --page raw, units left to it; values and units by metric.
CELLS = {
    "dram__bytes_read.sum": ("Mbyte", "33.55"),
    "dram__bytes_write.sum": ("Kbyte", "1,234.5"),
    "gpu__time_duration.sum": ("us", "12,345.60"),
    "lts__t_sectors_srcunit_tex_lookup_hit.sum": ("sector", "100,000,000"),
    "lts__t_sectors_srcunit_tex_lookup_miss.sum": ("sector", "40,971,537"),
    "lts__t_sectors_srcunit_tex_op_atom.sum": ("sector", "8,388,608"),
    "lts__t_sectors_srcunit_tex_op_read.sum": ("sector", "120,000,017"),
    "lts__t_sectors_srcunit_tex_op_red.sum": ("sector", "0"),
    "lts__t_sectors_srcunit_tex_op_write.sum": ("sector", "12582912"),
}


def raw_page(cells: dict[str, tuple[str, str]], *kernels: str) -> str:
    """ncu's output with these metrics, one row per kernel."""
    fixed = {"ID": "0", "Process ID": "1234", "Process Name": "ht", "Host Name": "127.0.0.1",
             "Kernel Name": "", "Context": "1", "Stream": "7", "Block Size": "(64, 1, 1)",
             "Grid Size": "(528, 1, 1)", "Device": "0", "CC": "9.0"}
    text = io.StringIO()
    text.write('==PROF== Connected to process 1234 (/opt/ht)\n'
               'machine: gpu NVIDIA H200, 132 SMs, compute capability 9.0; times from CUDA events\n'
               '==PROF== Profiling "insert": 0%....50%....100% - 4 passes\n'
               '==PROF== Disconnected from process 1234\n')
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow([*fixed, *cells])
    writer.writerow([""] * len(fixed) + [unit for unit, _ in cells.values()])
    for number, name in enumerate(kernels):
        writer.writerow([*{**fixed, "ID": str(number), "Kernel Name": name}.values(),
                         *(value for _, value in cells.values())])
    return text.getvalue()


def changed(metric: str, unit: str, value: str) -> str:
    """The page with another unit and value of one metric."""
    return raw_page({**CELLS, metric: (unit, value)}, "insert")


def test_counts_are_read_with_their_units_and_thousands_separators() -> None:
    assert parse(raw_page(CELLS, "insert"), METRICS) == {
        "launches": 1, "l2_sectors_hit": 100_000_000, "l2_sectors_miss": 40_971_537,
        "l2_sectors_read": 120_000_017, "l2_sectors_write": 12_582_912,
        "l2_sectors_atomic": 8_388_608, "l2_sectors_reduction": 0,
        "dram_bytes_read": pytest.approx(33.55e6), "dram_bytes_write": pytest.approx(1.2345e6),
        "gpu_time_ns": pytest.approx(12_345_600)}


def test_all_kernels_of_a_run_are_summed_but_for_the_timers() -> None:
    assert f"__global__ void {TIMERS_OWN}(" in (
        ROOT / "src" / "bench" / "kernel_timer" / "on_gpu.cu").read_text(encoding="utf-8")
    one = parse(raw_page(CELLS, "insert"), METRICS)
    several = raw_page(CELLS, TIMERS_OWN, "mst::find", f"bench::{TIMERS_OWN}", "join", "join")
    assert parse(several, METRICS) == {name: 3 * value for name, value in one.items()}


@pytest.mark.parametrize(("unit", "value", "nanoseconds"), [
    ("nsecond", "500", 500), ("usecond", "1.5", 1500), ("msecond", "2", 2e6), ("second", "3", 3e9),
    ("ns", "500", 500), ("ms", "1,234.5", 1234.5e6), ("second", "4.0e-05", 4e4)])
def test_all_units_of_time_are_known(unit: str, value: str, nanoseconds: float) -> None:
    found = parse(changed("gpu__time_duration.sum", unit, value), METRICS)
    assert found["gpu_time_ns"] == pytest.approx(nanoseconds)


@pytest.mark.parametrize(("text", "words"), [
    (raw_page({name: cell for name, cell in CELLS.items() if "write.sum" not in name}, "insert"),
     "lacks lts__t_sectors_srcunit_tex_op_write.sum"),
    (changed("dram__bytes_read.sum", "furlong", "1"), "unknown unit 'furlong'"),
    (changed("dram__bytes_read.sum", "sector", "1"), "unknown unit 'sector'"),
    (changed("dram__bytes_read.sum", "", "1"), "unknown unit ''"),
    (changed("gpu__time_duration.sum", "Kbyte", "1"), "unknown unit 'Kbyte'"),
    (changed("dram__bytes_read.sum", "byte", "n/a"), "no number for dram__bytes_read.sum"),
    (changed("dram__bytes_read.sum", "byte", "nan"), "no number for dram__bytes_read.sum"),
    (changed("dram__bytes_read.sum", "byte", "1.234.567"), "no number for dram__bytes_read.sum"),
    (changed("dram__bytes_read.sum", "byte", "12,34"), "no number for dram__bytes_read.sum"),
    (changed("dram__bytes_read.sum", "byte", ""), "no number for dram__bytes_read.sum"),
    (changed("dram__bytes_read.sum", "byte", "1e999"), "out of range"),
    (raw_page(CELLS), "profiled no kernel"),
    (raw_page(CELLS, TIMERS_OWN), "profiled no kernel"),
    (raw_page(CELLS, "insert", "insert")[:-40], "ends too early"),
    ("==ERROR== Failed to profile \"join\" in process 7\n" + raw_page(CELLS, "insert"),
     "Failed to profile"),
    ("==PROF== Connected\n==WARNING== No kernels were profiled.\n", "profiled no kernel"),
    ("==ERROR== Failed to profile \"insert\" in process 7\n", "Failed to profile"),
    ("", "profiled no kernel"),
])
def test_what_is_no_count_is_refused_in_one_line(text: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(text, METRICS)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_atomics_may_be_counted_in_two_parts() -> None:
    atomic = "lts__t_sectors_srcunit_tex_op_atom"
    parts = (f"{atomic}_dot_alu", f"{atomic}_dot_cas")
    metrics = choose_metrics((NAMES - {atomic}) | set(parts))
    assert metrics["l2_sectors_atomic"] == parts
    cells = {**CELLS, f"{parts[0]}.sum": ("sector", "5"), f"{parts[1]}.sum": ("sector", "1,000")}
    assert parse(raw_page(cells, "insert"), metrics)["l2_sectors_atomic"] == 1005


def test_half_of_an_alternative_is_none() -> None:
    atomic = "lts__t_sectors_srcunit_tex_op_atom"
    half = (NAMES - {atomic}) | {f"{atomic}_dot_cas", "lts__t_sectors_op_atom"}
    assert choose_metrics(half)["l2_sectors_atomic"] == ("lts__t_sectors_op_atom",)


def test_a_whole_run_is_one_row_whatever_its_name_and_has_no_number_of_launches() -> None:
    one = parse(raw_page(CELLS, "insert"), METRICS)
    expected = {name: value for name, value in one.items() if name != "launches"}
    for name in ("range", "", TIMERS_OWN):
        assert parse(raw_page(CELLS, name), METRICS, whole_run=True) == expected
    nameless = raw_page(CELLS, "range").replace('"Kernel Name"', '"Range Name"')
    assert parse(nameless, METRICS, whole_run=True) == expected
    with pytest.raises(UserError, match="2 parts of the run"):
        parse(raw_page(CELLS, "range", "range"), METRICS, whole_run=True)
    with pytest.raises(UserError, match="profiled no kernel"):
        parse(raw_page(CELLS), METRICS, whole_run=True)


def test_a_gpu_that_cannot_count_something_is_told() -> None:
    with pytest.raises(UserError, match="dram_bytes_write cannot be counted"):
        choose_metrics(NAMES - {"dram__bytes_write"})


STALL_METRICS = traffic_stalls.metrics(
    {f"smsp__average_warps_issue_stalled_{reason}_per_issue_active"
     for reason in ("barrier", "membar", "long_scoreboard", "sleeping")} | {"smsp__issue_active"})


def test_reasons_that_this_gpu_lacks_are_left_out_but_for_those_of_synchronization() -> None:
    names = {name.rsplit(".", 1)[0] for name in STALL_METRICS}
    assert len(STALL_METRICS) == 5 and "smsp__issue_active.sum" in STALL_METRICS
    wait = "smsp__average_warps_issue_stalled_wait_per_issue_active"
    assert f"{wait}.ratio" in traffic_stalls.metrics(names | {wait})
    for name in names:
        with pytest.raises(UserError, match="stalls cannot be counted"):
            traffic_stalls.metrics(names - {name})
