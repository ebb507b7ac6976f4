#!/usr/bin/env python3
"""Judges the claims of the three papers by recorded runs.

Prints each claim with what the paper printed, what the printed forms gave here (medians, quartiles
in brackets), what our primitives gave, what the papers' own programs gave, and the verdict: holds,
holds in direction, mixed, does not hold, or cannot be told, with what is missing. The ledger is
results/published/claims/*.json. Without --results it judges every recorded GPU; of several it
prints the verdicts side by side. --count first runs the tests on the host executor that count what
some claims are judged by: it builds them in build/host, and keeps what they counted, with revision
and day, in counts/claims.json of the folder.

examples:
  scripts/claims.py --results results/nvidia-h200
  scripts/claims.py --one T08
  scripts/claims.py --one A26 --count --results results/runs/claims
  scripts/claims.py --results results/nvidia-h200 --expect results/nvidia-h200/expected/claims.json

exit status: 0 judged; 1 a verdict is not the expected one, or is missing although the rows exist,
with a line for each; 2 bad usage or input, or a test that failed.
"""

from finesync import script  # first

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("--results", type=Path, action="append", metavar="DIR",
                        help="folder of the results of a GPU; repeatable (default: all recorded)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--one", metavar="ID", help="one claim, such as T08, and how to measure it")
    which.add_argument("--paper", metavar="PAPER", help="the claims of one paper, such as ics15")
    parser.add_argument("--count", action="store_true", help="run the tests that count for these claims first")
    parser.add_argument("--expect", type=Path, metavar="FILE", help="compare with these verdicts")
    parser.add_argument("--write", type=Path, metavar="FILE",
                        help="write the verdicts here; a file keeps those of other claims")
    return parser.parse_args(arguments)


script.answer_first(parse)

from finesync.claims import commands, counting, judge, ledger, tables, words
from finesync.claims.judge import Judged
from finesync.claims.ledger import Claim
from finesync.results import schemas
from finesync.results.errors import UserError
from finesync.results.json_files import read_json, write_json
from finesync.results.recorded import Recorded, gpu_folders, of_folder


def wanted(options: argparse.Namespace) -> dict[str, Claim]:
    """The claims that are asked for."""
    if options.one:
        own = ledger.claim_named(options.one)
        return {own.id: own}
    if options.paper and options.paper not in ledger.titles():
        raise UserError(f"there is no paper {options.paper!r}; known are {', '.join(ledger.titles())}")
    return {number: claim for number, claim in ledger.claims().items() if options.paper in (None, claim.paper)}


def show(judged: Judged, recorded: Recorded) -> None:
    """A claim on one GPU, in a few lines."""
    claim = judged.printed.claim
    print(f"{claim.id}  {words.verdict(judged.printed, reasons=len(judged.printed.parts) + 9)}")
    lines = {"claim": f"{claim.text} ({claim.source})", "published": words.published(claim),
             "measured": words.measured(judged.printed, quartiles=True),
             "still possible": ", ".join(judged.printed.possible),
             "at the paper's own operating point": words.at_published_latency(judged.printed, recorded),
             "ours": words.beside(judged.ours, quartiles=True),
             "originals": words.beside(judged.originals, quartiles=True),
             "note": words.why(judged.printed, recorded),
             "also": ". ".join([*words.again(judged, quartiles=True), *words.doubts(judged.printed, recorded)])}
    for name, text in lines.items():
        if text:
            print(f"  {name}: {text}")


def show_commands(claim: Claim) -> None:
    lines = commands.of_claim(claim)
    print("to measure it again:" if lines else "no command measures it")
    for line in lines:
        print(f"  {line}")


def kept(path: Path) -> dict[str, dict[str, str]]:
    """The verdicts of a file, by claim."""
    document = read_json(path)
    schemas.check(path, document, "verdicts")
    verdicts: dict[str, dict[str, str]] = document["verdicts"]
    return verdicts


def compare(found: Mapping[str, Judged], path: Path) -> list[str]:
    """The differences to a file of expected verdicts, of these claims."""
    return judge.differences(found, {number: own for number, own in kept(path).items()
                                     if number in found or number not in ledger.claims()})


def write(found: Mapping[str, Judged], path: Path) -> None:
    """Puts these verdicts into the file, in the ledger's order; the others stay."""
    verdicts = {**(kept(path) if path.exists() else {}), **{number: own.words for number, own in found.items()}}
    write_json(path, {"schema_version": 1, "verdicts": {
        number: verdicts[number] for number in ledger.claims() if number in verdicts}})


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    claims = wanted(options)
    folders = options.results or gpu_folders()
    if len(folders) != 1 and (options.expect or options.write or options.count):
        raise UserError("--expect, --write and --count are for one GPU: name its folder with --results")
    if options.count:
        counting.count(list(claims.values()), folders[0])
    recorded = {folder.resolve().name: of_folder(folder.resolve()) for folder in folders}
    by_gpu = {name: {number: judge.judge(claim, own) for number, claim in claims.items()}
              for name, own in recorded.items()}
    for name, found in by_gpu.items():
        if len(by_gpu) > 1 and not options.one:
            break
        print(f"{name}:")
        for judged in found.values():
            show(judged, recorded[name])
    if options.one:
        show_commands(next(iter(claims.values())))
    elif len(by_gpu) > 1:
        print("\n".join(tables.side_by_side(by_gpu, recorded).lines))
    problems = [f"{name}: {line}" for name, found in by_gpu.items() for line in judge.without_verdict(found)]
    for name, found in by_gpu.items():
        if not options.one:
            counted = judge.counts(list(found.values()))
            print(f"{name}: " + ", ".join(f"{number} {word}" for word, number in counted.items()))
        if options.write:
            write(found, options.write)
        if options.expect:
            problems += [f"{name}: {line}" for line in compare(found, options.expect)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    script.run(main)
