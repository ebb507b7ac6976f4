"""ASPLOS'19 figure 7, hash table: speed-up of each primitive over the paper's spin lock."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..json_files import read_json
from ..loading import Results
from ..points import Point, Spread, failure_word, fastest, gather, primitives, select, values
from . import style

NAME = "speedup"
BASELINE = "spin"
PUBLISHED_FILE = (Path(__file__).resolve().parents[3]
                  / "results" / "published" / "published_numbers.json")
_GROUP_WIDTH = 0.88


def draw(results: Results) -> Figure | None:
    """Bars by collision factor; every primitive, the baseline too, at its own best grid."""
    if not results.on_gpu or results.program != "ht":
        return None
    points = select(gather(results.rows), lock_padding=0, cs_extra=0)
    factors = values(points, "collision_factor")
    bars = [primitive for primitive in primitives(points) if primitive != BASELINE]
    if not factors or not bars or BASELINE not in primitives(points):
        return None

    published, source = published_server_speedups()
    published = {factor: published[factor] for factor in factors if factor in published}
    measured = [speedups(points, factor, bars) for factor in factors]
    figure, axes = plt.subplots(figsize=(style.WIDTH_IN, 4.1))
    shown = [spread.median for group in measured for spread in group.values() if spread]
    _scale(axes, [1.0, *shown, *published.values()])
    step = _GROUP_WIDTH / (len(bars) + bool(published))
    for slot, primitive in enumerate(bars):
        for group, factor in enumerate(factors):
            x = _place(group, slot, step)
            spread = measured[group][primitive]
            if spread:
                style.draw_bar(axes, x, step, spread, style.look(primitive))
            else:
                sides = [point for point in select(points, collision_factor=factor)
                         if point.primitive in (primitive, BASELINE)]
                style.mark_gap(axes, x, 0.03, failure_word(sides), axes.get_xaxis_transform())
    look = style.Look(source, "#ffffff", "", "//////", "")
    for factor, value in published.items():
        style.draw_bar(axes, _place(factors.index(factor), len(bars), step), step,
                       Spread(value, value, value), look, edge="#555555")
    axes.axhline(1, color="black", linewidth=0.9, zorder=3)
    axes.set_xticks(range(len(factors)), [style.count_label(factor) for factor in factors])
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(factors) - 0.5)
    axes.set_xlabel("collision factor (elements in the pool)")
    axes.set_ylabel("speed-up over the spin lock (x)")
    axes.grid(axis="y")

    caption = (f"Bars of {results.gpu_name}: run time of the paper's global spin lock over that of "
               "each primitive, each at its own best number of thread blocks per SM; medians, "
               "whiskers from the quartiles of both.")
    if published:
        caption += f" Hatched white: {source}, over that GPU's own baseline, not measured here."
    return style.finish(figure, f"Hash-table insertion, speed-up over the spin lock: "
                                f"{results.gpu_name}", caption, results,
                        style.legend_of([axes]), columns=4)


def speedups(points: list[Point], factor: int, bars: list[str]) -> dict[str, Spread | None]:
    """Speed-up of each primitive at a collision factor; None where either side failed."""
    here = select(points, collision_factor=factor)
    base = fastest(point for point in here if point.primitive == BASELINE)
    found: dict[str, Spread | None] = {}
    for primitive in bars:
        best = fastest(point for point in here if point.primitive == primitive)
        found[primitive] = base.seconds().over(best.seconds()) if base and best else None
    return found


def published_server_speedups() -> tuple[dict[int, float], str]:
    """The paper's server speed-ups by collision factor (table 3), and whose they are."""
    paper = read_json(PUBLISHED_FILE)["asplos19"]
    table = paper["table3_lock_transfer_latency_cycles"]
    factors = {"ht_256": 256, "ht_1k": 1024}
    gpu = paper["gpu"].split(" (")[0]
    return ({factor: 1 / table[key]["run_time_normalised"] for key, factor in factors.items()},
            f"servers, published for the {gpu} (ASPLOS'19, table 3)")


def _scale(axes: Axes, shown: list[float]) -> None:
    if style.needs_log(shown):
        style.log_axis(axes.yaxis, min(shown), max(shown))
        bottom = min(shown) / 1.8
        axes.set_ylim(bottom, max(shown) * (max(shown) / bottom) ** 0.2)
    else:
        axes.set_ylim(0, max(shown) * 1.25)


def _place(group: int, slot: int, step: float) -> float:
    return group - _GROUP_WIDTH / 2 + step * (slot + 0.5)
