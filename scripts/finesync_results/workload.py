"""A workload's descriptor, and how all of them are found.

A workload is a folder of workloads/ with a Python module or package `report` that holds a WORKLOAD,
and a folder `plans` beside it: gpu.json, host.json where the host executor can count what it does,
gpu_traffic.json where ncu can. Nothing outside the folder names it.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .loading import Results
    from .markdown import Table
    from .points import Points

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "workloads"
# What results files of traffic.py add to the name of the program.
TRAFFIC = "_traffic"

Axes = Mapping[str, Any]


@dataclass(frozen=True)
class Drawing:
    """A figure of one results file; `draw` returns None where the rows that it needs are missing.
    """

    name: str
    needs: str
    draw: Callable[[Results], Figure | None]


@dataclass(frozen=True)
class SharedDrawing:
    """A figure of all results of one folder that have a part in it."""

    name: str
    needs: str
    applies: Callable[[Results], bool]
    draw: Callable[[list[Results]], Figure | None]


@dataclass(frozen=True)
class Part:
    """A part of what stays the same along a sweep over thread blocks per SM: how to sort it, and
    how a reader says it ("" for nothing)."""

    order: Callable[[Axes], Any]
    word: Callable[[Axes], str]


@dataclass(frozen=True)
class Chart:
    """A workload's part of the chart that names the fastest."""

    heading: str
    # What a practitioner would pick without this project, and its name in print.
    library: str
    label: str
    note: str
    # Whether the library knows what is done at these axes.
    has_library: Callable[[Axes], bool] = lambda axes: True
    # Primitives that compete only in a row of their own, which this names.
    limited: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Pairs:
    """A program's part in ASPLOS'19's evaluation, a pair for each input. Who competes in it, the
    roles of its primitives in the catalogue say."""

    # What the paper calls the program, and its kernel as printed.
    name: str
    printed: str
    # The points that count, of times or of traffic, as collisions.counted makes them; of sections
    # of any length.
    points: Callable[[Results], Points]
    # The axes that select an input's points, by what the paper calls it.
    inputs: Mapping[str, Axes]
    # The same of those that table 4 alone has.
    table_4_inputs: Mapping[str, Axes] = field(default_factory=dict)


@dataclass(frozen=True)
class Claim:
    """What a paper says, its number, and what was measured here."""

    claim: str
    published: str
    here: str


@dataclass(frozen=True)
class Workload:
    """All that the scripts know of a program.

    `figures` and `tables` are by the kind of results: gpu, host, gpu_traffic.
    """

    program: str
    # What its items_per_second count, and whether all blocks do one together.
    operation: str
    # Whose primitives run: families of src/catalogue and of its own variants.json, each with the
    # use that it makes of their types. All that have a type for it are contenders.
    families: Mapping[str, str]
    # Its timed kernels, as a regular expression on their names without namespaces.
    kernels: str
    # Options for a run so small that an instrumented kernel can bear it, with contention within
    # and between warps and blocks.
    small_run: str
    figures: Mapping[str, tuple[Drawing, ...]]
    tables: Mapping[str, Callable[[Results], list[Table]]]
    # Those that compute-sanitizer's racecheck understands: it knows barriers, not locks and
    # atomics, and would report all that blocks keep in shared memory under them.
    racecheck: tuple[str, ...] = ()
    # Keys of the catalogue whose primitives it leaves out, as EXCEPT does in its CMakeLists.txt.
    without: tuple[str, ...] = ()
    of_all_blocks: bool = False
    # By what its points are grouped, in the order in which a reader hears it.
    settings: tuple[Part, ...] = ()
    # Points that no sweep has a part in, as they have a table of their own.
    is_apart: Callable[[Axes], bool] = lambda axes: False
    # The name of a primitive, where some axis makes two of one.
    variant: Callable[[str, Axes], str] = lambda primitive, axes: primitive
    chart: Chart | None = None
    pairs: Pairs | None = None
    # Claims of a paper, answered by the results of one GPU and the host executor's counts, whose
    # names are those of programs, with "_host" for the latter.
    claims: Callable[[Mapping[str, Results]], list[Claim]] | None = None
    # Which, by its name in claims.PAPERS.
    paper: str = "thesis"


@functools.lru_cache(maxsize=None)
def workloads() -> dict[str, Workload]:
    """All workloads by their programs, in the order of their folders."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    folders = sorted({path.parent if path.name == "report.py" else path.parent.parent
                      for pattern in ("*/report.py", "*/report/__init__.py")
                      for path in FOLDER.glob(pattern)})
    found = [importlib.import_module(f"workloads.{folder.name}.report").WORKLOAD
             for folder in folders]
    return {workload.program: workload for workload in found}


def workload_of(program: str) -> Workload:
    """The workload of a program."""
    if program not in workloads():
        raise UserError(f"no workload has a program {program!r}; there are "
                        + ", ".join(workloads()))
    return workloads()[program]


def plans(kind: str) -> list[Path]:
    """The plans of a kind: gpu, host or gpu_traffic."""
    return sorted(FOLDER.glob(f"*/plans/{kind}.json"))
