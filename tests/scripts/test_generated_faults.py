"""Faults by operator: what is made of code, that all of it compiles at once, and which tests are run."""

from __future__ import annotations

from pathlib import Path

import pytest
from finesync_mutation.operators import changes_of
from finesync_mutation.schemata import with_faults
from test_mutate import Tree

# A tree that CMake builds, with one test of two functions.
CODE = """
constexpr bool is_large(int x) { return x > 10 && x != 12; }
static_assert(is_large(11));
int twice(int x) {
  int sum = 0;
  for (int i = 0; i < 2; ++i) sum += x;  // both
  if (sum < 0)
    return 0;
  return flag() ? sum + 1 - 1 : 0;
}
"""
TWICE = """
template <class Type>
bool flag(const Type& is_set) {
  auto set = [&](bool to) { return to == true; };
  return set(is_set);
}
int twice(int x) {
  int sum = 0;
  for (int i = 0; i < 2; ++i) sum += x;  // both
  if (sum > 100)
    return 0;
  return flag(x != 3) ? sum : sum + 0;
}
"""
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
    "src/twice.cpp": TWICE,
    "tests/small_test.cpp": """
#include "mini.hpp"
int twice(int x);
TEST(twice, of_three) { return twice(3) == 6; }
TEST(twice, of_sixty) { return twice(60) == 0; }
int main() { std::printf("[==========] %d tests from 1 test suite\\n", tests); return failures != 0; }
""",
}


@pytest.fixture(name="tree")
def fixture_tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    for name, text in FILES.items():
        tree.write(name, text)
    tree.faults.write_text("""["src/twice.cpp"]\ntests = ["small_test.twice.of_three"]\n""")
    return tree


def test_x(tree: Tree) -> None:
    status, said = tree.mutate("--generated", "--jobs", "2", "--seconds", "5")
    print(said)
    assert 0
