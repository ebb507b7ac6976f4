"""Each condition of what verifies runs is weakened by rule, and the table knows how many there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from finesync_mutation.inspection import complaints
from finesync_mutation.matching import NoMatch
from finesync_mutation.verifiers import FaultByRule, faults_by_rule, weakenings

ROOT = Path(__file__).resolve().parents[2]

CODE = """
outcome verify(std::size_t n) const override {
  if (const auto ended = report(); ended.late != n) return timed_out(*ended);
  if (const auto fault = fault_of(at(0))) return *fault;
  for (std::size_t i = 0; i < n; ++i)
    if (words[i] != right(i, 1)) return wrong("a != b");
  for (const auto each : seen()) wrong += each > most;
  return sums == n && passed ? verify_order() : ended;  // if (comment)
}
outcome other() { return verify(1) == n ? wrong : right; }
bool passed() { return found == 0; }
"""

WEAKER = {
    "never: ended.late != n": "false",
    "one way: ended.late != n as <": "ended.late < n",
    "one way: ended.late != n as >": "ended.late > n",
    "never: const auto fault = fault_of(at(0))": "const auto fault = fault_of(at(0)); false",
    "but last: std::size_t i = 0; i < n; ++i": "std::size_t i = 0; i + 1 < n; ++i",
    "never: words[i] != right(i, 1)": "false",
    "one way: words[i] != right(i, 1) as <": "words[i] < right(i, 1)",
    "one way: words[i] != right(i, 1) as >": "words[i] > right(i, 1)",
    "but last: const auto each : seen())":
        "std::size_t left_ = std::size(seen()); const auto each : seen()) if (left_-- == 1) {} else",
    "right: each > most": "false",
    "boundary: each > most as >=": "each >= most",
    "right: sums == n": "true",
    "one way: sums == n as <=": "sums <= n",
    "one way: sums == n as >=": "sums >= n",
    "right: passed": "true",
    "unasked: verify_order()": "decltype(verify_order()){}",
}


def test_each_condition_is_weakened() -> None:
    assert {made.name: made.put for made in weakenings(CODE)} == \
        {f"verify: {name}": put for name, put in WEAKER.items()}
    assert [made.name for made in weakenings(CODE, ("passed",))][-1] == "passed: right: found == 0"


def test_a_fault_by_rule_changes_its_condition_alone() -> None:
    fault = FaultByRule("verifiers", "a.1", "", "a.cpp", "verify: right: passed")
    assert fault.applied_to(CODE) == CODE.replace("&& passed", "&& true")
    with pytest.raises(NoMatch):
        fault.applied_to(CODE.replace("passed", "is_right"))


def test_no_condition_is_without_tests() -> None:
    faults, found = faults_by_rule(ROOT)
    one_of_each_file = {fault.file: fault for fault in faults}
    assert found + complaints(ROOT, list(one_of_each_file.values())) == []


def parts_of_types() -> dict[str, str]:
    """Of each class and alias of the library its bases and members, or what it stands for."""
    parts: dict[str, str] = {}
    for path in (ROOT / "src" / "finesync").rglob("*.cuh"):
        if path.parent.name in ("nccl", "nvshmem"):  # with memory of a library that is not here
            continue
        pieces = re.split(r"^(?=class |struct |using |template |requires)", path.read_text(),
                          flags=re.M)
        for before, piece in zip(pieces, pieces[1:]):
            named = re.match(r"(?:requires.*?\) )?(?:class|struct|using) (\w+)(.*?)[;{](.*)",
                             piece, re.S)
            if named:
                members = re.findall(r"^  ([^()\n]*) \w+_(?:;| =|\{)", named[3], re.M)
                defaults = before if re.fullmatch(r"template <[^;{]*>\n", before) else ""
                owns = "is_owner" if re.search(r"^  void reset\(\)", named[3], re.M) else ""
                parts[named[1]] = " ".join(
                    [parts.get(named[1], ""), defaults, named[2], *members, owns])
    return parts


def test_the_reset_of_every_owner_is_tested():
    """tests/library/resets makes one of its type, of a type of the catalogue, or of one that has it."""
    parts = parts_of_types()
    owners = {name for name, what in parts.items() if what.endswith("is_owner")}
    assert len(owners) > 30
    tested = (ROOT / "tests" / "library" / "resets" / "owners_test.cu").read_text()
    for family in re.findall(r"<tests/catalogue/(\w+).hpp>", tested):
        tested += (ROOT / "src" / "catalogue" / f"{family}.json").read_text()
    made = set(re.findall(r"\w+", re.sub(r"^(#include|//).*", "", tested, flags=re.M)))
    found: set[str] = set()
    while new := made & parts.keys() - found:
        found |= new
        made |= {name for each in new for name in re.findall(r"\w+", parts[each])}
    assert owners - found == set()
