#!/usr/bin/env python3
"""Inserts faults in the code, one at a time, and reports which tests notice.

Listed faults: tests/*/faults/*.toml, see finesync_mutation/faults.py, and those of the functions
that verify runs, see finesync_mutation/verifiers.py. Each is inserted in a copy of the tree
(build/mutation), and only the sources of its tests are compiled, by the commands of
build/host-apart (cmake --preset host -B build/host-apart -DFINESYNC_FILES_PER_SOURCE=1).

Generated faults: some 38,000 that finesync_mutation/operators.py makes of the C++ code, such as a
fence, a statement or an operand left out, a weaker order, a narrower scope, < for <=. All that are
chosen stand at once in one build of each test program (build/mutation/schemata, configured by
itself). A fault runs the tests that the lists name for its file, then all others of the same
programs.

Results are kept as JSON lines: stop at any time; the next run continues. A fault is tried again
if it, or any source of its tests, has changed.

examples:
  scripts/dev/mutate.py --list                    all listed faults and their outcomes
  scripts/dev/mutate.py --check                   does every pattern match once, is every test there?
  scripts/dev/mutate.py --folder locks,server     the faults of two lists
  scripts/dev/mutate.py --only L11,L61 --fresh    two faults, again
  scripts/dev/mutate.py --draw 300 --seed 7 --jobs 16    300 generated faults of all folders
  scripts/dev/mutate.py --generated --folder locks       all generated faults of one

exit status: 0 every listed fault ended as declared, or all generated ones were tried; 1 a fault
that should be caught survived, did not compile or has a pattern that no longer matches; 2 bad
usage or input; 130 stopped by Ctrl-C.
"""

import sys
sys.path.insert(0, f"{sys.path[0]}/..")  # for the scripts' package
from finesync import script  # first

import argparse
import os
import random
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any


ROOT = Path(__file__).resolve().parents[2]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = script.Parser(__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree (default: this one)")
    parser.add_argument("--folder", default="", metavar="A,B", help="only faults of these files")
    parser.add_argument("--only", default="", metavar="ID,ID", help="only these faults")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="faults at a time")
    parser.add_argument("--seconds", type=float, default=600, metavar="S",
                        help="longest run of one test program (default: 600)")
    parser.add_argument("--generated", action="store_true",
                        help="faults by operator instead of the listed ones")
    parser.add_argument("--draw", type=int, default=0, metavar="N", help="N of the generated ones, at random")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="which N (default: 1)")
    parser.add_argument("--fresh", action="store_true", help="try faults again that have a result")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--list", action="store_true", help="show the faults and stop")
    mode.add_argument("--check", action="store_true", help="compile nothing, see whether all match")
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        parser.error("--jobs must be at least 1")
    options.generated = options.generated or options.draw > 0
    return options


script.answer_first(parse)

from finesync_mutation.build_tree import BuildTree
from finesync_mutation.faults import Fault, load_lists
from finesync_mutation.generated_runs import run_without_fault, try_generated
from finesync_mutation.inspection import complaints
from finesync_mutation.mutant_tree import MutantTree, targets_of
from finesync_mutation.generated import Generated, digest_of, generated_faults, unknown_names
from finesync_mutation.verifiers import faults_by_rule
from finesync_mutation.results import ResultsFile, conclusion, equivalent
from finesync_mutation.schemata import Schemata
from finesync_mutation.experiment import BROKEN, EQUIVALENT, Result, try_fault
from finesync.results.errors import UserError
from finesync.results.folder_lock import FolderLock


def chosen(faults: list[Fault], options: argparse.Namespace) -> list[Fault]:
    """The faults that the options name. Raises UserError."""
    for option, known in (("folder", {fault.folder for fault in faults}),
                          ("only", {fault.id for fault in faults})):
        for name in filter(None, getattr(options, option).split(",")):
            if name not in known:
                raise UserError(f"--{option}: there is no {name!r}")
    folders = set(filter(None, options.folder.split(",")))
    ids = set(filter(None, options.only.split(",")))
    return [fault for fault in faults if (not folders or fault.folder in folders)
            and (not ids or fault.id in ids)]


def in_parallel(jobs: int, work: Callable[[Any], Any], items: Iterable[Any]) -> Iterable[Any]:
    """work(item) of all items as they finish; after Ctrl-C no more start."""
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, item) for item in items]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def report(result: Result) -> None:
    """One line for an experiment that has ended."""
    print(f"{result.id:6} {result.outcome:16} {result.compile_s:5.1f} + {result.test_s:5.1f} s  "
          f"{result.what}{': ' if result.by else ''}{result.by}", flush=True)


class MutantTrees:
    """A mutant tree for each job, made when it is first needed."""

    def __init__(self, root: Path, jobs: int) -> None:
        build = BuildTree(root, root / "build" / "host-apart")
        folder = root / "build" / "mutation"
        folder.mkdir(exist_ok=True)
        self._lock = FolderLock(folder)
        self._free: SimpleQueue[MutantTree] = SimpleQueue()
        for number in range(jobs):
            self._free.put(MutantTree(build, folder / f"mutant{number}"))

    def lend(self, work: Callable[[MutantTree], Any]) -> Any:
        """Does work in a free mutant."""
        mutant = self._free.get()
        try:
            return work(mutant)
        finally:
            self._free.put(mutant)


