"""Where the numbers come from, and the papers' figures: what the page says of files."""

from __future__ import annotations

import base64
import gzip
import re
from typing import Any

from ..claims import commands, ledger
from ..items.listed import items
from ..items.tables import measure_of
from ..results import revisions
from ..results.loading import Results
from ..results.registry import FOLDER, ROOT, plans
from ..results.schemas import TRAFFIC
from .places import Place

# Width and height, at the start of a figure.
_HEAD = 1000
_SIZE = re.compile(rb"""\s(?:width|height)=["']([\d.]+)""")


def of_place(place: Place) -> list[dict[str, Any]]:
    """A line for each results file."""
    return [_run(results, place) for results in place.results]


def _run(results: Results, place: Place) -> dict[str, Any]:
    ours, sweep = results.context["finesync"], results.context.get("sweep", {})
    ends = results.points["ended"].value_counts()
    facts = {"file": f"{place.where}/{results.path.name}",
             "about": sweep.get("description", ""), "gpu": results.gpu_name,
             "driver": driver(results), "date": str(ours.get("date", ""))[:10],
             "revision": ", ".join(revisions.of(results)),
             "points": ", ".join(f"{number:,} {word}" for word, number in ends.items()),
             "left": _left(sweep), "command": _command(results, place)}
    return {name: text for name, text in facts.items() if text}


def driver(results: Results) -> str:
    """The driver's version; of runs that do not have it, the toolkit's."""
    if not results.on_gpu:
        return ""
    known = " and ".join(results.told("driver_version"))
    return known if known else f"not noted, CUDA {results.gpu.get('runtime', 'unknown')}"


def _left(sweep: dict[str, Any]) -> str:
    left = sweep.get("points_planned", 0) - sweep.get("points_done", 0)
    return f"{left} of {sweep['points_planned']} points of the plan are left" if left else ""


def _command(results: Results, place: Place) -> str:
    """What measures all of a file again; empty if no plan of ours does."""
    plan = FOLDER / results.program.removesuffix(TRAFFIC) / "plans" / f"{results.kind}.json"
    if not plan.exists():
        return ""
    script = "traffic.py" if results.kind == "gpu_traffic" else "sweep.py"
    return f"scripts/{script} {plan.relative_to(ROOT)} --out results/runs/{place.folder.name}"


NO_GPU = ("There are no times of a GPU here: the host executor only counts operations. "
          "`./run_all.sh` on a machine with an NVIDIA GPU and CUDA 12.4 or newer measures all "
          "programs.")


def missing(place: Place) -> str:
    """The programs that a GPU has no times of, in a sentence; empty if there are none."""
    there = {results.program for results in place.results if results.kind == "gpu"}
    lacks = [path.parent.parent.name for path in plans("gpu") if path.parent.parent.name not in there]
    return f"Not measured on it: {', '.join(lacks)}. `./run_all.sh --only {','.join(lacks)}` " \
        "on such a GPU measures them." if lacks else ""


def figures(place: Place) -> list[dict[str, Any]]:
    """The papers' figures that were drawn from a place's results, packed."""
    drawn = []
    for item in items().values():
        path = place.folder / "figures" / f"{item.name}.svg"
        if item.is_figure and path.exists():
            drawing = path.read_bytes()
            packed = base64.b64encode(gzip.compress(drawing, mtime=0))
            drawn.append({"name": item.name, "file": f"{place.where}/figures/{path.name}",
                          "paper": item.paper, "claims": item.claims,
                          "title": f"{ledger.titles()[item.paper]}, {item.said}: {item.title}",
                          "commands": commands.of_plans(measure_of(item)),
                          "size": [float(number) for number in _SIZE.findall(drawing[:_HEAD])[:2]],
                          "svg": packed.decode("ascii")})
    return drawn


def about(place: Place) -> dict[str, Any]:
    """The machine of a place."""
    first: Results = place.results[0]
    drivers = sorted({each for results in place.results for each in results.told("driver_version")})
    clock = first.gpu.get("clock_khz")
    return {"name": place.name, "where": place.where, "recorded": place.recorded,
            "missing": missing(place), "dates": place.dates(), "driver": ", ".join(drivers),
            "sms": first.gpu.get("sms"), "ghz": f"{clock / 1e6:.2f}" if clock else ""}
