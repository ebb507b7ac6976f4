"""What ASPLOS'19, ICS'15 and the thesis printed. Nothing here was measured by this project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .json_files import read_json

_FILE = Path(__file__).resolve().parents[2] / "results" / "published" / "published_numbers.json"


def _paper() -> dict[str, Any]:
    paper: dict[str, Any] = read_json(_FILE)["asplos19"]
    return paper


def gpu() -> str:
    """The GPU of the paper."""
    return str(_paper()["gpu"]).split(" (", maxsplit=1)[0]


# What tables call a program whose points are collision factors.
HASH_TABLE, BANK = "ht", "atm"


def net_traffic(program: str = HASH_TABLE) -> dict[int, dict[str, float]]:
    """Table 2: "l2" and "dram" traffic of servers in percent of that of global locks."""
    return _by_factor(_paper()["table2_net_traffic_percent_of_baseline"], program)


def latency(program: str = HASH_TABLE) -> dict[int, dict[str, float]]:
    """Table 3: lock-transfer latency in cycles of "baseline" and "server", and the latter's
    "run_time_normalised"."""
    return _by_factor(_paper()["table3_lock_transfer_latency_cycles"], program)


def run_time_of_trees() -> dict[str, float]:
    """Of table 3: the time of minimum spanning trees with servers over that with locks, by graph."""
    table = _paper()["table3_lock_transfer_latency_cycles"]
    return {key.removeprefix("mst_"): entry["run_time_normalised"]
            for key, entry in table.items() if key.startswith("mst_")}


def speedups(program: str = HASH_TABLE) -> dict[str, dict[int, float]]:
    """Table 4: speed-ups over their own baselines of "server", "hql" and "bows"."""
    table = _paper()["table4_speedup_over_own_baseline"]
    return {whose: _by_factor(own, program) for whose, own in table.items()}


def server_speedups(program: str = HASH_TABLE) -> dict[int, float]:
    """Of servers over locks, of table 4, and of table 3 where that has the run time."""
    return speedups(program)["server"] | {factor: 1 / entry["run_time_normalised"]
                                          for factor, entry in latency(program).items()}


def ics15() -> dict[str, Any]:
    """The tables of ICS'15 and the GPU that it ran on."""
    numbers: dict[str, Any] = read_json(_FILE)["ics15"]
    return numbers


def thesis() -> dict[str, Any]:
    """The numbers in the text of the thesis's chapter 5, by GPU where it gives them so."""
    numbers: dict[str, Any] = read_json(_FILE)["thesis"]
    return numbers


def _by_factor(table: dict[str, Any], program: str) -> dict[int, Any]:
    """The entries of a program, such as ht_256 or ht_32k, by collision factor."""
    return {_factor(key.removeprefix(f"{program}_")): entry for key, entry in table.items()
            if key.startswith(f"{program}_")}


def _factor(text: str) -> int:
    return int(text.removesuffix("k")) * (1024 if text.endswith("k") else 1)
