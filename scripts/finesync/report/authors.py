"""The page for the papers' authors: what was found of each claim, on the GPU with the most verdicts of its paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..claims import commands, criteria, judge, ledger, stand_ins, words
from ..claims.judge import Judged
from ..results.loading import load_once
from ..results.recorded import Recorded, of_folder
from . import fullest

NAME = "for_authors.md"
_LONGEST = 160  # letters of a claim's numbers
_INTRODUCTION = """# For the papers' authors

What was found of each claim, on one page. A claim is judged by the forms that its paper prints. The papers' own
programs, where they were measured, decide nothing; where they say otherwise, it stands in bold.
[results.md](../docs/suite/results.md#claims) has the criteria, [artifact.md](../docs/suite/artifact.md) all numbers and
commands. `scripts/claims.py --one T08` prints one claim. A build and `ncu` are needed, and one GPU."""


def page(results: Path) -> str:
    """The page of the GPUs that are recorded below a folder; empty if none has tables of claims."""
    lines = [_INTRODUCTION]
    for paper, title in ledger.titles().items():
        table = f"claims-{paper}.md"
        if any(results.glob(f"*/tables/{table}")):
            lines += ["", *_paper(paper, title, results / fullest.gpu_of(results, "tables", table))]
    return "\n".join([*lines, ""]) if len(lines) > 1 else ""


def _paper(paper: str, title: str, folder: Path) -> Iterator[str]:
    recorded = of_folder(folder)
    gpu = load_once(min(folder.glob("*_gpu.json*"))).gpu_name
    judged = [judge.judge(claim, recorded) for claim in ledger.claims().values() if claim.paper == paper]
    counts = ", ".join(f"{word} {number}" for word, number in judge.counts(judged).items() if number)
    minutes = commands.minutes(commands.of_several(own.printed.claim for own in judged), recorded)
    inputs = "; ".join(dict.fromkeys(one for own in judged for one in stand_ins.of_claim(
        own.printed.claim, recorded).split("; ") if one))
    yield f"## {title[0].upper()}{title[1:]} on the {gpu}"
    yield ""
    yield f"{len(judged)} claims on the {gpu}: {counts}. To repeat: `scripts/reproduce.sh {paper} --minutes N`, which " \
        f"says before the start what N minutes decide; all programs took {minutes} minutes on the {gpu}." \
        + (f" Stand-ins for inputs: {inputs}." if inputs else "")
    yield ""
    for verdict in criteria.VERDICTS:
        yield from (_line(own, recorded, gpu) for own in judged if own.printed.verdict == verdict)


def _line(own: Judged, recorded: Recorded, gpu: str) -> str:
    """What holds in the paper's words alone; other claims, and those with dissent, with numbers and the reason."""
    claim, dissent = own.printed.claim, own.dissent()
    if own.printed.verdict == criteria.UNTOLD:
        return f"- {claim.id} {words.verdict(own.printed)}. {claim.text}"
    said = [f"- {claim.id} {words.with_dissent(words.verdict_word(own.printed), own)}. {claim.text}"]
    if dissent or own.printed.verdict in (criteria.MIXED, criteria.FAILS):
        numbers = [("", own.printed), *((f", {name}", theirs) for name, theirs in dissent.items())]
        said += [f"Published: {_short(words.published(claim))}."]
        said += [f"{gpu}{name}: {_short(words.measured(found))}." for name, found in numbers]
        said += [words.why(own.printed, recorded)]
    return " ".join(filter(None, said))


def _short(numbers: str) -> str:
    """Numbers, or the first of them."""
    return numbers if len(numbers) <= _LONGEST else f"{numbers[:_LONGEST].rpartition(', ')[0]}, and more"
