"""The fastest primitive for a need, in a setting, at a load: what answers a workload's question."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..query.points import PointTable, Spread
from ..query.tables import three_digits
from ..results import catalogue
from ..results.loading import Results
from ..results.registry import workload_of
from ..results.sync_sweeps import work_beside
from ..results.workload import Question, Unit, Workload

# Medians that differ by no more, or whose quartiles overlap, are level.
NOISE = 0.03
_LISTED = 4  # names in a sentence


@dataclass(frozen=True)
class Entry:
    """A primitive at its best launch: what it reached, or how it ended; and with other work beside it what the same
    loop takes without it. `standing` is the catalogue's."""

    name: str
    value: Spread | None
    ended: str
    launch: str = ""
    standing: str = ""
    without: Spread | None = None

    @property
    def folded(self) -> bool:
        """Whether it is only for readers of a paper."""
        return self.standing in catalogue.FOLDED


@dataclass(frozen=True)
class Answer:
    """All primitives that ran at one load: the fastest first, those without a result last. `less` are
    the names of those that do less than the others, and so neither win nor are level."""

    unit: Unit
    entries: Sequence[Entry]
    less: Mapping[str, str]
    library: Sequence[str]

    @functools.cached_property
    def _fastest(self) -> list[Entry]:
        """The fastest, and those that are no slower as far as the noise lets tell."""
        able = [(each, each.value) for each in self.entries if each.value and each.name not in self.less]
        return [each for each, spread in able if each is able[0][0] or not _differ(spread, able[0][1])]

    @property
    def best(self) -> Entry | None:
        """Of the fastest the recommended one, otherwise the fastest that is not only for readers of a paper."""
        return min(self._fastest, default=None, key=lambda each: (each.standing != "recommended", each.folded))

    @property
    def level(self) -> list[str]:
        """The names of those that are no slower than the best, as far as the noise lets tell."""
        return [each.name for each in self._fastest if each is not self.best]

    @property
    def library_entry(self) -> Entry | None:
        """CUDA's own: the best of those with a result, otherwise one that ended badly."""
        of_library = [entry for entry in self.entries if entry.name in self.library]
        return next((each for each in of_library if each.value), of_library[0] if of_library else None)

    @property
    def lead(self) -> float | None:
        """How many times as fast as CUDA's own the best is; None if either has no result."""
        best, library = self.best, self.library_entry
        if best is None or library is None or not best.value or not library.value:
            return None
        more, other = best.value.median, library.value.median
        return more / other if self.unit.rate else other / more


@dataclass(frozen=True)
class Need:
    """A question, perhaps with a restriction, and its answers by setting and load."""

    limit: str
    question: Question
    answers: Mapping[str, Mapping[str, Answer]]

    @property
    def name(self) -> str:
        """The need in words."""
        return ", ".join(filter(None, [self.question.need, self.limit]))

    @property
    def main(self) -> tuple[str, str]:
        """The most usual setting, and its heaviest load."""
        setting = next(iter(self.answers))
        return setting, list(self.answers[setting])[-1]


def needs(results: Results) -> list[Need]:
    """The needs that a results file answers."""
    workload = workload_of(results)
    if workload is None or workload.question is None or results.kind != "gpu":
        return []
    question = workload.question
    sweeps = {setting: points if "variant" in points else
              points.assign(variant=points["primitive"])
              for setting, points in question.sweeps(results).items() if not points.empty}
    limited = {name for names in question.limited.values() for name in names}
    answered = []
    for limit, names in {"": (), **question.limited}.items():
        shut_out = limited - set(names)
        remaining = {setting: points.where(~points["variant"].isin(shut_out))
                     for setting, points in sweeps.items()
                     if not limit or not points.of_variants(*names).empty}
        answers = {setting: dict(_by_load(question, points, results))
                   for setting, points in remaining.items() if not points.empty}
        if answers:
            answered.append(Need(limit, question, answers))
    return answered


def sentence(answer: Answer) -> str:
    """The answer in one sentence, with names between backticks."""
    best, library = answer.best, answer.library_entry
    if best is None or best.value is None:
        ends = ", ".join(dict.fromkeys(entry.ended for entry in answer.entries)) or "not run"
        return f"No primitive finished here: {ends}."
    text = f"`{best.name}` {'does' if answer.unit.rate else 'takes'} {value(best, answer.unit)}"
    if best.name in answer.library:
        text += ", and is CUDA's own"
    elif library is None:
        text += "; no primitive of CUDA's own was run here" if answer.library else ""
    elif answer.lead is None:
        text += f"; CUDA's `{library.name}`: {library.ended}"
    else:
        text += f", {three_digits(answer.lead)} times as fast as CUDA's `{library.name}`"
    folded = [each.name for each in answer.entries if each.folded]
    level, too = [name for name in answer.level if name not in folded], "with it within the noise"
    if library and library.name in level:
        level.remove(library.name)
        text, too = f"{text}, which is level {too}", "too"
    if level:
        text += f"; {_listed(level)} {'is' if len(level) == 1 else 'are'} level {too}"
    if len(folded) == len(answer.entries):
        text += "; only forms that a paper prints were run here"
    if best.without:
        text += f"; the same loop without it takes {three_digits(best.without.median)} {answer.unit.name.split()[0]}"
    return f"{text}."


def _listed(names: Sequence[str]) -> str:
    *first, last = [f"`{name}`" for name in names] if len(names) <= _LISTED else [
        *(f"`{name}`" for name in names[:_LISTED - 1]), f"{len(names) - _LISTED + 1} others"]
    return f"{', '.join(first)} and {last}" if first else last


def value(entry: Entry, unit: Unit) -> str:
    """What a primitive reached, with its unit; otherwise how it ended."""
    return f"{three_digits(entry.value.median)} {unit.name}" if entry.value else entry.ended


def _by_load(question: Question, points: PointTable, results: Results) -> Iterator[tuple[str, Answer]]:
    standings = _standings(workload_of(results))
    loads = points.values(question.axis)
    for load in reversed(loads) if question.heaviest_first else loads:
        at_load = points.select(**{question.axis: load})
        entries = [_entry(name, standings.get(name.split(", ")[0], ""), part, question.unit, results)
                   for name, part in at_load.by_variant().items()]
        ranked = sorted((entry for entry in entries if entry.value), key=lambda entry: _rank(entry, question.unit))
        yield question.words(load), Answer(
            question.unit, [*ranked, *(entry for entry in entries if not entry.value)],
            question.less, question.library)


def _standings(workload: Workload | None) -> dict[str, str]:
    """The standing of each primitive of a program, and of each of its variants."""
    return {look["name"]: catalogue.standing(entry, look["name"])
            for entry in catalogue.primitives(workload.families, workload.program)
            for look in catalogue.looks(entry)} if workload else {}


def _entry(name: str, standing: str, points: PointTable, unit: Unit, results: Results) -> Entry:
    best = points.fastest_point()
    if best is None:
        return Entry(name, None, points.failure_word(), standing=standing)
    launch = best.grid_label(results.gpu) if best["effective"] else ""
    beside = work_beside(best) if best["axes"].get("ldst") else None
    return Entry(name, unit.of(best.time), "ok", launch, standing, beside and unit.of(beside))


def _rank(entry: Entry, unit: Unit) -> float:
    assert entry.value is not None
    return -entry.value.median if unit.rate else entry.value.median


def _differ(first: Spread, second: Spread) -> bool:
    """Whether two spreads differ by more than the noise."""
    low, high = sorted([first, second], key=lambda spread: spread.median)
    return low.high < high.low and high.median > low.median * (1 + NOISE)
