"""An entry of what the machine code of kernels must do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Expected:
    """Of the kernels whose names match `kernels`."""

    kernels: str
    whole: str | None = None
    between: tuple[str, ...] = ()
    at_least: str = ""  # what its source has, so often or more
    accesses: str = ""  # all kinds that there are
    scope: str = "gpu"  # of what names none
    in_cluster: bool = False  # its words may lie in another block's shared memory
    polls: bool = False  # its polls in a row have one branch each
    poll_length: int = 9  # instructions from one of them to the next, at most
    polls_after_addition: bool = False  # none before the result of the own addition is there
    neighbours: bool = False  # it reads several words of one line that are no message


def whole(kernels: str, specification: str, scope: str = "gpu", **more: str | bool) -> Expected:
    """All that a kernel does."""
    return Expected(kernels, specification, scope=scope, in_cluster=scope == "cluster", **more)
