"""Names of tests, as in ctest: PROGRAM.SUITE.CASE, or a file of pytest.

    locks_test.exclusion/mcs.loses_no_update_in_weak_memory   a typed test, of one type
    simt_test.weak_order.*                                    all cases of a suite
    tests/scripts/test_sweep.py::test_x                       as pytest names it
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from finesync.results.errors import UserError

_CASE = re.compile(r"\b(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_NAME = re.compile(r"(?P<program>\w+)\.(?P<suite>[\w/*]+)\.(?P<case>[\w/*]+)")


@dataclass(frozen=True)
class CaseName:
    """Some cases of a GoogleTest program; `suite` may have a type or an instance, A/B."""

    program: str
    suite: str
    case: str

    @property
    def pattern(self) -> str:
        """For --gtest_filter."""
        return f"{self.suite}.{self.case}"

    @property
    def type(self) -> str:
        """The type to which a typed suite is narrowed; "*": all, "": a suite without types."""
        return self.suite.partition("/")[2]

    def is_in(self, source: str) -> bool:
        """Whether a source text defines such a case."""
        suites = self.suite.split("/")  # the second part is the name of a parameterized suite
        case = self.case.partition("/")[0]
        return any(suite in suites and fnmatchcase(name, case) for suite, name in _cases(source))


@lru_cache(maxsize=None)
def _cases(source: str) -> list[tuple[str, str]]:
    """Suites and names of the cases of a source text, which is asked for those of many faults."""
    return _CASE.findall(source)


def is_pytest(name: str) -> bool:
    """Whether pytest runs it."""
    return name.partition("::")[0].endswith(".py")


def parse_name(name: str) -> CaseName:
    """A GoogleTest name. Raises UserError."""
    match = _NAME.fullmatch(name)
    if not match:
        raise UserError(f"{name!r} is no PROGRAM.SUITE.CASE, nor a file of pytest")
    return CaseName(match["program"], match["suite"], match["case"])


def has_tests(source: str) -> bool:
    """Whether a source text defines any case at all."""
    return _CASE.search(source) is not None
