"""Items of the papers that are profiles: stacked bars of why warps stall, the paper's form first.
"""

from __future__ import annotations

import textwrap

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ...claims import ledger
from ...items import series
from ...items.listed import Item
from ...items.series import OTHERS, Profile
from ...papers import published
from ...results.recorded import Recorded
from .. import layout, scales
from ..styles import styles_of

# Synchronization first, from the bottom.
_LOOKS = {"block barriers": ("#332288", ""), "fences": ("#117733", "////"),
          "back-off": ("#ddcc77", ".."), "global memory": ("#88ccee", "\\\\\\\\"),
          OTHERS: ("#d9d9d9", "")}
_CLAIMED = "published: synchronization"


def draw(item: Item, recorded: Recorded) -> Figure:
    """A panel for each form, a bar for each number of thread blocks per SM."""
    profiles = series.profiles(item, recorded)
    results = recorded.find(item.spec["program"], "gpu_traffic")
    assert results is not None  # its rows were found
    styles = styles_of(results)
    theirs = published.number(item.spec["published"])
    figure, panels = layout.panels_by_row(len(profiles))
    grids = sorted({blocks for own in profiles for blocks in (*own.shares, *own.failed)})
    for panel, profile in zip(panels, profiles):
        _draw_panel(panel, profile, grids)
        panel.set_title("\n".join(textwrap.wrap(f"{profile.title}: {styles[profile.form].label.split(',')[0]}", 48)))
    panels[0].axhline(theirs, color="#555555", linestyle=(0, (1, 1)), linewidth=1.6, label=_CLAIMED)
    panels[0].set_ylabel("% of the stalls of warps")
    legend = [*(Patch(facecolor=colour, hatch=hatch, edgecolor="white")
                for colour, hatch in _LOOKS.values()), panels[0].lines[-1]]
    title = ledger.titles()[item.paper]
    where = item.spec["where"]
    caption = (f"Semaphore of size {where['size']}, {where['ldst']} loads and stores of each "
               "thread, without back-off. Counted by ncu: of the cycles in which resident warps "
               "issue nothing, the share of each reason. Published: the part of the profile that "
               f"is synchronization, {theirs:.0f} %.")
    return layout.finish(
        figure, f"{title[0].upper()}{title[1:]}, {item.said}: {item.title} ({results.gpu_name})",
        caption, results, (legend, [*_LOOKS, _CLAIMED]), "thread blocks per SM")


def _draw_panel(panel: Axes, profile: Profile, grids: list[int]) -> None:
    for place, blocks in enumerate(grids):
        bottom = 0.0
        for reason, share in profile.shares.get(blocks, {}).items():
            colour, hatch = _LOOKS[reason]
            panel.bar(place, share, 0.7, bottom=bottom, color=colour, hatch=hatch, edgecolor="white", linewidth=0.6)
            bottom += share
        if blocks in profile.failed:
            scales.mark_gap(panel, place, 0.04, profile.failed[blocks])
    panel.set_xticks(range(len(grids)), [str(blocks) for blocks in grids])
    panel.set_xlim(-0.6, len(grids) - 0.4)
    panel.set_ylim(0, 100)
    panel.grid(axis="y")
    if profile.without:
        panel.text(0.5, 0.5, textwrap.fill(profile.without, 30), ha="center", va="center",
                   transform=panel.transAxes, fontsize=8, color=scales.GAP_COLOUR)
