"""One style per primitive, the same in every figure: that of its entry in the catalogue, or one
that no other has.

Most colours are those of Okabe and Ito and of Tol. Each primitive of a family also has a marker of
its own. Two whose colours are alike to the colour-blind or in a grey print differ in their dashes
and their hatch, too (legibility/looks.py).
"""

from __future__ import annotations

import colorsys
import hashlib
from dataclasses import dataclass
from typing import Any

from ..results.catalogue import Entry, looks, primitives, unstyled
from ..results.loading import Results
from ..results.registry import workload_of

# Not used by any primitive of the catalogue.
_SPARE_MARKERS = tuple((points, 1, 0) for points in (3, 4, 6, 7, 8, 9))
_SPARE_HATCHES = ("/o", "\\o", "-o", "|o", "+o", "x.")
# Multiples of it lie far from each other, however many there are.
_GOLDEN_RATIO = (5 ** 0.5 - 1) / 2


@dataclass(frozen=True)
class Style:
    """Name in print, colour, marker, hatch, and line dashes of a primitive."""

    label: str
    colour: str
    marker: Any
    hatch: str
    dashes: str


class Styles:
    """The styles of the primitives of some families, by name; with the variants of a program."""

    def __init__(self, *families: str, program: str = "") -> None:
        self._known = {look["name"]: _style_of(look) for entry in primitives(families, program)
                       for look in looks(entry)}

    def __getitem__(self, primitive: str) -> Style:
        return self._known.get(primitive) or _own_style(primitive)


def styles_of(results: Results) -> Styles:
    """The styles of all primitives that a results file may hold."""
    workload = workload_of(results)
    if workload is None:
        return Styles()
    return Styles(*workload.families, *workload.gpus_families, program=workload.program)


def _style_of(entry: Entry) -> Style:
    """The style of an entry. Without one, its place among all such entries, in the order of names,
    determines colour and marker."""
    label = entry.get("label", entry["name"])
    if "style" in entry:
        return Style(label=label, **entry["style"])
    index = unstyled().index(entry["name"])
    return Style(label, _colour(index * _GOLDEN_RATIO % 1), (index + 3, 2, 0),
                 _SPARE_HATCHES[index % len(_SPARE_HATCHES)], "-.")


def _own_style(primitive: str) -> Style:
    """The style of a primitive without an entry: always the same, and like no other."""
    seed = hashlib.sha256(primitive.encode()).digest()
    return Style(primitive, _colour(int.from_bytes(seed[:2], "big") / 65536),
                 _SPARE_MARKERS[seed[2] % len(_SPARE_MARKERS)],
                 _SPARE_HATCHES[seed[3] % len(_SPARE_HATCHES)], "-.")


def _colour(hue: float) -> str:
    """Neither pale nor dark."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in colorsys.hls_to_rgb(hue, 0.45, 0.75))
