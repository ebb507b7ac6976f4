"""The tables of claims: a paper's on one GPU, and the verdicts of several GPUs side by side."""

from __future__ import annotations

from collections.abc import Mapping

from ..papers import published
from ..query.tables import Table
from ..results import originals
from ..results.loading import Results
from ..results.recorded import Recorded, of_results
from . import commands, ledger, stand_ins, words
from .judge import Judged, judge_all
from .ledger import Claim

_NO_VALUE = "the verdict says why"
_STAND_INS = "stand-ins for inputs"
_AS_PUBLISHED = "at the paper's own operating point"
# Papers that compare several GPUs name them in the ledger's numbers.
_GPUS = {"thesis": "a GTX 1080, a Titan V and an RTX 2080 Ti"}


def of_gpu(all_results: list[Results]) -> list[Table]:
    """The tables of the results of one GPU and of the host executor's counts: a paper's if one of
    its claims has a value, and the page of commands."""
    gpu = next((results for results in all_results if results.on_gpu), None)
    if gpu is None:
        return []
    recorded = of_results(gpu.gpu_name, all_results, originals.beside(gpu.path.parent))
    return of_judged(judge_all(recorded), recorded)


def of_judged(judged: Mapping[str, Judged], recorded: Recorded) -> list[Table]:
    """The same tables of claims that are judged already."""
    papers = [_paper(paper, title, judged, recorded) for paper, title in ledger.titles().items()
              if any(own.printed.claim.paper == paper and _told(own) for own in judged.values())]
    return [*papers, _artifact(judged, recorded)] if papers else []


def side_by_side(by_gpu: Mapping[str, Mapping[str, Judged]], recorded: Mapping[str, Recorded]) -> Table:
    """What the printed forms of each claim gave on each GPU, and the verdict there with its reason."""
    rows = {}
    for number, own in next(iter(by_gpu.values())).items():
        claim = own.printed.claim
        rows[_name(claim)] = [words.published(claim), *(
            cell for name, found in by_gpu.items() for cell in (
                words.measured(found[number].printed),
                _sentences(words.with_dissent(words.verdict_word(found[number].printed), found[number]),
                           words.why(found[number].printed, recorded[name]))))]
    return Table("claims", "The claims by GPU, by the printed forms:", "claim",
                 ["published", *(cell for name in by_gpu for cell in (name, "verdict"))], rows,
                 _NO_VALUE)


def changes() -> Table:
    """The criteria that were changed once the verdicts were known, with the verdicts before and after."""
    listed = [change for document in ledger.documents().values() for change in document.get("changes", ())]
    gpus = list(dict.fromkeys(name for change in listed for name in change["verdicts"]))
    return Table(
        "claims-changes", "The criteria that were changed once the verdicts were known:", "claims",
        ["earlier", "now", "because", *gpus],
        {", ".join(change["claims"]): [change["was"], change["is"], change["because"], *(
            _turned(change["verdicts"].get(name, {})) for name in gpus)] for change in listed}, "not recorded then")


def _turned(verdicts: Mapping[str, list[str]]) -> str:
    """What became of the verdicts of some claims."""
    several = len(verdicts) > 1
    turned = [f"{before} -> {after}" + f" ({number})" * several
              for number, (before, after) in verdicts.items() if before != after]
    same = [number if several else before for number, (before, after) in verdicts.items() if before == after]
    return "; ".join([*turned, *([f"{', '.join(same)}, as before"] if same else [])])


def _paper(paper: str, title: str, judged: Mapping[str, Judged], recorded: Recorded) -> Table:
    claims = [own for own in judged.values() if own.printed.claim.paper == paper]
    columns = {
        title: [words.published(own.printed.claim) for own in claims],
        "printed forms here": [words.measured(own.printed) for own in claims],
        _AS_PUBLISHED: [words.at_published_latency(own.printed, recorded) for own in claims],
        "verdict": [_sentences(words.with_dissent(words.verdict(own.printed), own),
                               words.why(own.printed, recorded), *words.again(own),
                               *words.doubts(own.printed, recorded)) for own in claims],
        "originals here": [words.beside(own.originals) for own in claims],
        "our primitives here": [words.beside(own.ours) for own in claims],
        _STAND_INS: [stand_ins.of_claim(own.printed.claim, recorded) for own in claims]}
    columns = {name: cells for name, cells in columns.items()
               if any(cells) or name not in (_AS_PUBLISHED, "originals here", _STAND_INS)}
    gpus = _GPUS.get(paper) or f"a {published.gpu(paper)}"
    return Table(
        f"claims-{paper}", f"The claims of {title}, measured there on {gpus}, here on the "
        f"{recorded.name}. The printed forms decide; ours have a column of their own:",
        "claim", list(columns),
        {_name(own.printed.claim): list(cells)
         for own, cells in zip(claims, zip(*columns.values()))},
        "not measured, or no program of the claim", {
            "printed forms here": _NO_VALUE, _STAND_INS: "no input has one",
            _AS_PUBLISHED: "the claim is not of a pair's times or latencies"})


def _artifact(judged: Mapping[str, Judged], recorded: Recorded) -> Table:
    rows = {_name(claim): [
        code_lines(commands.of_claim(claim)[:-1]) or words.verdict(own.printed),
        commands.minutes(claim.measure, recorded), commands.memory(claim.measure, recorded),
        _expected(own), words.with_dissent(words.verdict_word(own.printed), own)]
        for own in judged.values() for claim in [own.printed.claim]}
    return Table("artifact", f"How to measure each claim again; expected numbers, with quartiles, "
                 f"are those of the {recorded.name}:",
                 "claim", ["commands", "minutes", "GiB", "expected", "verdict"], rows, "not recorded",
                 {"expected": "no number is"})


def _sentences(*said: str) -> str:
    return ". ".join(one.rstrip(".") for one in said if one)


def code_lines(lines: list[str]) -> str:
    """A cell with a command a line."""
    return "<br>".join(f"`{line}`" for line in lines)


def _expected(own: Judged) -> str:
    """The numbers of the printed forms, or ours if these have none."""
    mine = words.beside(own.ours, quartiles=True)
    return words.measured(own.printed, quartiles=True) or (f"ours: {mine}" if mine else "")


def _told(own: Judged) -> bool:
    tested = all(part.part.test for part in own.printed.parts)
    return not tested and (own.printed.measured or bool(own.ours and own.ours.measured))


def _name(claim: Claim) -> str:
    return f"{claim.id}: {claim.text}"
