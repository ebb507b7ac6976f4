"""A workload's descriptor: all that the scripts know of a program. registry.py finds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .loading import Results
from .markdown import Table
from .point_table import PointTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure  # slow to import, and list_programs.py draws nothing

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
class PaperBenchmarks:
    """A program's part in ASPLOS'19's evaluation, a pair for each input. The roles in the
    catalogue say which of its primitives compete."""

    # What the paper calls the program, and its kernel as printed.
    name: str
    printed: str
    # The points that count, of times or of traffic, and of sections of any length. They are as
    # contention.with_time_per_operation makes them.
    points: Callable[[Results], PointTable]
    # The axes that select an input's points, by what the paper calls it.
    inputs: Mapping[str, Axes]
    # The same for inputs that only table 4 has.
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
    # use that it makes of their types. All that have a type for it are run.
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
    # Points that are in no sweep, as they have a table of their own.
    is_apart: Callable[[Axes], bool] = lambda axes: False
    # The name of a primitive, where some axis makes two of one.
    variant: Callable[[str, Axes], str] = lambda primitive, axes: primitive
    chart: Chart | None = None
    paper_benchmarks: PaperBenchmarks | None = None
    # Claims of a paper, answered by the results of one GPU and the host executor's counts, whose
    # names are those of programs, with "_host" for the latter.
    claims: Callable[[Mapping[str, Results]], list[Claim]] | None = None
    # Which, by its name in claims.PAPERS.
    paper: str = "thesis"
