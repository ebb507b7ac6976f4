"""Whether a complete run of a plan has all primitives that compete in its program."""

from __future__ import annotations

from ..results.catalogue import primitives_of
from ..results.loading import Results
from ..results.registry import plans, workload_of
from .plan import load_plan_once


def missing_primitives(results: Results) -> list[str]:
    """The declared primitives that are missing from a complete run of the workload's GPU plan."""
    workload = workload_of(results)
    if workload is None or results.kind != "gpu":
        return []
    planned = [point.command() for plan in map(load_plan_once, plans("gpu"))
               if plan.program == results.program for point in plan.points]
    run = [run_of.get("command") for run_of in results.context.get("sweep", {}).get("runs", [])]
    if not planned or any(command not in run for command in planned):
        return []  # an earlier plan, a stopped run, or no sweep
    held = set(results.points["primitive"])
    return [entry["name"] for entry in primitives_of(
        results.program, workload.families, workload.without)
            if entry["name"] not in held]