def try_all(faults: list[Fault], options: argparse.Namespace) -> int:
    """Tries the faults that have no result yet; the exit status."""
    kept = ResultsFile(options.root / "build" / "mutation" / "results.jsonl")
    mutants = MutantTrees(options.root, options.jobs)
    digests = {fault.id: mutants.lend(lambda mutant, fault=fault: mutant.digest(fault))
               for fault in faults if not fault.equivalent}
    results = {fault.id: equivalent(fault) for fault in faults if fault.equivalent}
    known = kept.read()
    results |= {id_: known[id_] for id_, digest in digests.items()
                if id_ in known and known[id_].digest == digest and not options.fresh}

    def attempt(fault: Fault) -> Result:
        result = mutants.lend(lambda mutant: try_fault(fault, mutant, options.seconds))
        return replace(result, digest=digests[fault.id])

    for result in in_parallel(options.jobs, attempt,
                              [fault for fault in faults if fault.id not in results]):
        kept.add(result)
        results[result.id] = result
        report(result)
    return conclude(faults, results)


def try_all_generated(faults: list[Generated], options: argparse.Namespace) -> int:
    """Tries the generated faults that have no result yet, all in one build; the exit status."""
    folder = options.root / "build" / "mutation" / "schemata"
    folder.mkdir(parents=True, exist_ok=True)
    _lock = FolderLock(folder)
    kept = ResultsFile(folder / "results.jsonl")
    results = {fault.id: equivalent(fault) for fault in faults if fault.equivalent}
    known = {} if options.fresh else kept.read()
    digest = digest_of(options.root)
    results |= {fault.id: known[fault.id] for fault in faults
                if fault.id in known and known[fault.id].digest == digest}
    # Numbers stay the same after a stop, so that nothing is built again.
    numbers = {number: fault for number, fault in enumerate(faults, 1)
               if fault.id not in results or results[fault.id].outcome not in (BROKEN, EQUIVALENT)}
    waiting = [number for number, fault in numbers.items() if fault.id not in results]
    schemata = Schemata(options.root, folder, numbers, options.jobs)
    programs = sorted({target.program for number in waiting for target in targets_of(numbers[number])})
    if programs:
        programs = schemata.make(programs)
    right = dict(in_parallel(options.jobs, lambda program: (
        program, run_without_fault(schemata, program, options.seconds)), programs))
    for result in in_parallel(options.jobs, lambda number: try_generated(
            schemata, number, right, options.seconds),
                              sorted(waiting, key=lambda number: number not in schemata.dropped)):
        result = replace(result, digest=digest)
        kept.add(result)
        results[result.id] = result
        report(result)
    print(conclusion(faults, results)[0])
    return 0


def conclude(faults: list[Fault], results: dict[str, Result]) -> int:
    """Prints the table; the exit status."""
    text, good = conclusion(faults, results)
    print(text)
    return 0 if good else 1


def show(faults: list[Fault], options: argparse.Namespace) -> int:
    folder = options.root / "build" / "mutation" / ("schemata" if options.generated else "")
    known = ResultsFile(folder / "results.jsonl").read()
    for fault in faults:
        state = "equivalent" if fault.equivalent else \
            known[fault.id].outcome if fault.id in known else "not tried"
        print(f"{fault.folder}\t{fault.id}\t{state}\t{fault.what}\t{' '.join(fault.tests)}")
    return 0


def mutate_generated(faults: list[Generated], options: argparse.Namespace) -> int:
    """Entry point for the generated faults."""
    if options.draw:
        faults = random.Random(options.seed).sample(faults, min(options.draw, len(faults)))
    if options.list:
        return show(faults, options)
    os.nice(10)
    return try_all_generated(faults, options)


def mutate(options: argparse.Namespace) -> int:
    """Entry point; the exit status."""
    options.root = options.root.resolve()
    lists = load_lists(options.root / "tests")
    if options.generated:
        return mutate_generated(chosen(generated_faults(options.root, lists), options), options)
    by_rule, found = faults_by_rule(options.root)
    faults = chosen([fault for of in lists for fault in of.faults] + by_rule, options)
    if options.list:
        return show(faults, options)
    found += complaints(options.root, faults)
    if options.check:
        generated = generated_faults(options.root, lists)
        found += unknown_names(lists, generated)
        found += complaints(options.root, list({fault.file: fault for fault in generated}.values()))
        if not found:
            print(f"{len(faults)} faults match, {len(generated)} are generated, and their tests are there")
    print("\n".join(found), end="\n" if found else "")
    if options.check or found:
        return 1 if found else 0
    os.nice(10)
    return try_all(faults, options)


def main(arguments: list[str] | None = None) -> int:
    return mutate(parse(arguments))


if __name__ == "__main__":
    script.run(main, "stopped; run it again to go on")
