"""Claims, their numbers and their verdicts in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..query.numbers import AT_LEAST, AT_MOST, EITHER_WAY, Missing, Spread
from ..query.tables import three_digits
from ..results import revisions
from ..results.recorded import Recorded
from . import ledger
from .criteria import HOLDS, UNTOLD
from .expressions import Evaluation, leaves, quantities_of, roles_of
from .judge import Judged, JudgedCase, JudgedPart, Judgement
from .ledger import Claim, Part
from .operating_point import BASELINE

_BOUNDS = {AT_LEAST: "at least ", AT_MOST: "at most ", EITHER_WAY: "about "}
_REASONS = 2  # in a table
_TIMES = {"time", "run_time", "lock_transfer_cycles"}

Write = Callable[[Spread, str], str]


def published(claim: Claim) -> str:
    """What the paper prints: its numbers, or the words in their place."""
    unit = "" if claim.parts[0].criterion["by"] == "events" else claim.parts[0].unit
    numbers = [*_published(claim), *(_number(ledger.constant(expression), unit, label)
                                     for label, expression in claim.shown.items())]
    return ", ".join(dict.fromkeys([*numbers, *filter(None, [claim.printed])])) or "no number"


def measured(judgement: Judgement, quartiles: bool = False) -> str:
    """The values of all cases that have one; empty if none has."""
    write = _with_quartiles if quartiles else _median
    said = [_counted(part) + text
            for part in judgement.parts if (text := ", ".join(_values(part.part, part.cases, write)))]
    return "; ".join(dict.fromkeys(said))


def verdict_word(judgement: Judgement) -> str:
    """The verdict, with what is to be said of the inputs and of the grids."""
    qualified = [judgement.claim.qualified, "at an edge of the recorded grids" if judgement.stand_ins() else ""]
    return ", ".join([judgement.verdict, *(filter(None, qualified) if judgement.verdict != UNTOLD else ())])


def with_dissent(said: str, judged: Judged) -> str:
    """A verdict in words, with what the papers' own programs say otherwise."""
    return "; ".join([said, *(f"**{name}: {own.verdict}**" for name, own in judged.dissent().items())])


def otherwise(judged: Iterable[Judged]) -> str:
    """A sentence that names the claims where the papers' own programs say otherwise; empty if there are none."""
    found = [f"{own.printed.claim.id} ({name}: {theirs.verdict})"
             for own in judged for name, theirs in own.dissent().items()]
    return f"Where these programs say otherwise than the printed forms: {', '.join(found)}." if found else ""


def verdict(judgement: Judgement, reasons: int = _REASONS) -> str:
    """The verdict, with what is missing if it cannot be told."""
    if judgement.verdict != UNTOLD:
        return verdict_word(judgement)
    found = [str(missing) for missing in judgement.missing()]
    more = [f"{len(found) - reasons} more"] if len(found) > reasons else []
    return f"{UNTOLD}: {'; '.join([*found[:reasons], *more])}"


def beside(own: Judgement | None, quartiles: bool = False) -> str:
    """The values and the verdict of what stands beside the printed forms; empty without values."""
    if own is None or not own.measured:
        return ""
    told = "" if own.verdict == UNTOLD else f": {verdict_word(own)}"
    return measured(own, quartiles) + told


def again(judged: Judged, quartiles: bool = False) -> list[str]:
    """A sentence for each further reading that has a verdict, or all its values."""
    claim = judged.printed.claim
    return [f"{'With' if name in claim.half_originals else 'At'} {name}: {measured(own, quartiles)}, {own.verdict}"
            for name, own in judged.again.items() if own.verdict != UNTOLD or own.complete]


def doubts(judgement: Judgement, recorded: Recorded) -> list[str]:
    """A sentence for each reason why rows that decide it say less than they seem to."""
    found: dict[str, list[str]] = {}
    for part in judgement.claim.parts if judgement.measured else ():
        for case, role in ((case, role) for case in part.cases for role in sorted(roles_of(part.value))):
            results, form = recorded.find(case.program, "gpu"), case.forms.get(role, "")
            for reason in revisions.doubts(results, form) if results else ():
                found.setdefault(reason, []).append(f"`{form}`")
    edges = judgement.stand_ins() if judgement.verdict != UNTOLD else []
    return [*([f"At an edge: {'; '.join(edges)}"] if edges else []),
            *(f"Doubted rows ({', '.join(dict.fromkeys(forms))}): {reason}" for reason, forms in found.items())]


