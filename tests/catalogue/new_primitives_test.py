"""Adds a lock, a barrier and a semaphore to a copy of the tree, each by a header and an entry of the
catalogue, and looks for them in what CMake makes: the programs' lists, of which they have their names
and their help, and the lists of types that tests explore. Compiles the sources that are theirs."""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

COPIED = ("src", "workloads", "inputs", "tests", "docs", "scripts", "CMakeLists.txt")
NAME = "newcomer"

HEADERS = {
    "locks": """#pragma once
#include "finesync/locks/tas_lock.cuh"
namespace finesync {
template <scope Scope>
class newcomer_lock : public spin_ordered_lock<Scope> {
  using spin_ordered_lock<Scope>::spin_ordered_lock;
};
}  // namespace finesync
""",
    "barriers": """#pragma once
#include "finesync/barriers/sense_reversing_barrier.cuh"
namespace finesync {
class newcomer_barrier : public sense_reversing_barrier<> {
  using sense_reversing_barrier<>::sense_reversing_barrier;
};
}  // namespace finesync
""",
    "semaphores": """#pragma once
#include "finesync/device/backoff.cuh"
#include "finesync/semaphores/cas_semaphore.cuh"
namespace finesync {
class newcomer_semaphore : public word_semaphore<no_backoff> {
  using word_semaphore<no_backoff>::word_semaphore;
};
}  // namespace finesync
""",
}
TYPES = {
    "locks": {"types": {"many": "newcomer_lock<scope::device>", "one": "newcomer_lock<scope::device>"},
              "explored": {NAME: "newcomer_lock<scope::device>"},
              "explored_in_block": {NAME: "newcomer_lock<scope::block>"}},
    "barriers": {"types": {"grid": "newcomer_barrier"}, "explored": {NAME: "newcomer_barrier"}},
    "semaphores": {"types": {"one": "newcomer_semaphore"}, "explored": {NAME: "newcomer_semaphore"}},
}
PROGRAMS = {"locks": ("ht", "maxflow", "mutex"), "barriers": ("barrier",), "semaphores": ("semaphore",)}


def add(tree: Path, family: str) -> None:
    """The header and the entry, and nothing else."""
    header = f"finesync/{family}/{NAME}_{family[:-1]}.cuh"
    (tree / "src" / header).write_text(HEADERS[family], encoding="utf-8")
    catalogue = tree / "workloads" / "catalogue" / f"{family}.json"
    document = json.loads(catalogue.read_text(encoding="utf-8"))
    document["primitives"].append(
        {"name": NAME, "help": f"a new one of the {family}", "headers": [header], **TYPES[family]})
    catalogue.write_text(json.dumps(document), encoding="utf-8")


def missing(generated: Path, family: str) -> list[str]:
    """What does not know the newcomer of a family."""
    wanted = {f"workloads/{folder}/{family}.hpp": f'{{"{NAME}", "a new one of the {family}", '
              f"make_{NAME}," for folder in PROGRAMS[family]}
    wanted |= {f"workloads/{folder}/make_{NAME}.cu": f"make_{NAME}(" for folder in PROGRAMS[family]}
    wanted[f"tests/catalogue/{family}.hpp"] = f'"{NAME}"'
    return [f"{path}: no {text}" for path, text in wanted.items()
            if not (generated / path).exists()
            or text not in (generated / path).read_text(encoding="utf-8")]


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--generator", required=True)
    parser.add_argument("settings", nargs="*")
    options = parser.parse_args()
    tree, build = options.scratch / "tree", options.scratch / "build"
    shutil.rmtree(options.scratch, ignore_errors=True)
    tree.mkdir(parents=True)
    for name in COPIED:
        if (options.source / name).is_dir():
            shutil.copytree(options.source / name, tree / name)
        else:
            shutil.copy(options.source / name, tree / name)
    for family in HEADERS:
        add(tree, family)
    subprocess.run([options.cmake, "-S", tree, "-B", build, "-G", options.generator,
                    *options.settings], check=True, stdout=subprocess.DEVNULL)
    problems = [line for family in HEADERS for line in missing(build / "generated", family)]
    for line in problems:
        print(line)
    if problems:
        return 1
    rules = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], check=True, text=True,
                           capture_output=True).stdout
    objects = [line.split(":")[0] for line in rules.splitlines()
               if line.split(":")[0].endswith(f"make_{NAME}.cu.o")]
    print("compiling", *objects, sep="\n  ")
    if len(objects) != sum(map(len, PROGRAMS.values())):
        return 1
    subprocess.run(["ninja", "-C", build, "-j", "1", *objects], check=True,
                   stdout=subprocess.DEVNULL)
    shutil.rmtree(options.scratch)
    return 0


sys.exit(main())
