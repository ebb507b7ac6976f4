"""Why warps stall, from ncu: the share of each reason in the cycles in which resident warps issue
nothing. Nsight Compute's guide explains the reasons ("Warp Stall Reasons")."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from ..results.errors import UserError
from ..results.schemas import STALLED

# Warps that stall for a reason in a cycle with an instruction issued, on average, and these cycles.
_PER_ISSUE = "smsp__average_warps_issue_stalled_{}_per_issue_active"
_ISSUES = "smsp__issue_active"
# A GPU may lack some; without these the shares would say little.
_NEEDED = ("barrier", "membar", "long_scoreboard", "sleeping")
REASONS = (*_NEEDED, "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss",
           "lg_throttle", "math_pipe_throttle", "mio_throttle", "misc", "no_instruction",
           "not_selected", "short_scoreboard", "tex_throttle", "wait")

Numbers = Callable[[str], float]  # one kernel's metrics by their names


def metrics(available: Collection[str]) -> list[str]:
    """The metrics to ask for; a UserError if this GPU does not have them."""
    missing = [name for name in (_ISSUES, *map(_PER_ISSUE.format, _NEEDED)) if name not in available]
    if missing:
        raise UserError(f"ncu has no metric {missing[0]} on this GPU: reasons of stalls cannot be "
                        "counted")
    return [f"{_ISSUES}.sum", *(f"{_PER_ISSUE.format(reason)}.ratio" for reason in _known(available))]


def shares(available: Collection[str], kernels: Sequence[Numbers]) -> Mapping[str, float]:
    """The share of each reason in percent, by column, over all kernels of a run."""
    cycles = {reason: sum(number(f"{_ISSUES}.sum") * number(f"{_PER_ISSUE.format(reason)}.ratio")
                          for number in kernels) for reason in _known(available)}
    whole = sum(cycles.values())
    return {STALLED.format(reason): 100 * of_reason / whole if whole else 0.0 for reason, of_reason in cycles.items()}


def _known(available: Collection[str]) -> list[str]:
    return [reason for reason in REASONS if _PER_ISSUE.format(reason) in available]
