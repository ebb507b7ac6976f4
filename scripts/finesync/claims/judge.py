"""Judges claims by recorded rows: the printed forms decide; ours, and the papers' own programs,
stand beside them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..query.numbers import Missing, Spread
from ..results.originals import Originals
from ..results.recorded import Recorded
from . import criteria, ledger
from .criteria import OF_SERIES, UNTOLD, Series
from .expressions import Evaluation, quantities_of, roles_of
from .ledger import Case, Claim, Part

# Numbers of a criterion that may be expressions of rows.
_EVALUATED = ("neutral", "bound")
# All that is known of the originals' runs.
_OF_ORIGINALS = {"time", "run_time", "highest_grid", "unfinished_runs"}


@dataclass(frozen=True)
class JudgedCase:
    """A case with its value: a number, or the points of a series; or why there is none."""

    name: str
    value: Spread | Series | None
    missing: tuple[Missing, ...] = ()
    stand_in: str = ""  # why the verdict rests on a number that stands for the true one
    agrees: bool = False


@dataclass(frozen=True)
class JudgedPart:
    part: Part
    cases: tuple[JudgedCase, ...]
    possible: frozenset[str]


@dataclass(frozen=True)
class Judgement:
    """The verdict of a claim, those that its open cases leave, and the values of its parts."""

    claim: Claim
    verdict: str
    possible: tuple[str, ...]
    parts: tuple[JudgedPart, ...]

    def missing(self) -> list[Missing]:
        """What is missing, once each, in the order of the cases."""
        found = {str(missing): missing for part in self.parts for case in part.cases for missing in case.missing}
        return list(found.values())

    def stand_ins(self) -> list[str]:
        """Why the verdict rests on numbers that stand for others, once each."""
        return list(dict.fromkeys(why for part in self.parts for case in part.cases
                                  for why in case.stand_in.split("; ") if why))

    def reasons(self) -> str:
        """Why it cannot be told."""
        return "; ".join(map(str, self.missing()))

    @property
    def measured(self) -> bool:
        """Whether any case has a value."""
        return any(case.value for part in self.parts for case in part.cases)

    @property
    def complete(self) -> bool:
        """Whether all have one."""
        return all(case.value for part in self.parts for case in part.cases)


@dataclass(frozen=True)
class Judged:
    """A claim by the printed forms, by ours if it names any, by the forms' originals if these were measured, and by the
    printed forms at the rows of its further readings, which decide nothing."""

    printed: Judgement
    ours: Judgement | None = None
    originals: Judgement | None = None
    again: Mapping[str, Judgement] = dataclasses.field(default_factory=dict)

    @property
    def words(self) -> dict[str, str]:
        """The verdicts, as the file of expected ones has them."""
        others = {"ours": self.ours, "originals": self.originals}
        return {"verdict": self.printed.verdict, **{whose: own.verdict for whose, own in others.items() if own}}

    def dissent(self) -> dict[str, Judgement]:
        """The readings by the papers' own programs that say otherwise than the printed forms. Forms that tell nothing
        are not contradicted."""
        if self.printed.verdict == criteria.UNTOLD:
            return {}
        readings = {"originals": self.originals,
                    **{name: self.again.get(name) for name in self.printed.claim.half_originals}}
        return {name: own for name, own in readings.items()
                if own and own.verdict not in (criteria.UNTOLD, self.printed.verdict)}


def judge_all(recorded: Recorded) -> dict[str, Judged]:
    """All claims, by their numbers."""
    return {number: judge(claim, recorded) for number, claim in ledger.claims().items()}


def printed(claim: Claim, recorded: Recorded) -> Judgement:
    """The claim by its printed forms alone."""
    return _judgement(claim, claim.parts, recorded, False)


def judge(claim: Claim, recorded: Recorded) -> Judged:
    has_ours = any(not set(case.ours).isdisjoint(roles_of(part.value)) for part in claim.parts for case in part.cases)
    return Judged(printed(claim, recorded),
                  _judgement(claim, claim.parts, recorded, True) if has_ours else None,
                  _by_originals(claim, recorded),
                  {name: found for name, parts in claim.again.items() if (found := (
                      _with_originals(claim, parts, recorded) if name in claim.half_originals
                      else _judgement(claim, parts, recorded, False)))})


def _by_originals(claim: Claim, recorded: Recorded) -> Judgement | None:
    """The claim by the originals' times; None if they tell nothing of it."""
    theirs = recorded.originals
    return None if theirs is None else _with_originals(claim, [dataclasses.replace(
        part, untold=part.untold or _untold_by_originals(theirs, part)) for part in claim.parts], recorded)


def _with_originals(claim: Claim, asked: Sequence[Part], recorded: Recorded) -> Judgement | None:
    """Parts by the originals in the roles that have one; None if none was measured."""
    theirs = recorded.originals
    if theirs is None or not any(
            case.forms.get(role) in theirs.forms_of(case.program)
            for part in asked for case in part.cases for role in roles_of(part.value)):
        return None
    parts = [dataclasses.replace(part, cases=tuple(_with_axes_of(theirs, case) for case in part.cases))
             for part in asked]
    found = _judgement(claim, parts, recorded.by_originals, False)
    return found if found.measured else None


