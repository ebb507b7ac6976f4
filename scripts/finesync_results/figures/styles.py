"""One style per primitive, the same in every figure; workloads/catalogue/ has them by family.

Colours are those of Okabe and Ito and of Tol, told apart by colour-blind readers; each primitive
also has a marker and a hatch of its own, so that a grey print still tells them apart. Within one
family no two look alike. Libraries are dashed.
"""

from __future__ import annotations

import colorsys
import hashlib
from dataclasses import dataclass
from typing import Any

from ..catalogue import primitives
from ..loading import Results

# Not used by any primitive of the catalogue.
_SPARE_MARKERS = tuple((points, 1, 0) for points in (3, 4, 6, 7, 8, 9))
_SPARE_HATCHES = ("/o", "\\o", "-o", "|o", "+o", "x.")


@dataclass(frozen=True)
class Style:
    """Name in print, colour, marker, hatch, and line dashes of a primitive."""

    label: str
    colour: str
    marker: Any
    hatch: str
    dashes: str


class Styles:
    """The styles of the primitives of some families, by name."""

    def __init__(self, *families: str) -> None:
        self._known = {own["name"]: Style(label=own.get("label", own["name"]), **own["style"])
                       for entry in primitives(*families)
                       for own in (entry, *entry.get("variants", ())) if "style" in own}

    def __getitem__(self, primitive: str) -> Style:
        return self._known.get(primitive) or _own_style(primitive)


def styles_of(results: Results) -> Styles:
    """The styles of all that a results file may hold."""
    return Styles(*(results.workload.families if results.workload else ()))


def _own_style(primitive: str) -> Style:
    """What a primitive without an entry looks like: always the same, and like no other."""
    seed = hashlib.sha256(primitive.encode()).digest()
    # Neither pale nor dark; of 65,536 hues.
    red, green, blue = colorsys.hls_to_rgb(int.from_bytes(seed[:2], "big") / 65536, 0.45, 0.75)
    colour = "#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue))
    return Style(primitive, colour, _SPARE_MARKERS[seed[2] % len(_SPARE_MARKERS)],
                 _SPARE_HATCHES[seed[3] % len(_SPARE_HATCHES)], "-.")