def why(judgement: Judgement, recorded: Recorded) -> str:
    """The sentence that explains a verdict, with its values; empty if there is none, or if the claim holds as it is."""
    claim = judgement.claim
    return "" if not claim.why or judgement.verdict == HOLDS else reason(claim, recorded)


def reason(claim: Claim, recorded: Recorded) -> str:
    """The same whatever the verdict; empty if rows of its values are missing."""
    case = ledger.with_forms(claim.parts[0].cases[0], claim.why.get("forms", {}))
    evaluation = Evaluation(recorded, case, ledger.group_of(claim))
    try:
        values = [evaluation.value(expression) for expression in ledger.reasons(claim)]
    except Missing:
        return ""
    return str(claim.why["text"]).format(*(_median(value, claim.why.get("unit", "")) for value in values))


def at_published_latency(judgement: Judgement, recorded: Recorded) -> str:
    """What the claim's ratios of a pair are with the locks where they stood in the paper, and where that is, or why it
    cannot be told; empty if it has no such ratio. It decides nothing."""
    group = ledger.group_of(judgement.claim)
    told: list[str] = []
    untold: dict[str, list[str]] = {}
    for part, case in ((part, case) for part in judgement.claim.parts for case in part.cases):
        if not case.program or not _of_a_pair(part):
            continue
        evaluation = Evaluation(recorded, case, group)
        try:
            value = evaluation.value({"at_published_latency": part.value}).taken_for_true()
            told.append(f"{_median(value, part.unit)} ({case.name}: {evaluation.operating_point()})")
        except Missing as missing:
            untold.setdefault(str(missing), []).append(case.name)
    return "; ".join([*told, *(f"{', '.join(names)}: {because}" for because, names in untold.items())])


def _of_a_pair(part: Part) -> bool:
    """Whether a part compares the times of servers and locks, or the latencies of their locks."""
    return (not part.over and set(part.value or ()) == {"ratio"} and "quorum" not in part.criterion
            and len(list(leaves(part.value))) == 2 and roles_of(part.value) == {BASELINE, "server"}
            and quantities_of(part.value) <= _TIMES)


def _published(claim: Claim) -> Iterator[str]:
    for part in claim.parts:
        for case in part.cases:
            theirs = case.numbers.get("published", part.criterion.get("published"))
            if theirs is not None:
                yield _number(ledger.constant(theirs), part.unit, case.name)
        bound = part.criterion.get("bound")
        if isinstance(bound, (str, dict)):
            least = "at least" if part.criterion["side"] == "above" else "at most"
            yield f"{least} {_number(ledger.constant(bound), part.unit)}"


def _counted(part: JudgedPart) -> str:
    """The number of cases that agree, of a part that needs a number of them."""
    if "quorum" not in part.part.criterion:
        return ""
    return f"{sum(case.agrees for case in part.cases)} of {len(part.cases)}: "


def _values(part: Part, cases: tuple[JudgedCase, ...], write: Write) -> Iterator[str]:
    for case in cases:
        if isinstance(case.value, Spread):
            yield write(case.value, part.unit) + _in_brackets(case.name)
        elif case.value is not None:
            yield ", ".join(f"{write(number, part.unit)} at {x:,.0f}"
                            for x, number in case.value) + _in_brackets(case.name)


def _median(value: Spread, unit: str) -> str:
    of_runs = f" of {value.runs:,}" if value.runs else ""
    return f"{_BOUNDS.get(value.bound, '')}{three_digits(value.median)}{of_runs}{unit}"


def _with_quartiles(value: Spread, unit: str) -> str:
    low, middle, high = map(three_digits, (value.low, value.median, value.high))
    between = f" [{low}, {high}]" if {low, high} != {middle} else ""
    return _median(value, unit) + between


def _number(value: float, unit: str, label: str = "") -> str:
    return f"{three_digits(value)}{unit}" + _in_brackets(label)


def _in_brackets(label: str) -> str:
    return f" ({label})" if label else ""
