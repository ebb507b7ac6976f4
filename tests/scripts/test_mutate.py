"""The tool that inserts faults, on a tree that takes no time to compile; and our faults match."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from finesync_mutation.faults import load_faults
from finesync_mutation.inspection import complaints
from finesync.results.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
MUTATE = ROOT / "scripts/dev/mutate.py"

# A header, a library, a test program of two sources, and a test of a script.
FILES = {
    "src/twice.hpp": "inline int twice(int x) { return 2 * x; }\n",
    "src/half.cpp": "int half(int x) {\n  return x / 2;\n}\n",
    "src/flag.py": "FLAG = True\n",
    "tests/CMakeLists.txt": "add_executable(small_test)\n",
    # As GoogleTest, as far as the tool knows it.
    "tests/mini.hpp": r'''
#include <cstdio>
#include <cstring>
#define TEST(suite, name) \
  static bool suite##_##name(); \
  static const bool suite##_##name##_known = run(#suite "." #name, suite##_##name); \
  static bool suite##_##name()
inline int failures, tests;
inline const char* wanted() {
  static char line[4096];
  FILE* from = std::fopen("/proc/self/cmdline", "r");
  const auto size = std::fread(line, 1, sizeof line - 1, from);
  std::fclose(from);
  for (auto i = 0u; i < size; ++i) if (line[i] == 0) line[i] = ' ';
  return line;
}
inline bool run(const char* name, bool (*test)()) {
  if (!std::strstr(wanted(), name) && !std::strstr(wanted(), "=*") && std::strstr(wanted(), "filter")) return false;
  std::printf("[ RUN      ] %s\n", name);
  std::fflush(stdout);
  ++tests;
  if (!test()) { ++failures; std::printf("[  FAILED  ] %s\n", name); }
  return true;
}
''',
    "tests/main.cpp": r'''
#include "mini.hpp"
int main() { std::printf("[==========] %d tests from 1 test suite\n", tests); return failures != 0; }
''',
    "tests/twice_test.cpp": r'''
#include "mini.hpp"
#include "../src/twice.hpp"
TEST(twice, of_three) { return twice(3) == 6; }
''',
    "tests/half_test.cpp": r'''
#include "mini.hpp"
int half(int);
TEST(half, of_six) { return half(6) == 3; }
''',
    # A program, and a test that starts it.
    "src/print.cpp": r'''
#include <cstdio>
int half(int);
int main() { std::printf("%d", half(6)); }
''',
    "tests/print_test.cpp": r'''
#include "mini.hpp"
TEST(print, three) {
  FILE* from = popen(PRINT, "r");
  const int digit = std::fgetc(from);
  pclose(from);
  return digit == 51;
}
''',
    "tests/scripts/test_flag.py": '''
from pathlib import Path


def test_flag() -> None:
    assert "True" in (Path(__file__).parents[2] / "src" / "flag.py").read_text(encoding="utf-8")
''',
}

NINJA = """
rule cxx
  command = c++ $defines -I$root/src -O2 -MD -MT $out -MF $out.d -o $out -c $in
  depfile = $out.d
rule ar
  command = : && rm -f $out && ar qc $out $in && ranlib $out
rule link
  command = : && c++ $objects -o $out $libraries && true
build half.o: cxx $root/src/half.cpp
build libhalf.a: ar half.o
build main.o: cxx $root/tests/main.cpp
build twice_test.o: cxx $root/tests/twice_test.cpp
build half_test.o: cxx $root/tests/half_test.cpp
build print_test.o: cxx $root/tests/print_test.cpp
  defines = -DPRINT=\\"$root/build/host-apart/bin/print\\"
build print.o: cxx $root/src/print.cpp
build bin/print: link print.o libhalf.a
  objects = print.o
  libraries = libhalf.a
build bin/small_test: link main.o twice_test.o half_test.o print_test.o libhalf.a
  objects = main.o twice_test.o half_test.o print_test.o
  libraries = libhalf.a
