"""Snippets are found whatever their layout is, once, and where they are said to be."""

from __future__ import annotations

import pytest
from finesync_mutation.matching import NoMatch, find, replaced

CODE = """
struct first {
  void leave() { release(); store(1); }
};
class second {
  int at_ = 0;
  // release(); in a comment
  void leave(int by) const {
    if (leave(by)) return;  // a call, not a definition
    release();   /* and */
    store( 2 );
  }
};
const char* text = "release(); store(3);";
"""

PYTHON = """
def outer(x):
    # return 1
    if x:
        return 1

    return 2  // 1


class Kind:
    def inner(self):
        return 1
"""


def found(snippet: str, within: str = "", text: str = CODE, language: str = "c++") -> str:
    span = find(text, snippet, within, language)
    return text[span.begin:span.end]


def test_layout_and_comments_do_not_matter() -> None:
    assert found("release();\nstore(2);") == "release();   /* and */\n    store( 2 );"
    assert found("store( 1 )") == "store(1)"


def test_a_string_is_one_word() -> None:
    with pytest.raises(NoMatch, match="not there"):
        found("store(3);")
    assert found('"release(); store(3);"')


@pytest.mark.parametrize(("within", "place"), [("first", "release(); store(1)"),
                                               ("second", "release();   /* and */\n    store")])
def test_a_place_is_narrowed_to_a_class(within: str, place: str) -> None:
    assert place.startswith(found("release();", within))
    assert found("release(); store", within) in place


def test_functions_of_one_name_are_told_apart_by_their_class() -> None:
    with pytest.raises(NoMatch, match="2 times"):
        found("release();", "leave")
    assert found("release();", "second.leave") == "release();"


def test_what_is_there_twice_or_never_does_not_match() -> None:
    with pytest.raises(NoMatch, match="2 times"):
        found("release();")
    with pytest.raises(NoMatch, match="there is no 'enter'"):
        found("release();", "enter")
    with pytest.raises(NoMatch, match="nothing to look for"):
        found("// only a comment")


def test_python_is_read_by_its_own_rules() -> None:
    with pytest.raises(NoMatch, match="2 times"):
        found("return 1", text=PYTHON, language="python")
    assert found("return 1", "inner", PYTHON, "python") == "return 1"
    assert found("return 2  // 1", "outer", PYTHON, "python") == "return 2  // 1"
    with pytest.raises(NoMatch, match="not there"):
        found("return 2", "Kind", PYTHON, "python")


def test_only_the_snippet_is_replaced() -> None:
    assert replaced("a( b );  c();", "b", "", "", "c++") == "a(  );  c();"
