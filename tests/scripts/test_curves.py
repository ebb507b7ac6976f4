"""Tables of the paper's servers: step by step, and over the sizes that a program chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import synthetic
from tables import results_of
from workloads.ht.report.curves import curve_tables, step_tables


def server(primitive: str, milliseconds: float, tuned: bool = False, **axes: Any
           ) -> list[dict[str, Any]]:
    """A million inserts."""
    where = {"collision_factor": 256, "inserts": 1_000_000, "section": "push", "section_work": 0,
             "client_work": 0, "threads_per_block": 512, "tbs_per_sm": 1, **axes}
    rows = synthetic.exact_rows(primitive, where, milliseconds)
    return [{**row, "tuned": {"axes": {}}} for row in rows] if tuned else rows


def test_steps_are_over_the_basic_servers_each_as_tuned(tmp_path: Path) -> None:
    results = results_of(tmp_path, "ht", server("server_basic", 4.0, tuned=True),
                         server("server_led", 2.0, tuned=True),
                         server("server_led", 0.5),
                         server("server_paper", 1.0, tuned=True))
    (table,) = step_tables(results)
    assert table.rows["basic (3.2.1)"] == ["0.25 (1x)"]
    assert table.rows["basic and a leader warp (3.2.3)"] == ["0.5 (2x)"]
    assert table.rows["both, a lazy copy of read_idx"] == ["1 (4x)"]
    assert table.rows["basic and local buffers (3.2.4)"] == ["not run"]
    assert step_tables(results_of(tmp_path, "ht", server("server_basic", 4.0, tuned=True),
                                  server("server_paper", 1.0, tuned=True))) == []


def test_curves_are_of_one_launch_and_of_sizes_that_were_swept(tmp_path: Path) -> None:
    results = results_of(
        tmp_path, "ht",
        *(server("server_paper", 100 / share, servers_percent=share) for share in (10, 50)),
        *(server("server_paper", 1000 / share, servers_percent=share, section_work=4)
          for share in (10, 50)),
        server("server_paper", 20.0, servers_percent=50, client_work=4),
        server("server_paper", 0.1, servers_percent=90, threads_per_block="auto"),
        server("server_paper", 0.1, servers_percent=80, tuned=True),
        server("server_paper", 0.1, servers_percent=70, sms=28),
        server("server_paper", 5.0, servers_percent=50, server_locks=512),
        server("server_paper", 2.5, servers_percent=50, server_locks=4096))
    share, locks = curve_tables(results)
    assert (share.id, share.columns) == ("server-share", [10, 50])
    assert share.rows == {"sections of 0 thousand cycles more": ["0.1", "0.5"],
                          "sections of 4 thousand cycles more": ["0.01", "0.05"]}
    assert (locks.id, locks.rows) == ("server-locks", {"256 keys": ["0.2", "0.4"]})
    assert curve_tables(results_of(tmp_path, "ht", server("server_paper", 1.0))) == []
