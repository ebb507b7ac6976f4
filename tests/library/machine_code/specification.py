"""The language in which expected.py says what a kernel's machine code does.

A specification is a regular expression over accesses and fences in PTX's words, which stand for
what PTX says of them (PTX ISA, "Memory Consistency Model"):

    cas.acquire+ read write st.release        one or more tries, a section, and the unlocking store

    ld st add and or xor min max exch cas     one access, then .acquire, .release, .acq_rel or .sc
                                              if it is not relaxed
    acquire release acq_rel sc                a fence
    .release .acquire                         what such an access has beside itself
    read write                                weak accesses to device memory; where none is named,
                                              they are not looked at
    bar, arrive, arrive.release, await        barriers of the block; of the cluster, in two steps
    watchdog                                  its check
    ( )  |  ?  *  +                           as in regular expressions

Numbers behind a name are bits (ld128), 32 without; `@cta`, `@shared` and `@cluster` behind it give
a scope other than the specification's own. `expand` turns the words into the instructions that the
assembler makes of them on an architecture.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

ACCESS = re.compile(r"(ld|st|add|and|or|xor|min|max|exch|cas|rmw)(\d*)(?:\.(\w+))?$")
BARRIERS = {
    "bar": ["bar"],
    "arrive": ["cluster_arrive"],
    "arrive.release": ["membar.all.gpu", "cluster_arrive"],
    "await": ["cluster_wait", "drop_l1"],
}
OLD_BARRIERS = {"bar": ["bar"], "await": ["bar"]}  # where a cluster is a block
FENCES = ("acquire", "release", "acq_rel", "sc")


def fence(order: str, scope: str, architecture: int) -> list[str]:
    """What a fence becomes. Before sm_90 PTX has no fence that is weaker than acq_rel. A cluster's
    is the device's; one of the block leaves the L1 alone, which is the block's own."""
    if scope in ("cta", "shared") or (scope == "cluster" and architecture < 90):
        return ["membar.sc.cta" if order == "sc" else "membar.all.cta"]
    if order != "sc" and architecture < 90:
        order = "acq_rel"
    reach = "sys" if scope == "sys" else "gpu"
    return {
        "acquire": ["drop_l1"],
        "release": [f"membar.all.{reach}"],
        "acq_rel": [f"membar.all.{reach}", "drop_l1"],
        "sc": [f"membar.sc.{reach}", "drop_l1"],
    }[order]


def access(what: str, bits: str, order: str, scope: str, architecture: int) -> list[str]:
    """What a strong access becomes: a release waits before it, an acquire drops the L1 behind it.
    Loads and stores of shared memory are no different from weak ones, and so no events."""
    shared = scope in ("shared", "part") or (scope == "cluster" and architecture < 90)
    reach = "cluster" if scope == "part" and architecture >= 90 else "cta" if shared else scope
    before: list[str] = []
    if order == "sc":
        before = fence("sc", reach, architecture)
    # shared_atomic.cuh has a sequentially consistent access release, too, which libcu++ has not.
    releases = ("release", "acq_rel") if scope == "gpu" else ("release", "acq_rel", "sc")
    if what != "ld" and order in releases:
        before = [*before, fence("release", reach, architecture)[0]]
    behind: list[str] = []
    if what != "st" and order in ("acquire", "acq_rel", "sc") and reach in ("gpu", "cluster", "sys"):
        behind = ["drop_l1"]
    if shared and what in ("ld", "st"):
        return [*before, *behind]
    place = "shared" if shared else "sys" if reach == "sys" else "gpu"
    return [*before, f"{what}{bits or 32}.{place}", *behind]


def expand(word: str, scope: str, architecture: int) -> list[str]:
    """The events of one word, in their order."""
    word, _, own_scope = word.partition("@")
    scope = own_scope or scope
    if weak := re.fullmatch(r"(read|write)(\d*)", word):
        return [weak[1] + (weak[2] or "32")]
    if word == "watchdog":
        return [word]
    if word in BARRIERS:
        return BARRIERS[word] if architecture >= 90 else OLD_BARRIERS.get(word, [])
    if word in (".release", ".acquire"):
        return [fence(word[1:], scope, 90)[0]]
    if word in FENCES:
        return fence(word, scope, architecture)
    parsed = ACCESS.match(word)
    if not parsed:
        raise ValueError(f"what is {word!r}?")
    return access(parsed[1], parsed[2], parsed[3] or "", scope, architecture)


@dataclass
class Language:
    """What Glushkov's construction needs to know of a part: where it begins and ends, by number of
    the event's occurrence; and how often at least each event occurs."""

    empty: bool = True
    first: set[int] = field(default_factory=set)
    last: set[int] = field(default_factory=set)
    least: Counter[str] = field(default_factory=Counter)


class Specification:
    """The events that may follow each other, as pairs; "" is the kernel's begin, and its end."""

    def __init__(self, text: str, scope: str, architecture: int) -> None:
        self.weak = bool(re.search(r"\b(read|write)\b", text))
        self._scope, self._architecture = scope, architecture
        self._events: list[str] = []
        self._follow: set[tuple[int, int]] = set()
        self._words = re.findall(r"[\w.@]+|[()|?*+]", text)
        whole = self._alternatives()
        if self._words:
            raise ValueError(f"left over of {text!r}: {self._words}")
        name = self._events.__getitem__
        self.pairs = {(name(a), name(b)) for a, b in self._follow}
        self.pairs |= {("", name(a)) for a in whole.first} | {(name(a), "") for a in whole.last}
        if whole.empty:
            self.pairs.add(("", ""))
        self.least = whole.least

    @property
    def events(self) -> set[str]:
        """All that it names."""
        return set(self._events)

    def _then(self, left: Language, right: Language) -> Language:
        self._follow |= {(a, b) for a in left.last for b in right.first}
        return Language(left.empty and right.empty,
                        left.first | right.first if left.empty else left.first,
                        right.last | left.last if right.empty else right.last,
                        left.least + right.least)

    def _alternatives(self) -> Language:
        found = self._sequence()
        while self._words[:1] == ["|"]:
            del self._words[0]
            other = self._sequence()
            found = Language(found.empty or other.empty, found.first | other.first,
                             found.last | other.last, found.least & other.least)
        return found

    def _sequence(self) -> Language:
        found = Language()
        while self._words and self._words[0] not in "|)":
            found = self._then(found, self._repeated())
        return found

    def _repeated(self) -> Language:
        word = self._words.pop(0)
        if word == "(":
            found = self._alternatives()
            if self._words.pop(0) != ")":
                raise ValueError("a parenthesis is not closed")
        else:
            found = Language()
            for event in expand(word, self._scope, self._architecture):
                self._events.append(event)
                number = {len(self._events) - 1}
                found = self._then(found, Language(False, number, number, Counter([event])))
        while self._words and self._words[0] in "?*+":
            sign = self._words.pop(0)
            if sign in "*+":
                self._then(found, found)
            if sign in "?*":
                found = Language(True, found.first, found.last)
        return found