"""

FAULT = """
"{file}".{id} = ["{id}", '''{find}''', '''{put}''', {{tests = ["{test}"]{more}}}]
"""


class Tree:
    """A tree with a build folder and some faults."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name, text in FILES.items():
            self.write(name, text)
        self.write("build/host-apart/build.ninja", f"root = {root}\n{NINJA}")
        self.faults = root / "tests" / "small" / "faults" / "small.toml"
        self.faults.parent.mkdir(parents=True)
        self.faults.touch()

    def write(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def add(self, name: str, file: str, find: str, put: str, test: str, more: str = "") -> None:
        with self.faults.open("a", encoding="utf-8") as faults:
            faults.write(FAULT.format(id=name, file=file, find=find, put=put, test=test,
                                      more=more and f", {more}"))

    def add_twice(self, name: str, put: str, more: str = "") -> None:
        """A fault of the header."""
        self.add(name, "src/twice.hpp", "return 2 * x;", put, "small_test.twice.of_three", more)

    def mutate(self, *options: str) -> tuple[int, str]:
        """Runs the tool: its status, and all that it says."""
        done = subprocess.run([sys.executable, str(MUTATE), "--root", str(self.root), *options],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False)
        return done.returncode, done.stdout


@pytest.fixture(name="tree")
def fixture_tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_faults_are_caught_by_name_wherever_they_are(tree: Tree) -> None:
    tree.add_twice("header", "return 3 * x;")
    tree.add("library", "src/half.cpp", "x / 2", "x / 3", "small_test.half.of_six")
    tree.add("script", "src/flag.py", "True", "False", "tests/scripts/test_flag.py::test_flag")
    tree.add("program", "src/half.cpp", "x / 2", "x / 3", "small_test.print.three",
             'programs = ["print"]')
    status, said = tree.mutate("--jobs", "2")
    assert status == 0, said
    for line in ("header: twice.of_three", "library: half.of_six", "script: tests/scripts",
                 "program: print.three"):
        assert line in said
    assert "| small | 4 | 4 |" in said
    assert {name: (tree.root / name).read_text(encoding="utf-8") for name in FILES} == FILES


def test_a_fault_that_survives_is_a_failure_unless_it_is_known(tree: Tree) -> None:
    tree.add_twice("unseen", "return x + x;")
    status, said = tree.mutate()
    assert status == 1
    assert "small/unseen (unseen): SURVIVED" in said
    tree.faults.write_text("", encoding="utf-8")
    tree.add_twice("known", "return x + x;", 'survives = "it takes a larger number"')
    tree.add_twice("same", "return x + x;", 'equivalent = "it is the same"')
    status, said = tree.mutate()
    assert status == 0, said
    assert "survives, as known: it takes a larger number" in said
    assert "| small | 2 | 1 | 1 |" in said


def test_what_cannot_be_tried_is_told_apart(tree: Tree) -> None:
    tree.add_twice("broken", "return nonsense;")
    tree.add("doubled", "src/half.cpp", "int half(", "int main() {}\nint half(",
             "small_test.half.of_six")
    tree.add_twice("crash", "__builtin_trap();")
    tree.add_twice("endless", "for (volatile bool on = true; on;) {} return x;")
    status, said = tree.mutate("--seconds", "2")
    assert status == 1
    assert "small/broken (broken): DOES NOT COMPILE" in said
    assert "multiple definition of `main'" in said
    assert "crash: twice.of_three (status -" in said
    assert "endless: twice.of_three (time was up)" in said


def test_a_fault_must_match_once_and_name_a_test(tree: Tree) -> None:
    tree.add("stale", "src/twice.hpp", "return 4 * x;", "", "small_test.twice.of_three")
    tree.add("nobody", "src/twice.hpp", "return 2 * x;", "", "small_test.twice.of_four")
    tree.add("nowhere", "src/none.hpp", "x", "", "small_test.twice.of_three")
    status, said = tree.mutate("--check")
    assert status == 1
    assert "small/stale: src/twice.hpp: it is not there" in said
    assert "small/nobody: there is no test small_test.twice.of_four" in said
    assert "small/nowhere: there is no src/none.hpp" in said


def test_results_are_kept_until_something_changes(tree: Tree) -> None:
    tree.add_twice("header", "return 3 * x;")
    tree.add("library", "src/half.cpp", "x / 2", "x / 3", "small_test.half.of_six")
    assert tree.mutate()[0] == 0
    assert "twice.of_three" not in tree.mutate()[1]
    tree.write("src/half.cpp", FILES["src/half.cpp"] + "// changed\n")
    with (tree.root / "build/mutation/results.jsonl").open("a", encoding="utf-8") as results:
        results.write('{"cut off')
    status, said = tree.mutate()
    assert status == 0
    assert "library: half.of_six" in said and "header: twice.of_three" in said, "the library is in its program"
    assert "| small | 2 | 2 |" in said


def file_of_faults(tests: Path) -> Path:
    (tests / "suite" / "faults").mkdir(parents=True)
    return tests / "suite" / "faults" / "a.toml"


@pytest.mark.parametrize(("more", "words"), [
    ("colour = 'red'", "unknown colour"), ("put = 1", "must be a text"),
    ("equivalent = 'so', survives = 'no'", "cannot survive"), ("tests = []", "no test")])
def test_a_bad_fault_is_one_clear_line(tmp_path: Path, more: str, words: str) -> None:
    tests = "" if "tests" in more else "tests = ['a.b.c'], "
    file_of_faults(tmp_path).write_text(f"f.A = ['w', 'x', {{{tests}{more}}}]\n", encoding="utf-8")
    with pytest.raises(UserError, match=words):
        load_faults(tmp_path)


def test_tests_of_many_stand_once(tmp_path: Path) -> None:
    file_of_faults(tmp_path).write_text("""
tests = ["a.b.c"]
["f"]
A = ["as the whole file says", "x"]
["g"]
tests = ["a.b.d"]
B = ["as all in g", "x"]
C = ["by itself", "x", {tests = ["a.b.e"]}]
""", encoding="utf-8")
    assert [(fault.id, fault.file, *fault.tests) for fault in load_faults(tmp_path)] == [
        ("A", "f", "a.b.c"), ("B", "g", "a.b.d"), ("C", "g", "a.b.e")]


def test_our_faults_match_and_their_tests_are_there() -> None:
    assert not complaints(ROOT, load_faults(ROOT / "tests"))


def test_a_test_of_another_program_is_not_there() -> None:
    fault = load_faults(ROOT / "tests")[0]
    assert complaints(ROOT, [replace(fault, tests=("ht_test.carried_items.*",))])
