"""Faults by operator: what is made of code, that all of it compiles together, and which tests are run."""

from __future__ import annotations

from pathlib import Path

import pytest
from finesync_mutation.faults import load_lists
from finesync_mutation.generated import generated_faults, unknown_names
from finesync_mutation.inspection import complaints
from finesync_mutation.operators import changes_of
from test_mutate import Tree

ROOT = Path(__file__).resolve().parents[2]

CODE = """
#define NEVER if (1 < 2) f()
template <class Type, scope Scope>
class box : base<Type> {
 public:
  explicit box(int n) : n_{n + 1} { reset(); }
  bool is_full() const requires(sizeof(Type) < 9) { return n_ >= most || is_shut(); }
  void leave() {
    fence<memory_order::seq_cst, Scope>();
    word(n_).store(n_ * 2 - 1, memory_order::release, scope::device);
    if constexpr (sizeof(Type) < 8) return;
    std::vector<int> x = made(!n_);
    for (auto i = 0u; i < n_; ++i) run([&](int k) { --k; });
  }
  static constexpr int most = 1 + 2;
};
"""

MADE = {
    "box:delete:1": ("reset()", ""),
    "is_full:condition:1": ("is_shut()", "false"), "is_full:condition:2": ("n_ >= most", "false"),
    "is_full:token:1": (">=", ">"), "is_full:token:2": ("||", "&&"),
    "leave:fence:1": ("fence<memory_order::seq_cst, Scope>()", ""),
    "leave:order:1": ("seq_cst", "acq_rel"), "leave:scope:1": ("Scope", "::finesync::scope::block"),
    "leave:delete:1": ("word(n_).store(n_ * 2 - 1, memory_order::release, scope::device)", ""),
    "leave:operand:1": ("* 2", ""), "leave:operand:2": ("n_ *", ""), "leave:operand:3": ("- 1", ""),
    "leave:order:2": ("release", "relaxed"), "leave:scope:2": ("device", "block"),
    "leave:delete:2": ("if constexpr (sizeof(Type) < 8) return;", ""),
    "leave:token:1": ("!", ""), "leave:token:2": ("<", "<="),
    "leave:delete:3": ("for (auto i = 0u; i < n_; ++i) run([&](int k) { --k; });", ""),
    "leave:delete:4": ("--k", ""), "leave:token:3": ("--", "++"),
}


def test_each_operator_changes_what_it_should() -> None:
    assert {name: (CODE[made.begin:made.end], made.put)
            for name, made in changes_of(CODE).items()} == MADE


# A tree that CMake builds. What the compiler evaluates keeps its value, the second condition is no bool, and
# the last fault does not compile.
FILES = {
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(small CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
add_executable(small_test tests/small_test.cpp src/twice.cpp)
""",
    "CMakePresets.json": """{"version": 3, "configurePresets": [
  {"name": "host", "generator": "Ninja", "binaryDir": "build/host"}]}""",
    "src/twice.cpp": """#include <memory>
constexpr int half(int x) { return x / 2; }
static_assert(half(4) == 2);
struct known { bool operator!() const { return false; } };
int twice(int x) {
  int sum = 0;
  for (int i = 0; i < half(4); ++i) sum += x;  // both
  if (sum > 100)
    return 0;
  if (std::make_unique<int>(x)) return sum;
  return !known{};
}
""",
    "tests/small_test.cpp": r"""
#include "mini.hpp"
int twice(int x);
TEST(twice, of_three) { return twice(3) == 6; }
TEST(twice, of_sixty) { return twice(60) == 0; }
int main() { std::printf("[==========] %d tests from 1 test suite\n", tests); return failures != 0; }
""",
}


def test_all_stand_in_one_build(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    for name, text in FILES.items():
        tree.write(name, text)
    tree.faults.write_text('"src/twice.cpp".tests = ["small_test.twice.of_three"]\n', encoding="utf-8")
    status, said = tree.mutate("--generated", "--jobs", "2", "--seconds", "5")
    assert status == 0, said
    for line in ("half:operand:1 killed", "twice:delete:1 killed", "twice:token:1 killed",
                 "twice:token:2 survived", "twice:delete:3 killed", "twice:token:3 does not compile"):
        assert f"src/twice.cpp:{line}" in said, said
    assert "return 0; -> nothing: twice.of_sixty" in said, "no listed test notices it"
    assert "| small | 9 | 6 | 2 | 1 |" in said
    assert {name: (tree.root / name).read_text(encoding="utf-8") for name in FILES} == FILES
    kept = tree.root / "build/mutation/schemata/results.jsonl"
    lines = kept.read_text(encoding="utf-8").splitlines(keepends=True)
    lines.remove(next(line for line in lines if "half:operand:1" in line))  # they stand as they ended
    kept.write_text("".join(lines), encoding="utf-8")
    said = tree.mutate("--generated")[1]
    assert said.count("builds") == 1 and said.count("0.0 +") == 1, "the others have their results"


def test_a_draw_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.faults.write_text("""["src/half.cpp"]
tests = ["small_test.half.of_six"]
"half:operand:1" = {equivalent = "why"}
"half:operand:2" = {survives = "it is not made"}
""", encoding="utf-8")
    drawn = tree.mutate("--draw", "1", "--list")[1]
    assert drawn.split("\t")[1:3] == ["src/half.cpp:half:operand:1", "equivalent"]
    assert drawn == tree.mutate("--draw", "1", "--list")[1]
    assert "there is no src/half.cpp:half:operand:2" in tree.mutate("--check")[1]


@pytest.fixture(scope="module", name="lists")
def fixture_lists() -> list:
    return load_lists(ROOT / "tests")


def test_our_lists_know_the_tests_of_all_code(lists: list) -> None:
    faults = generated_faults(ROOT, lists)
    assert len(faults) > 30000
    assert unknown_names(lists, faults) == []
    assert complaints(ROOT, list({fault.file: fault for fault in faults}.values())) == []
