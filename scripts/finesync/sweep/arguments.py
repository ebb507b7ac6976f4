"""The values that options of sweeps take."""

from __future__ import annotations

import argparse
import re


KINDS = ("gpu", "gpus", "nccl", "nvshmem", "host", "gpu_traffic")  # of plans, see results/registry.py


def kinds(text: str) -> list[str]:
    """Kinds of plans: "gpus,nccl"."""
    values = text.split(",")
    for kind in values:
        if kind not in KINDS:
            raise argparse.ArgumentTypeError(f"{kind!r} is not a kind of plans: {', '.join(KINDS)}")
    return values


def seconds(text: str) -> float:
    """A duration such as 90s, 10m, 2h."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(s|m|h)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not a duration such as 90s, 10m or 2h")
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2]]


def shard(text: str) -> tuple[int, int]:
    """A shard i/n, counted from 1."""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a shard such as 1/4")
    return int(match[1]), int(match[2])


def positive(text: str) -> int:
    """A whole number of at least one."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)
