"""Adds a workload of nine files to a copy of the tree, and then a lock, a barrier and a semaphore,
each by a header and an entry of the catalogue. Looks for them in what CMake makes: the programs'
lists, of which they have their names and their help, and the lists of types that tests explore. Asks
what is compiled anew: of each program the newcomer's source and the list; of another line of help,
the list. Compiles the sources that are theirs."""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

COPIED = ("src", "workloads", "inputs", "tests", "docs", "scripts", "CMakeLists.txt")
NAME = "newcomer"

HEADERS = {
    "locks": """#pragma once
#include "finesync/locks/tas_lock.cuh"
namespace finesync {
template <scope Scope>
class newcomer_lock : public tas_lock<Scope> {
  using tas_lock<Scope>::tas_lock;
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
class newcomer_semaphore : public cas_semaphore<no_backoff> {
  using cas_semaphore<no_backoff>::cas_semaphore;
};
}  // namespace finesync
""",
}
TYPES = {
    "locks": {"role": "baseline_lock", "kind": "lock",
              "types": {"many": "newcomer_lock<scope::device>", "one": "newcomer_lock<scope::device>"},
              "test_types": {NAME: "newcomer_lock<scope::device>"},
              "test_types_in_block": {NAME: "newcomer_lock<scope::block>"}},
    "barriers": {"types": {"grid": "newcomer_barrier"}, "test_types": {NAME: "newcomer_barrier"}},
    "semaphores": {"types": {"one": "newcomer_semaphore"}, "test_types": {NAME: "newcomer_semaphore"}},
}
WORKLOAD = "tally"  # its section takes no word, so it leaves out the locks that carry one
PROGRAMS = {"locks": ("ht", "maxflow", "mutex", WORKLOAD), "barriers": ("barrier",),
            "semaphores": ("semaphore",)}


def add(tree: Path, family: str) -> None:
    """The header and the entry, and nothing else."""
    header = f"finesync/{family}/{NAME}_{family[:-1]}.cuh"
    (tree / "src" / header).write_text(HEADERS[family], encoding="utf-8")
    change(tree, family, lambda entries: entries.append(
        {"name": NAME, "help": f"a new one of the {family}", "headers": [header], **TYPES[family]}))


def change(tree: Path, family: str, how: Callable[[list[dict[str, Any]]], None]) -> None:
    """Changes the entries of a family."""
    catalogue = tree / "src" / "catalogue" / f"{family}.json"
    document = json.loads(catalogue.read_text(encoding="utf-8"))
    how(document["primitives"])
    catalogue.write_text(json.dumps(document), encoding="utf-8")


def missing(generated: Path, family: str) -> list[str]:
    """What does not know the newcomer of a family."""
    wanted = {f"workloads/{folder}/{family}.cpp": f'{{"{NAME}", "a new one of the {family}", '
              f"make_{NAME}," for folder in PROGRAMS[family]}
    wanted |= {f"workloads/{folder}/make_{NAME}.cu": f"make_{NAME}(" for folder in PROGRAMS[family]}
    wanted[f"tests/catalogue/{family}.hpp"] = f'"{NAME}"'
    return [f"{path}: no {text}" for path, text in wanted.items()
            if not (generated / path).exists()
            or text not in (generated / path).read_text(encoding="utf-8")]


class Tool:
    """CMake and ninja, on the copy."""

    def __init__(self, options: argparse.Namespace, tree: Path, build: Path) -> None:
        self._options, self._tree, self._build = options, tree, build

    def configure(self, *settings: str) -> None:
        """Makes the build tree, or makes it anew."""
        subprocess.run([self._options.cmake, "-S", self._tree, "-B", self._build, "-G",
                        self._options.generator, *self._options.settings, *settings],
                       check=True, stdout=subprocess.DEVNULL)

    def objects(self) -> dict[str, str]:
        """The objects of the programs by their sources, as mutex/main.cpp."""
        rules = self._ninja("-t", "targets", "all")
        paths = [path for path in (line.split(":")[0] for line in rules.splitlines())
                 if path.endswith(".o")]
        return {f"{folder}/{Path(path).name[:-2]}": path for path in paths
                for folder in sorted(set().union(*PROGRAMS.values()))
                if path.startswith(f"workloads/{folder}/")}

    def look_again(self) -> None:
        """Makes the build tree anew, where a file has changed that it depends on."""
        self._ninja("build.ninja")

    def compile(self, *sources: str) -> list[str]:
        """Compiles what has changed of them; which that was."""
        objects = {source: path for source, path in self.objects().items() if source in sources}
        words = self._ninja("-j", "2", *objects.values()).split()
        return sorted(source for source, path in objects.items() if path in words)

    def _ninja(self, *words: str) -> str:
        return subprocess.run(["ninja", "-C", self._build, *words], check=True, text=True,
                              capture_output=True).stdout


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
    shutil.copytree(Path(__file__).parent / WORKLOAD, tree / "workloads" / WORKLOAD)
    tool = Tool(options, tree, build)
    tool.configure(f"-DCMAKE_CXX_COMPILER_LAUNCHER={sys.executable};-B;"
                   f"{Path(__file__).with_name('pretend_to_compile.py')}", "-DCCACHE=OFF")
    tool.compile(*tool.objects())
    problems = [f"still to be compiled: {source}" for source in tool.compile(*tool.objects())]

    for family in HEADERS:
        add(tree, family)
    tool.look_again()
    problems += [line for family in HEADERS for line in missing(build / "generated", family)]
    new = [f"{folder}/make_{NAME}.cu" for folders in PROGRAMS.values() for folder in folders]
    lists = [f"{folder}/{family}.cpp" for family, folders in PROGRAMS.items() for folder in folders]
    if (compiled := tool.compile(*tool.objects())) != sorted([*new, *lists]):
        problems.append(f"with newcomers these are compiled: {compiled}")
    change(tree, "locks", lambda entries: entries[0].update(help=entries[0]["help"] + ", it says"))
    tool.look_again()
    lists = sorted(f"{folder}/locks.cpp" for folder in PROGRAMS["locks"])
    if (compiled := tool.compile(*tool.objects())) != lists:
        problems.append(f"with another line of help these are compiled: {compiled}")
    problems += [f"{WORKLOAD} has {source}, which it leaves out" for source in tool.objects()
                 if source == f"{WORKLOAD}/make_carrying.cu"]
    for line in problems:
        print(line)
    if problems:
        return 1

    tool.configure("-DCMAKE_CXX_COMPILER_LAUNCHER=")
    # Of each family one program, the new one for locks: the others differ in nothing that is new.
    new = [f"{folders[-1]}/make_{NAME}.cu" for folders in PROGRAMS.values()]
    new.append(f"{WORKLOAD}/main.cpp")
    print("compiling", *new, sep="\n  ")
    if tool.compile(*new) != sorted(new):
        return 1
    shutil.rmtree(options.scratch)
    return 0


sys.exit(main())
