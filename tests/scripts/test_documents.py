"""The measurements that README and docs quote are those of the recorded runs."""

from __future__ import annotations

import re

from conftest import ROOT
from finesync_results.loading import load_results
from finesync_results.server_tables import server_tables
from finesync_results.tables import hash_table_tables

RECORDED = ROOT / "results" / "nvidia-h200" / "ht_gpu.json.gz"


def rows_of(lines: list[str]) -> dict[str, list[str]]:
    """The cells of the table that the lines start with, by the name in front of each row."""
    rows: dict[str, list[str]] = {}
    for line in lines:
        if not line.startswith("|"):
            break
        if not line.startswith("|--"):
            name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            rows[name] = cells
    assert len(rows) > 1
    return rows


def table_in(document: str, heading: str) -> dict[str, list[str]]:
    """The table of a document whose first row starts with `heading`."""
    lines = (ROOT / document).read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    return rows_of(lines[start:])


def measured() -> dict[str, list[str]]:
    """The recorded throughput, "best (grid) / full", by primitive."""
    lines = hash_table_tables(load_results(RECORDED))
    rows = rows_of(lines[next(i for i, line in enumerate(lines) if line.startswith("|")):])
    del rows["collision factor"]
    return rows


def test_the_page_of_locks_quotes_the_recorded_run() -> None:
    quoted = table_in("docs/locks.md", "distinct elements")
    del quoted["distinct elements"]
    assert quoted == measured()


def test_readme_quotes_the_recorded_run() -> None:
    quoted = table_in("README.md", "distinct elements")
    rates = {name: [re.findall(r"[\d,]+", re.sub(r"\(\d+\)", "", cell)) for cell in cells]
             for name, cells in measured().items() if name != "lockfree"}
    assert quoted["the paper's spin lock"] == [best for best, _ in rates["spin"]]
    assert quoted["the same at full occupancy"] == [full for _, full in rates["spin"]]
    best_lock = [max((cells[place][0] for cells in rates.values()),
                     key=lambda text: int(text.replace(",", "")))
                 for place in range(len(rates["spin"]))]
    assert quoted["best lock here"] == best_lock


def measured_servers() -> dict[str, list[str]]:
    """The recorded throughput of servers, and the best lock."""
    lines = server_tables(load_results(RECORDED))
    return rows_of(lines[next(i for i, line in enumerate(lines) if line.startswith("|")):])


def test_the_page_of_servers_quotes_the_recorded_run() -> None:
    assert table_in("docs/servers.md", "collision factor") == measured_servers()


def test_readme_quotes_the_recorded_servers() -> None:
    quoted = table_in("README.md", "G inserts/s, over the best lock")
    measured_rows = measured_servers()
    del quoted["G inserts/s, over the best lock"]
    assert quoted and all(cells == measured_rows[name] for name, cells in quoted.items())
