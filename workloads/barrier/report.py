"""`barrier`: repeated barriers of all thread blocks of a grid (the thesis, chapters 3.1, 5.1)."""

from __future__ import annotations

from finesync.figures import operation_counts, sweeps
from finesync.query.points import PointRow
from finesync.query.tables import Table, best_cell, table_by
from finesync.results import sync_sweeps, sync_tables
from finesync.results.loading import Results
from finesync.results.workload import Axes, Chart, Part, Workload


def _exchanges(axes: Axes) -> bool:
    return axes.get("local_exchange") == "yes"


# As printed, the listings back off and the code that was measured does not; ours do either way.
_WITH_AND_WITHOUT_BACKOFF = ("atomic_tree_printed", "sense_reversing_printed")


def _variant(primitive: str, axes: Axes) -> str:
    if sync_sweeps.is_of_several_gpus(axes) and axes.get("counters", "auto") != "auto":
        return f"{primitive}, best plan"
    backs_off = primitive in _WITH_AND_WITHOUT_BACKOFF and axes.get("backoff") == "yes"
    return f"{primitive}_backoff" if backs_off else primitive


_FORMS = ("blocking", "split-phase", "overlapped")


def _overlaps(axes: Axes) -> bool:
    """Whether the point has work around the barrier, or a form of round for such work."""
    return (axes.get("barrier_form", "blocking"), axes.get("work_cycles", 0), axes.get("reduction", "none"),
            axes.get("ordering", "memory")) != ("blocking", 0, "none", "memory")


def _form(axes: Axes) -> tuple[int, str]:
    """The form of a round with its reduction and ordering, and its place among the forms."""
    form, reduction = axes.get("barrier_form", "blocking"), axes.get("reduction", "none")
    execution = axes.get("ordering", "memory") == "execution"
    return _FORMS.index(form), ", ".join([form, *([] if reduction == "none" else [reduction]),
                                          *(["execution only"] if execution else [])])


def _exposed(results: Results) -> list[Table]:
    """The time of a round minus that of its work."""
    @best_cell
    def cell(best: PointRow) -> str | None:
        work = sync_sweeps.unsynchronized(best)
        return None if work is None else sync_tables.microseconds(best.time.median - work)

    points = sync_sweeps.not_in_sweep(results)
    points = points.where(points["axes"].map(_overlaps).astype(bool)).with_columns("work_cycles")
    points = points.assign(form=points["axes"].map(_form))
    tables: list[Table] = []
    for work in points.values("work_cycles"):
        for which, own in sync_sweeps.by_setting(points.select(work_cycles=work)).items():
            said = ", ".join([sync_sweeps.words(which), f"{work:,} cycles of work"])
            tables += table_by("tbs_per_sm", {
                f"{name}, {form[1]}": of_form.of_variants(name)
                for form in sorted(set(own["form"]))
                for of_form in [own.where(own["form"] == form)]
                for name in of_form.variants()}, cell, f"exposed-{sync_tables.slug(said)}",
                f"Microseconds per barrier that the work does not hide, {said}:",
                "thread blocks per SM")
    return tables


def _gpu_tables(results: Results) -> list[Table]:
    return [*sync_tables.times(results), *_exposed(results)]


def _host_tables(results: Results) -> list[Table]:
    return [*sync_tables.counts(results), *sync_tables.counts_across_gpus(results)]


CHART = Chart("Which barrier?", library="cooperative_groups", label="CCG",
              note="CUDA's own barrier: grid.sync() of cooperative groups.")

WORKLOAD = Workload(
    program="barrier",
    operation="barrier",
    of_all_blocks=True,
    families={"barriers": "grid"},
    gpus_families={"gpus_barriers": "gpus"},
    small_run="--tbs-per-sm 1,2 --ldst 0,2 --rounds 10",
    settings=(sync_sweeps.THREADS, sync_sweeps.section("no loads and stores"),
              Part(_exchanges, lambda axes: "local exchange" if _exchanges(axes) else ""),
              sync_sweeps.SMS),
    is_apart=lambda axes: sync_sweeps.is_of_several_gpus(axes) or _overlaps(axes),
    variant=_variant,
    figures={
        "gpu": (
            sweeps.time("Grid barriers: time per barrier by thread blocks per SM",
                                   "As in the thesis's figure 5.4. "),
            sweeps.time_by_section("Grid barriers: time per barrier by loads "
                                      "and stores", "As in the thesis's figure 5.13. "),
            # The thesis's barriers as printed and as here, the library, and ours.
            sweeps.overhead("Grid barriers: synchronization overhead by thread blocks per SM",
                          ("atomic_tree_printed", "atomic_tree", "sense_reversing_printed",
                           "sense_reversing", "cooperative_groups", "autotuned"),
                          "As in the thesis's figure 5.5. ")),
        "gpus": (sweeps.time_by_gpus(
            "Barriers of several GPUs: time per barrier by thread blocks per SM"),),
        "host": (operation_counts.drawing("Grid barriers: operations counted on the host executor"),),
    },
    tables={"gpu": _gpu_tables, "gpus": sync_tables.times_across_gpus, "host": _host_tables,
            "gpu_traffic": sync_tables.traffic},
    chart=CHART,
    question=sync_sweeps.question("Barriers", "a barrier of the whole grid", "µs per barrier", CHART,
                                  "libcudacxx", limited={
                                      "where each round may be a kernel": ("graph_relaunch",
                                                                           "dependent_launch")}),
)
