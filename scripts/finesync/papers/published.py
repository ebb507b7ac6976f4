"""Published numbers of ASPLOS'19, ICS'15 and the thesis. No number here was measured by this
project."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from ..results.errors import UserError
from ..results.json_files import read_json

_FILE = Path(__file__).resolve().parents[3] / "results" / "published" / "published_numbers.json"


@functools.lru_cache(maxsize=None)
def _numbers() -> dict[str, Any]:
    numbers: dict[str, Any] = read_json(_FILE)
    return numbers


def number(path: str) -> float:
    """The number at a path, PAPER.TABLE.KEY..; a step into a list counts from 0."""
    found = at(path)
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise UserError(f"{_FILE}: {path} is no number")
    return float(found)


def numbers(path: str) -> dict[str, float]:
    """The numbers at a path by their keys; a single number has an empty key."""
    found = at(path)
    return {key: number(f"{path}.{key}") for key in found} if isinstance(found, dict) else {"": number(path)}


def at(path: str) -> Any:
    """What stands at a path."""
    found: Any = _numbers()
    for step in path.split("."):
        try:
            found = found[int(step)] if isinstance(found, list) else found[step]
        except (KeyError, IndexError, TypeError, ValueError):
            raise UserError(f"{_FILE}: no number {path}") from None
    return found


def gpu(paper: str = "asplos19") -> str:
    """The GPU of a paper."""
    return str(_numbers()[paper]["gpu"]).split(" (", maxsplit=1)[0]


def net_traffic_by_pair() -> dict[str, dict[str, float]]:
    """Table 2, by pair of a program and an input: "l2" and "dram" traffic of servers in percent of that of global
    locks."""
    return _by_pair(at("asplos19.table2_net_traffic_percent_of_baseline"))


def net_traffic(program: str) -> dict[int, dict[str, float]]:
    """The same of one program by collision factor."""
    return {factor(size): entry for pair, entry in net_traffic_by_pair().items()
            for name, size in [pair.split("-")] if name == program.upper()}


def latencies() -> dict[str, dict[str, float]]:
    """Table 3, by pair (HT-256, MST-rmat): lock transfer latency in cycles of "baseline" and
    "server", and the server's "run_time_normalised"."""
    return _by_pair(at("asplos19.table3_lock_transfer_latency_cycles"))


def speedups() -> dict[str, dict[str, float]]:
    """Table 4: speed-ups over their own baselines of "server", "hql" and "bows", by pair."""
    table = at("asplos19.table4_speedup_over_own_baseline")
    return {whose: _by_pair(own) for whose, own in table.items()}


def server_speedups() -> dict[str, float]:
    """Speed-ups of servers over locks, by pair, from table 4, and from run times in table 3."""
    return speedups()["server"] | {pair: 1 / entry["run_time_normalised"] for pair, entry in latencies().items()}


def mean_speedup() -> float:
    """The mean speed-up of servers over the best known kernels, over all pairs."""
    return number("asplos19.mean_speedup_over_best_known")


def _by_pair(table: dict[str, Any]) -> dict[str, Any]:
    """The entries by the names of their pairs: a size, unlike a name, has a capital K."""
    split = {key: key.split("_") for key in table}
    return {f"{program.upper()}-{of.upper() if of[0].isdigit() else of}": table[key]
            for key, (program, of) in split.items()}


def factor(text: str) -> int:
    """A collision factor as the paper writes it: 256, 32K; or in millions: 16M."""
    number = text.lower().rstrip("km")
    return int(number) * 1024 ** " km".index(text.lower()[len(number):] or " ")