def _untold_by_originals(theirs: Originals, part: Part) -> str:
    """Why they do not tell a value. A time of theirs says nothing next to one of ours, under our load."""
    if unknown := quantities_of(part.value) - _OF_ORIGINALS:
        return f"the originals do not tell {' and '.join(sorted(unknown))}"
    without = {form for case in part.cases for role in roles_of(part.value)
               if (form := case.forms.get(role)) and form not in theirs.forms_of(case.program)}
    return f"no original of {' and '.join(sorted(without))} was measured" if without else ""


def _with_axes_of(theirs: Originals, case: Case) -> Case:
    """The case with another value of a usual axis, if all originals were measured at that."""
    shared = theirs.shared_axes(case.program)
    return dataclasses.replace(case, usual={axis: shared.get(axis, value) for axis, value in case.usual.items()})


def _judgement(claim: Claim, asked: Sequence[Part], recorded: Recorded, ours: bool) -> Judgement:
    parts = tuple(_part(claim, part, recorded, ours) for part in asked)
    verdict, possible = criteria.claimed([set(part.possible) for part in parts])
    return Judgement(claim, verdict, tuple(possible), parts)


def _part(claim: Claim, part: Part, recorded: Recorded, ours: bool) -> JudgedPart:
    cases, outcomes = [], []
    for case in part.cases:
        evaluation = Evaluation(recorded, case, ledger.group_of(claim), ours)
        criterion: Mapping[str, Any] = part.criterion
        judged = _case(claim, part, case, evaluation)
        if judged.value is not None:
            try:
                criterion = _with_numbers(part, case, evaluation)
            except Missing as why:
                judged = JudgedCase(case.name, None, (why,))
        found = None if judged.value is None else criteria.outcome(criterion, judged.value)
        if isinstance(judged.value, Spread) and judged.value.stand_in:
            as_true = criteria.outcome(criterion, judged.value.taken_for_true())
            if as_true != found:
                found, judged = as_true, dataclasses.replace(judged, stand_in=judged.value.because)
        if found is None and isinstance(judged.value, Spread):
            judged = dataclasses.replace(judged, missing=(_left_open(judged.value),))
        cases.append(dataclasses.replace(judged, agrees=found in (criteria.AGREES, criteria.SAME_SIDE)))
        outcomes.append(found)
    return JudgedPart(part, tuple(cases), frozenset(criteria.verdicts(part.criterion, outcomes)))


def _case(claim: Claim, part: Part, case: Case, evaluation: Evaluation) -> JudgedCase:
    if part.untold:
        return JudgedCase(case.name, None, (Missing(part.untold),))
    if part.criterion["by"] in OF_SERIES:
        series, missing = evaluation.series(part.value, part.over)
        enough = len(series) >= part.criterion["least_points"]
        stand_in = "; ".join(dict.fromkeys(number.because for _, number in series if number.stand_in))
        return JudgedCase(case.name, series or None, () if enough else tuple(missing), stand_in)
    try:
        value = evaluation.recorded.counted(claim.id, case.name) if part.test else evaluation.value(part.value)
        return JudgedCase(case.name, value)
    except Missing as why:
        return JudgedCase(case.name, None, (why,))


def _left_open(value: Spread) -> Missing:
    return Missing(value.because or f"{value.runs} runs are not enough")


def _with_numbers(part: Part, case: Case, evaluation: Evaluation) -> dict[str, Any]:
    """The criterion with the values of its expressions; those of the case come first."""
    numbers = {**part.criterion, **case.numbers}
    found = {name: evaluation.value(numbers[name]).median for name in _EVALUATED if name in numbers}
    if "published" in numbers:
        found["published"] = ledger.constant(numbers["published"])
    return {**numbers, **found}


def differences(judged: Mapping[str, Judged], expected: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What the file of expected verdicts has otherwise, a line each."""
    found = []
    for number in dict.fromkeys([*judged, *expected]):
        if number not in judged:
            found.append(f"{number}: expected, but not in the ledger")
            continue
        here, there = judged[number].words, expected.get(number, {})
        found += [f"{number}, {what}: {here.get(what, 'none')}, expected {there.get(what, 'none')}"
                  for what in ("verdict", "ours", "originals") if here.get(what) != there.get(what)]
    return found


def without_verdict(judged: Mapping[str, Judged]) -> list[str]:
    """Claims that cannot be told although the rows of their forms exist, a line each."""
    return [f"{number}: {UNTOLD} although the rows exist: {missing}"
            for number, own in judged.items() if own.printed.verdict == UNTOLD
            for missing in own.printed.missing() if missing.rows_exist]


def counts(judged: Sequence[Judged]) -> dict[str, int]:
    """The number of claims by verdict."""
    words = [own.printed.verdict for own in judged]
    return {verdict: words.count(verdict) for verdict in criteria.VERDICTS}
