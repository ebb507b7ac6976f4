"""A workload's descriptor, the scripts' only description of a program. registry.py finds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..query.points import PointTable, Spread
from ..query.tables import Table
from .loading import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure  # slow to import, and list_programs.py draws nothing

Axes = Mapping[str, Any]
# What the needs of questions are about, in the order in which reports list them.
GROUPS = ("Barriers", "Locks", "Semaphores", "Events and queues", "Servers and tables", "Applications")


@dataclass(frozen=True)
class Drawing:
    """A figure of one results file; `draw` returns None if the rows that it needs are missing."""

    name: str
    needs: str
    draw: Callable[[Results], Figure | None]


@dataclass(frozen=True)
class Part:
    """A part of the setting that is constant in a sweep over thread blocks per SM: its sort key,
    and its words ("" for none)."""

    order: Callable[[Axes], Any]
    word: Callable[[Axes], str]


@dataclass(frozen=True)
class Chart:
    """A workload's part of the chart that names the fastest."""

    heading: str
    # CUDA's own primitive, if there is one, and its name in the chart.
    library: str = ""
    label: str = ""
    note: str = ""
    # Whether CUDA's own can do the operation at these axes.
    has_library: Callable[[Axes], bool] = lambda axes: True
    # Primitives that compete only in a separate row, by the row's name.
    limited: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Unit:
    """The unit in which points are compared: seconds times a factor, or operations per second."""

    name: str
    factor: float
    rate: bool = False

    def of(self, time: Spread) -> Spread:
        """A time, or the rate of one operation in that time."""
        return (time.inverse() if self.rate else time).scaled(self.factor)


@dataclass(frozen=True)
class Question:
    """What a reader may ask a program's times: which primitive is the fastest for a need, in which
    setting, at which load."""

    need: str
    unit: Unit
    # All points that compete, by the setting in words, the most usual first. Those with a column
    # 'variant' are told apart by it, others by their primitive.
    sweeps: Callable[[Results], Mapping[str, PointTable]]
    # The axis of the load, from the lightest to the heaviest; its name, and its values in words.
    axis: str
    load: str
    words: Callable[[Any], str] = str
    heaviest_first: bool = False
    # CUDA's own primitives that do the same, the one to compare with first.
    library: tuple[str, ...] = ()
    # Primitives that do less than the others, with the reason.
    less: Mapping[str, str] = field(default_factory=dict)
    # Primitives that only compete if the need has this restriction.
    limited: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    group: str = GROUPS[-1]


@dataclass(frozen=True)
class PaperBenchmarks:
    """A program's part in ASPLOS'19's evaluation, a pair for each input. The roles in the
    catalogue say which of its primitives compete."""

    # The paper's names of the program and of its published kernel.
    name: str
    printed: str
    # The points to compare, of times or of traffic, with sections of any length, from
    # contention.with_time_per_operation.
    points: Callable[[Results], PointTable]
    # The axes that select an input's points, by the paper's name of the input.
    inputs: Mapping[str, Axes]
    # The same for inputs that only table 4 has.
    table_4_inputs: Mapping[str, Axes] = field(default_factory=dict)
    # The same for inputs whose data no L2 holds, only in figure 8: not the paper's, whose GPU has a small L2.
    large_inputs: Mapping[str, Axes] = field(default_factory=dict)
    # Whether a section has two locks: then its published servers count only where they lend some.
    two_locks: bool = False


@dataclass(frozen=True)
class Workload:
    """The scripts' description of a program.

    `figures` and `tables` are by the kind of results: gpu, gpus, host, gpu_traffic."""

    program: str
    # The operation that its items_per_second count; of_all_blocks: all blocks do one together.
    operation: str
    # Families of src/catalogue and of its own variants.json, each with the program's use of their
    # types. It runs all primitives that have a type for the use.
    families: Mapping[str, str]
    # Options for a run that is small enough for an instrumented kernel, with contention within and
    # between warps and blocks.
    small_run: str
    figures: Mapping[str, tuple[Drawing, ...]]
    tables: Mapping[str, Callable[[Results], list[Table]]]
    # Primitives that compute-sanitizer's racecheck supports. It knows barriers, but not locks and
    # atomics; it would report all data that blocks keep in shared memory under these.
    racecheck: tuple[str, ...] = ()
    # Families that it runs only on several GPUs, in the same form. In a plan "all" leaves them out.
    gpus_families: Mapping[str, str] = field(default_factory=dict)
    # Keys of the catalogue whose primitives it leaves out, as EXCEPT does in its CMakeLists.txt.
    without: tuple[str, ...] = ()
    of_all_blocks: bool = False
    # Of an application, a program of rounds with a grid barrier after each: the axis of what it
    # works on, and that of a run's number of rounds, if it has one.
    problem: str = ""
    rounds: str = ""
    # The settings that group its points, in the order of their words.
    settings: tuple[Part, ...] = ()
    # Points that are in no sweep, as they have a separate table.
    is_apart: Callable[[Axes], bool] = lambda axes: False
    # The name of a primitive; an axis may make two variants of one.
    variant: Callable[[str, Axes], str] = lambda primitive, axes: primitive
    chart: Chart | None = None
    question: Question | None = None
    # Its tables of times that stand in a paper, by the table's name there: "ics15-table3".
    paper_tables: Mapping[str, Callable[[Results], list[Table]]] = field(default_factory=dict)
    paper_benchmarks: PaperBenchmarks | None = None
