"""Two runs side by side, such as of two GPUs or two revisions: how many times as long each primitive
takes in the second, at every point that both have.

Times of two runs have no common axis here: only their ratios have.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..compare.joining import ENDED_OTHERWISE
from ..results import revisions
from ..results.loading import Results
from . import layout, scales
from .styles import Style, styles_of

_ROW_IN = 0.24
# Ratios that are further from 1 stand at the edge.
_MOST = 64.0


def labels(a: Results, b: Results) -> tuple[str, str]:
    """What tells the two runs apart, in few words."""
    for fact in (_gpu, _driver, _revision):
        if fact(a) and fact(b) and fact(a) != fact(b):
            return fact(a), fact(b)
    return str(a.path.parent), str(b.path.parent)


def bounds(table: pd.DataFrame) -> tuple[float, float]:
    """The limits of the axis of ratios that all figures of a comparison share, 1 in the middle."""
    ratios = table["ratio"].dropna()
    furthest = float(np.exp(np.abs(np.log(ratios)).max())) if len(ratios) else 1.0
    most = min(max(furthest, 1.2), _MOST) * 1.05
    return 1 / most, most


def draw(a: Results, b: Results, points: pd.DataFrame, limits: tuple[float, float]) -> Figure | None:
    """A row for each primitive that has a time in both runs; None if none has. `points` are those of
    this program, as compare.joining.join() returns them."""
    timed = points[points["ratio"].notna()]
    if timed.empty:
        return None
    primitives = timed["settings"].map(lambda settings: settings["primitive"])
    middles = timed["ratio"].groupby(primitives).median().sort_values(kind="stable")
    styles = styles_of(a)
    name_a, name_b = labels(a, b)
    figure, axes = plt.subplots(figsize=(layout.WIDTH_IN, 1.75 + _ROW_IN * len(middles)))
    for row, (primitive, middle) in enumerate(middles.items()):
        ratios = timed["ratio"][primitives == primitive]
        _draw_row(axes, -row, ratios, float(middle), styles[str(primitive)], limits)
    scales.log_axis(axes.xaxis, *limits)
    axes.set_xlim(*limits)
    axes.axvline(1, color="black", linewidth=0.9, zorder=1)
    axes.set_ylim(-len(middles) + 0.4, 0.6)
    axes.set_yticks([-row for row in range(len(middles))],
                    [styles[str(primitive)].label for primitive in middles.index])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.set_xlabel("time of B over time of A; left of 1, B takes less")
    return layout.finish(figure, f"{a.program}: {name_b} (B) beside {name_a} (A)",
                         _caption(a, b, points, timed), b, ([], []))


def _draw_row(axes: Axes, y: float, ratios: pd.Series, middle: float, style: Style,
              limits: tuple[float, float]) -> None:
    shown = ratios.clip(limits[0] * 1.02, limits[1] / 1.02)
    axes.plot(shown, [y] * len(shown), linestyle="none", marker="o", markersize=3.2, alpha=0.45,
              markeredgewidth=0, color=style.colour, zorder=2)
    axes.plot([middle], [y], linestyle="none", marker="|", markersize=13, markeredgewidth=2.2, color="black", zorder=3)
    points = f"{len(ratios)} points" if len(ratios) > 1 else "1 point"
    axes.annotate(f"{middle:.3g}x, {points}", (1.01, y), xycoords=axes.get_yaxis_transform(), va="center", fontsize=8)


def _caption(a: Results, b: Results, points: pd.DataFrame, timed: pd.DataFrame) -> str:
    ended = int((points["verdict"] == ENDED_OTHERWISE).sum())
    far = int((np.abs(np.log(timed["ratio"])) > np.log(_MOST)).sum())
    sentences = [f"A dot is a point that both ran, with the ratio of its median times; a bar is the "
                 f"median of a primitive's dots. {len(timed)} points."]
    if ended:
        sentences.append(f"Not shown, as they end otherwise in one of the two: {ended}.")
    if far:
        sentences.append(f"At the edge, as they are beyond {_MOST:g}: {far}.")
    return " ".join([*sentences, f"A: {layout.provenance(a)} B:"])


def _gpu(results: Results) -> str:
    return results.gpu_name


def _driver(results: Results) -> str:
    return " and ".join(f"driver {version}" for version in results.told("driver_version"))


def _revision(results: Results) -> str:
    known = [revision for revision in revisions.of(results) if not revision.startswith("unknown")]
    return "revision " + " and ".join(known) if known else ""
