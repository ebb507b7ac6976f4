"""The paper's servers step by step, and by the sizes that a program chooses: tables of rates."""

from __future__ import annotations

from finesync.papers import contention
from finesync.query.points import PointTable
from finesync.query.tables import Table, best_cell, cell_of, three_digits
from finesync.results.loading import Results

from .tables import measured, on_all_sms

# Section 3.2, a step each: what is added to the one that it names.
STEPS = {"server_basic": "basic (3.2.1)", "server_led": "basic and a leader warp (3.2.3)",
         "server_buffered": "basic and local buffers (3.2.4)",
         "server_polling": "both, read_idx at every copy",
         "server_paper": "both, a lazy copy of read_idx"}
_PAPER = "server_paper"
# The launch of all curves.
_LAUNCH = {"threads_per_block": 512, "tbs_per_sm": 1}


def step_tables(results: Results) -> list[Table]:
    """What each step of section 3.2 gains, if one between the first and the last was run."""
    points = measured(results).select(section_work=0, section="push")
    points = points.where(points["tuned"].notna())
    if points.of_primitives("server_led", "server_buffered", "server_polling").empty:
        return []
    factors = points.of_primitives(*STEPS).values("collision_factor")
    rows = {label: [_step(points.select(collision_factor=factor), name) for factor in factors]
            for name, label in STEPS.items()}
    return [Table("steps", "The steps of ASPLOS'19, section 3.2, G inserts/s, each as tuned; in "
                  "brackets: over the basic servers:", "collision factor", factors, rows)]


def curve_tables(results: Results) -> list[Table]:
    """Rates of the paper's servers over each size that was swept."""
    points = contention.with_time_per_operation(results.points.with_columns(
        *_LAUNCH, "collision_factor", "section", "section_work", "client_work", "servers_percent",
        "server_locks", "ring_slots", "local_buffer", "inserts", "seconds"), "inserts")
    points = on_all_sms(points.of_primitives(_PAPER)).select(section="push")
    points = points.where([all(axes.get(axis) == value for axis, value in _LAUNCH.items()) for axes in points["axes"]])
    plain = points.select(section_work=0, client_work=0)
    usual = points.select(server_locks="auto", ring_slots="auto", local_buffer=64)
    by_share = {f"sections of {work:,} thousand cycles more": usual.select(
                    section_work=work, client_work=0) for work in usual.values("section_work")}
    by_share |= {f"clients of {work:,} thousand cycles between inserts": usual.select(
                     section_work=0, client_work=work)
                 for work in usual.values("client_work") if work}
    keys = points.values("collision_factor")
    found = [
        _curve("server-share", "share of servers in percent", "servers_percent", by_share),
        _curve("server-locks", "locks per server", "server_locks",
               {f"{key:,} keys": plain.select(collision_factor=key, ring_slots="auto",
                                              local_buffer=64) for key in keys}),
        _curve("ring-slots", "slots of a ring", "ring_slots",
               {f"{key:,} keys, local buffers of {size}": plain.select(
                   collision_factor=key, local_buffer=size, server_locks="auto")
                for key in keys for size in plain.values("local_buffer")})]
    return [table for table in found if table is not None]


def _curve(name: str, heading: str, axis: str, lines: dict[str, PointTable]) -> Table | None:
    """A row per line that was run at several sizes."""
    sizes = {label: [size for size in own.values(axis) if isinstance(size, int)] for label, own in lines.items()}
    columns = sorted({size for own in sizes.values() if len(own) > 1 for size in own})
    rows = {label: [_rate(own.where(own[axis].eq(size))) for size in columns]
            for label, own in lines.items() if len(sizes[label]) > 1}
    return Table(name, f"`{_PAPER}` at one block of {_LAUNCH['threads_per_block']} threads per SM, "
                 f"G inserts/s by the {heading}:", heading, columns, rows) if rows else None


def _step(points: PointTable, name: str) -> str:
    here = points.of_primitives(name)
    over = here.speedup_over(points.of_primitives("server_basic"))
    return _rate(here) if isinstance(over, str) else f"{_rate(here)} ({cell_of(over, 'x')})"


_rate = best_cell(lambda point: three_digits(point.rate.median / 1e9))
