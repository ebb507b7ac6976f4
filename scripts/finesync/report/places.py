"""The places that a report is about: the runs of one machine in one folder."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..claims.judge import Judged, judge_all
from ..results import originals, recorded
from ..results.loading import Results
from ..results.recorded import Recorded, of_results
from ..results.registry import ROOT, workloads
from ..results.workload import GROUPS
from .needs import Need, needs


@dataclass(frozen=True, eq=False)
class Place:
    """The results files of one folder from a GPU, or from the host executor."""

    folder: Path
    results: Sequence[Results]
    # The machine's name, with the folder if that is not enough to tell it from others.
    name: str
    # The end of its folder's path, which tells it from others.
    end: str
    counted: Sequence[Results]  # the host executor's available counts

    @property
    def on_gpu(self) -> bool:
        """Whether it has times of a GPU."""
        return self.results[0].on_gpu

    @property
    def recorded(self) -> bool:
        """Whether the repository holds it."""
        return recorded.is_recorded(self.results[0].path)

    @property
    def where(self) -> str:
        """Its folder seen from the repository; of one outside, whose path is a machine's own, the end."""
        inside = self.folder.is_relative_to(ROOT)
        return str(self.folder.relative_to(ROOT)) if inside else self.end

    @functools.cached_property
    def claimed(self) -> Recorded:
        """Its rows as claims are judged by."""
        return of_results(self.results[0].gpu_name, [*self.results, *self.counted], originals.beside(self.folder))

    @functools.cached_property
    def judged(self) -> Mapping[str, Judged]:
        """All claims, judged by its rows; none without a GPU."""
        return judge_all(self.claimed) if self.on_gpu else {}

    @functools.cached_property
    def needs(self) -> list[tuple[Results, Need]]:
        """What its results answer, by groups."""
        order = {program: (GROUPS.index(workload.question.group), index) for index, (program, workload)
                 in enumerate(workloads().items()) if workload.question}
        return [(results, need) for results in sorted(
            (one_of for one_of in self.results if one_of.program in order),
            key=lambda one_of: order[one_of.program]) for need in needs(results)]

    def dates(self) -> list[str]:
        """The days of its runs, in order, once each."""
        return sorted({str(own.context["finesync"].get("date", ""))[:10] for own in self.results} - {""})


def places(all_results: Sequence[Results]) -> list[Place]:
    """All places: GPUs first, and of these one's own runs, then those with the most results."""
    counted = [results for results in all_results if not results.on_gpu]
    by_folder_and_kind: dict[tuple[Path, bool], list[Results]] = {}
    for results in [*(results for results in all_results if results.on_gpu), *counted]:
        by_folder_and_kind.setdefault((results.path.parent, results.on_gpu), []).append(results)
    folders = {folder for folder, _ in by_folder_and_kind}
    made = [Place(folder, held, held[0].gpu_name if on_gpu else "Host executor", _end(folder, folders), counted)
            for (folder, on_gpu), held in by_folder_and_kind.items()]

    def is_unique(place: Place) -> bool:
        """Whether its name tells it: a recorded one from all that are recorded, another from all."""
        return sum(other.name == place.name and (other.recorded or not place.recorded) for other in made) == 1

    made = [place if is_unique(place) else replace(place, name=f"{place.name}, {place.end}") for place in made]
    return sorted(made, key=lambda place: (not place.on_gpu, place.recorded, -len(place.results)))


def _end(folder: Path, folders: set[Path]) -> str:
    """As much of the end of a folder's path as tells it from the others."""
    ends = (folder.parts[-length:] for length in range(1, len(folder.parts)))
    return "/".join(next((end for end in ends if sum(other.parts[-len(end):] == end for other in folders) == 1),
                         folder.parts[-1:]))


def by_folder(loaded: Iterable[Results]) -> dict[Path, list[Results]]:
    """The results of each folder."""
    by_path: dict[Path, list[Results]] = {}
    for results in loaded:
        by_path.setdefault(results.path.parent, []).append(results)
    return by_path


def of_gpu(folder: Path, original: originals.Originals, loaded: Iterable[Results]) -> list[Results]:
    """Our results of the GPU that originals ran on, in the folders of GPUs below one."""
    return [results for results in loaded if results.path.parent == folder / original.folder.name]
