"""The fastest primitive for a need, in a setting, at a load: what answers a workload's question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..query.points import PointTable, Spread
from ..query.tables import three_digits
from ..results.loading import Results
from ..results.registry import workload_of
from ..results.workload import Question, Unit

# Medians that differ by no more, or whose quartiles overlap, are level.
NOISE = 0.03


@dataclass(frozen=True)
class Entry:
    """A primitive at its best launch: what it reached, or how it ended."""

    name: str
    value: Spread | None
    ended: str
    launch: str = ""


@dataclass(frozen=True)
class Answer:
    """All primitives that ran at one load: the best first, those without a result last. `less` are
    the names of those that do less than the others, and so neither win nor are level."""

    unit: Unit
    entries: Sequence[Entry]
    less: Mapping[str, str]
    library: Sequence[str]

    @property
    def best(self) -> Entry | None:
        return next((each for each in self.entries if each.value and each.name not in self.less), None)

    @property
    def level(self) -> list[str]:
        """The names of those that are no slower than the best, as far as the noise lets tell."""
        best = self.best
        return [entry.name for entry in self.entries if best and entry is not best
                and entry.name not in self.less and entry.value and best.value
                and not _differ(entry.value, best.value)]

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
        text += "; no primitive of CUDA's own was run here"
    elif answer.lead is None:
        text += f"; CUDA's `{library.name}`: {library.ended}"
    else:
        text += f", {three_digits(answer.lead)} times as fast as CUDA's `{library.name}`"
    level, too = answer.level, "with it within the noise"
    if library and library.name in level:
        level.remove(library.name)
        text, too = f"{text}, which is level {too}", "too"
    if level:
        text += f"; {_listed(level)} {'is' if len(level) == 1 else 'are'} level {too}"
    return f"{text}."


def _listed(names: Sequence[str]) -> str:
    *first, last = (f"`{name}`" for name in names)
    return f"{', '.join(first)} and {last}" if first else last


def value(entry: Entry, unit: Unit) -> str:
    """What a primitive reached, with its unit; otherwise how it ended."""
    return f"{three_digits(entry.value.median)} {unit.name}" if entry.value else entry.ended


def _by_load(question: Question, points: PointTable, results: Results) -> Iterator[tuple[str, Answer]]:
    loads = points.values(question.axis)
    for load in reversed(loads) if question.heaviest_first else loads:
        at_load = points.select(**{question.axis: load})
        entries = [_entry(name, part, question.unit, results) for name, part in at_load.by_variant().items()]
        ranked = sorted((entry for entry in entries if entry.value), key=lambda entry: _rank(entry, question.unit))
        yield question.words(load), Answer(
            question.unit, [*ranked, *(entry for entry in entries if not entry.value)],
            question.less, question.library)


def _entry(name: str, points: PointTable, unit: Unit, results: Results) -> Entry:
    best = points.fastest_point()
    if best is None:
        return Entry(name, None, points.failure_word())
    launch = best.grid_label(results.gpu) if best["effective"] else ""
    return Entry(name, unit.of(best.time), "ok", launch)


def _rank(entry: Entry, unit: Unit) -> float:
    assert entry.value is not None
    return -entry.value.median if unit.rate else entry.value.median


def _differ(first: Spread, second: Spread) -> bool:
    """Whether two spreads differ by more than the noise."""
    low, high = sorted([first, second], key=lambda spread: spread.median)
    return low.high < high.low and high.median > low.median * (1 + NOISE)
